/** Writes wait for the disk, not for us: so many of them wait together. More would keep others from it. */
const AT_ONCE = 8;

/** Does the same with each item, some at once, and gives the results in the items' order. */
export async function atOnce<T, R>(items: Iterable<T>, work: (item: T) => Promise<R>): Promise<R[]> {
  const all = [...items];
  const results: R[] = [];
  for (let i = 0; i < all.length; i += AT_ONCE) results.push(...(await Promise.all(all.slice(i, i + AT_ONCE).map(work))));
  return results;
}

/** Waits for all of them, also where one fails: nothing is left under way when its error is thrown. */
export async function allEnded(underWay: readonly Promise<unknown>[]): Promise<void> {
  for (const ended of await Promise.allSettled(underWay)) if (ended.status === 'rejected') throw ended.reason;
}
