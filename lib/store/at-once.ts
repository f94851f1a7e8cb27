/** Writes wait for the disk, not for us: so many of them wait together. More would keep others from it. */
const AT_ONCE = 8;

/** Does the same with each item, some at once, and gives the results in the items' order. */
export async function atOnce<T, R>(items: Iterable<T>, work: (item: T) => Promise<R>): Promise<R[]> {
  const all = [...items];
  const results: R[] = [];
  for (let i = 0; i < all.length; i += AT_ONCE) results.push(...(await Promise.all(all.slice(i, i + AT_ONCE).map(work))));
  return results;
}
