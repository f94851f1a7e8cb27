import { canonicalJson } from '../../model/json.ts';
import { compareNames } from '../../model/text.ts';
import { fold } from '../../nodeset.ts';
import { groupBy } from './digest.ts';
import type { RawRecord, Section } from './documents.ts';
import type { Problems } from './problems.ts';

/**
 * Reads the records of a section in the order of names. One without a usable name is rejected. Of two with one name the
 * one from the newer file counts; where neither is newer and they differ both do, so that no fault hides behind the other.
 */
export function readRecords<T extends { id: string }>(
  section: Section | undefined,
  read: (record: RawRecord) => T | null,
  problems: Problems,
): T[] {
  const found: { item: T; record: RawRecord }[] = [];
  for (const record of section?.records ?? []) {
    const item = read(record);
    if (item !== null) found.push({ item, record });
    else {
      (section as Section).whole = false;
      problems.reject('has no usable id or name', record.input, record.place);
    }
  }
  const groups = [...groupBy(found, ({ item }) => item.id)].sort(([a], [b]) => compareNames(a, b));
  return groups.flatMap(([, twins]) => (twins.length === 1 ? [twins[0].item] : newestOf(twins, problems)));
}

function newestOf<T>(twins: readonly { item: T; record: RawRecord }[], problems: Problems): T[] {
  const newest = twins.reduce((ms, { record }) => Math.max(ms, record.written ?? 0), 0);
  const differing = new Map(twins.filter(({ record }) => (record.written ?? 0) === newest).map((twin) => [canonicalJson(twin.item), twin]));
  const kept = [...differing].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, twin]) => twin);
  if (kept.length > 1) problems.note('holds records of one name that differ; all of them count', kept[0]?.record.input);
  return kept.map(({ item }) => item);
}

/**
 * What a section observed: `all` where it was read whole, every record told its state and there are as many as the
 * cluster counts, so that what is missing in it is gone; else the names that did tell.
 * @param expected how many the status counts
 */
export function observedOf(
  what: string,
  section: Section | undefined,
  { listed, told, expected = 0 }: { listed: number; told: readonly string[]; expected?: number },
  problems: Problems,
): string | null {
  if (!section) return null;
  if (listed === 0 && expected > 0) problems.input(`${what}: the list is empty, but the cluster counts ${expected}`);
  else if (listed < expected) problems.note(`${what}: ${listed} listed, but the cluster counts ${expected}`);
  return section.whole && told.length === listed && listed >= expected ? 'all' : fold(told);
}
