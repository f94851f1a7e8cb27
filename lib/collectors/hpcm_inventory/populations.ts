import { compareNames } from '../../model/text.ts';
import type { Entry } from './fleet.ts';
import type { Options } from './options.ts';

/** The nodes that hold one value of something. */
export interface Holders {
  value: string;
  entries: Entry[];
}

/** Groups entries by a value, the most frequent first, ties in the order of the values. */
export function byFrequency(entries: readonly Entry[], valueOf: (entry: Entry) => string | undefined): Holders[] {
  const groups = new Map<string, Holders>();
  // Nearly always the next one has what the one before has.
  let group: Holders | undefined;
  for (const entry of entries) {
    const value = valueOf(entry);
    if (value === undefined) continue;
    if (value !== group?.value) group = groups.get(value) ?? { value, entries: [] };
    if (group.entries.push(entry) === 1) groups.set(value, group);
  }
  return [...groups.values()].sort((a, b) => b.entries.length - a.entries.length || compareNames(a.value, b.value));
}

/** Nodes that should be alike, and how alike they are. */
export interface Population {
  /** `template cn`, `system group gpu`, `role login`. */
  label: string;
  entries: Entry[];
  /** By image, the most frequent first. */
  images: Holders[];
  /** What they should have: the site's word, else the image of most of them; absent where no image leads. */
  expected?: string | undefined;
  isExpectedBySite: boolean;
}

/**
 * Splits the compute nodes into populations: by the site's role, else HPCM's system group, else their template. Service
 * nodes differ by nature, so they are compared with nothing but an image that the site expects of them.
 */
export function populationsOf(entries: readonly Entry[], options: Options): Population[] {
  const groups = new Map<string, { label: string; members: Entry[]; expected: string | undefined }>();
  for (const entry of entries) {
    if (!entry.isHost) continue;
    const expected = expectedBySite(entry, options);
    if (entry.class !== 'node' && expected === undefined) continue;
    const label = labelOf(entry);
    const key = `${expected === undefined ? '' : `=${expected}`}\0${label}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { label, members: [entry], expected });
    else group.members.push(entry);
  }
  const populations = [...groups.values()].map(({ label, members, expected }): Population => {
    const images = byFrequency(members, (e) => e.image ?? undefined);
    const leads = (images[0]?.entries.length ?? 0) > (images[1]?.entries.length ?? 0);
    return {
      label,
      entries: members,
      images,
      expected: expected ?? (leads ? images[0]?.value : undefined),
      isExpectedBySite: expected !== undefined,
    };
  });
  return populations.sort((a, b) => b.entries.length - a.entries.length || compareNames(a.label, b.label));
}

function labelOf({ role, systemGroup, template, class: entryClass }: Entry): string {
  if (role !== undefined && role !== 'compute') return `role ${role}`;
  if (systemGroup !== undefined) return `system group ${systemGroup}`;
  return template === undefined ? `class ${entryClass}` : `template ${template}`;
}

/** The most particular word counts: that every node is `compute` comes after its group and template. */
function expectedBySite(
  { role, systemGroup, template, class: entryClass }: Entry,
  { expected_images: expected }: Options,
): string | undefined {
  for (const key of [role === 'compute' ? undefined : role, systemGroup, template, role, entryClass]) {
    if (key !== undefined && Object.hasOwn(expected, key)) return expected[key];
  }
  return undefined;
}
