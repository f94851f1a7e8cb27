import { compareNames, oneLine } from '../model/text.ts';
import { formatDuration, parseDuration, toIso } from '../model/time.ts';
import { expand } from '../nodeset.ts';
import { type GroundTruth, readGroundTruth, type ReadOptions, type WrittenTruth } from './ground-truth.ts';
import { kinds } from './kinds.ts';
import { setText } from './set-text.ts';

export interface LintOptions extends ReadOptions {
  /** Names that the inventory knows, under any of which a node may be meant; absent = only the file itself is asked. */
  inventory?: { has(name: string): boolean };
}

/** An exception that is older than this has become the rule. */
const LONG = parseDuration('180d');

/**
 * Explains everything in a ground truth file that is wrong, or will not do what it looks like: each mistake with its line.
 * Empty = nothing to mend.
 */
export function lintGroundTruth(text: string, options: LintOptions): string[] {
  const written = readGroundTruth(text, options);
  if ('unreadable' in written) return written.unreadable.map(asLine);
  return [
    ...written.mistakes,
    ...runOut(written, options),
    ...overlapping(written),
    ...unknownNodes(written, options),
    ...unknownWords(written),
  ].map(asLine);
}

/** What is quoted of a file may hold line breaks of its own. */
function asLine(mistake: string): string {
  return oneLine(mistake, 1000);
}

function runOut({ groundTruth, at }: WrittenTruth, { now }: LintOptions): string[] {
  const ended = (end: number): string => `has run out ${formatDuration(now - end)} ago, at ${toIso(end)}`;
  const early = (created: number | undefined): boolean => created !== undefined && created > now + parseDuration('1d');
  return [
    ...groundTruth.known_down.filter((k) => k.expires <= now).map((k) => at('known_down', k, `${ended(k.expires)}: renew or remove it`)),
    ...groundTruth.known_down
      .filter((k) => k.expires - now > LONG)
      .map((k) =>
        at('known_down', k, `lasts for another ${formatDuration(k.expires - now)}: take the nodes out of fleet, or let it expire sooner`),
      ),
    ...groundTruth.maintenance.filter((m) => m.until <= now).map((m) => at('maintenance', m, `${ended(m.until)}: remove it`)),
    ...groundTruth.silences.filter((s) => s.expires <= now).map((s) => at('silences', s, `${ended(s.expires)}: remove it`)),
    ...groundTruth.acknowledgements.filter((a) => a.until <= now).map((a) => at('acknowledgements', a, `${ended(a.until)}: remove it`)),
    ...(['known_down', 'maintenance', 'silences'] as const).flatMap((section) =>
      groundTruth[section]
        .filter((entry) => early(entry.created))
        .map((entry) => at(section, entry, `was created in the future, at ${toIso(entry.created as number)}`)),
    ),
  ];
}

/** Entries that say two things of one node; maintenance and silences may well meet. */
function overlapping({ groundTruth, at }: WrittenTruth): string[] {
  const said: string[] = [];
  for (const section of ['fleet', 'known_down'] as const) {
    const first = new Map<string, object>();
    for (const entry of groundTruth[section]) {
      const twice = expand(entry.nodes).filter((name) => first.has(name));
      for (const name of expand(entry.nodes)) if (!first.has(name)) first.set(name, entry);
      if (twice.length > 0)
        said.push(at(section, entry, `names ${setText(twice, 120)} again, which an entry before it has: the first counts`));
    }
  }
  return said;
}

function unknownNodes({ groundTruth, at, atPlace }: WrittenTruth, { inventory }: LintOptions): string[] {
  const expected = new Set(groundTruth.fleet.flatMap((entry) => expand(entry.nodes)));
  if (expected.size === 0 && !inventory) return [];
  const strangers = (nodes: string | undefined): string | null => {
    const unknown = nodes === undefined ? [] : expand(nodes).filter((name) => !expected.has(name) && !inventory?.has(name));
    return unknown.length === 0
      ? null
      : `names ${setText(unknown.sort(compareNames), 120)}, which ${inventory ? 'neither fleet nor the inventory has' : 'fleet does not have'}`;
  };
  const said: string[] = [];
  for (const section of ['known_down', 'maintenance', 'silences'] as const) {
    for (const entry of groundTruth[section]) {
      const what = strangers(entry.nodes);
      if (what !== null) said.push(at(section, entry, what));
    }
  }
  for (const [type, places] of Object.entries(groundTruth.topology)) {
    for (const [name, nodes] of Object.entries(places)) {
      const what = strangers(nodes);
      if (what !== null) said.push(atPlace(type, name, what));
    }
  }
  if (inventory) {
    for (const entry of groundTruth.fleet) {
      const missing = expand(entry.nodes).filter((name) => !inventory.has(name));
      if (missing.length > 0) said.push(at('fleet', entry, `expects ${setText(missing, 120)}, which the inventory does not have`));
    }
  }
  return said;
}

function unknownWords({ groundTruth, at }: WrittenTruth): string[] {
  const hasRoles = Object.keys(groundTruth.roles).length > 0;
  return [
    ...groundTruth.silences
      .filter(({ kind }) => kind !== undefined && !kinds.has(kind))
      .map((s) => at('silences', s, `no kind of finding is called ${s.kind}: it silences nothing`)),
    ...groundTruth.fleet
      .filter(({ role }) => hasRoles && !isRole(groundTruth, role))
      .map((f) => at('fleet', f, `roles does not have ${f.role}; it has ${Object.keys(groundTruth.roles).join(', ')}`)),
  ];
}

function isRole({ roles }: GroundTruth, role: string): boolean {
  return Object.hasOwn(roles, role);
}
