import { bytesOf, type Input, ReadError } from '../../model/collector.ts';
import type { Json } from '../../model/json.ts';
import { cleanName, oneLine } from '../../model/text.ts';
import { formatDuration } from '../../model/time.ts';
import { epoch, member, membersOf, text } from './fields.ts';
import { isReservationList, parseReservationList } from './reservation-list.ts';
import type { Tally } from './tally.ts';
import { NoJson, parseTolerantJson, type TolerantJson } from './tolerant-json.ts';

/** What a document may hold; also the configuration keys that name one input each. */
export const ROLES = ['nodes', 'jobs', 'server', 'queues', 'reservations'] as const;
export type Role = (typeof ROLES)[number];

/** The commands that print them, for people. */
export const COMMANDS: Readonly<Record<Role, string>> = {
  nodes: 'pbsnodes -a -F json',
  jobs: 'qstat -f -F json',
  server: 'qstat -Bf -F json',
  queues: 'qstat -Qf -F json',
  reservations: 'pbs_rstat -f',
};

/**
 * By which member a document is known, and where its records are (openpbs: src/cmds/pbsnodes.c, qstat.c). PBS leaves the
 * member out where there is no record. `restrictions` are the reservations of openpbs#2680; no release prints them yet.
 */
const SECTIONS: readonly (readonly [string, Role])[] = [
  ['nodes', 'nodes'],
  ['Jobs', 'jobs'],
  ['Server', 'server'],
  ['Queue', 'queues'],
  ['restrictions', 'reservations'],
];

/** How file names tell what a document is that has no records. */
const NAMES: readonly (readonly [RegExp, Role])[] = [
  [/pbsnodes|(?:^|[/_.-])nodes?[_.-]/i, 'nodes'],
  [/rstat|reservation|(?:^|[/_.-])resv/i, 'reservations'],
  [/qstat[^/]*-?B|(?:^|[/_.-])server[_.-]/, 'server'],
  [/qstat[^/]*-?Q|(?:^|[/_.-])queues?[_.-]/, 'queues'],
  [/qstat|(?:^|[/_.-])jobs?[_.-]/i, 'jobs'],
];

/** One document as its command printed it. */
export interface Document {
  role: Role;
  input: string;
  pushed: boolean;
  /** Its own time, else the input's, in ms since the epoch; undefined where neither is known. */
  time: number | undefined;
  isTimeItsOwn: boolean;
  server: string | undefined;
  version: string | undefined;
  records: [string, Json][];
  /** The text was read to its end, and ended where a document ends. */
  complete: boolean;
  /** Names of records that could not be used, in the parser or behind it. */
  lost: Set<string>;
  /** Records that could not be used and whose names are unknown. */
  nameless: number;
  repairs: TolerantJson['repairs'];
}

/** Counts a record that cannot be used. */
export function lose(document: Document, key: string): void {
  const name = cleanName(key);
  if (name === null) document.nameless++;
  else document.lost.add(name);
}

/** How many of its records could not be used. */
export function lostCount(document: Document): number {
  return document.lost.size + document.nameless;
}

/** Reads every input; what is none of ours in a folder is noted, what should be and is not usable makes the source partial. */
export async function readDocuments(inputs: readonly Input[], tally: Tally): Promise<Document[]> {
  const documents: Document[] = [];
  for (const input of inputs) {
    let bytes: Uint8Array;
    try {
      bytes = await bytesOf(input);
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      tally.lacks(input.name, error.message);
      continue;
    }
    const document = readDocument(input, bytes, tally);
    if (document) documents.push(document);
  }
  return documents;
}

function readDocument(input: Input, bytes: Uint8Array, tally: Tally): Document | null {
  const { content, damaged } = decode(bytes);
  const expected = expectedRole(input);
  if (content.trim() === '') {
    if (expected === undefined && !input.pushed) tally.note(input.name, 'empty, and its name is none of ours');
    else
      tally.lacks(
        input.name,
        `empty: ${expected ? COMMANDS[expected] : 'the command'} printed nothing, as it does where it fails or knows no record`,
      );
    return null;
  }
  const parsed = isReservationList(content) ? parseReservationList(content) : parse(input, content, expected, tally);
  if (parsed === null) return null;
  const header = parsed.value;
  const section = SECTIONS.find(([name]) => isObject(member(header, name)));
  const isOurs = ['pbs_version', 'pbs_server'].some((name) => member(header, name) !== undefined);
  const role = section && (isOurs || expected !== undefined) ? section[1] : isOurs ? expected : undefined;
  if (role === undefined) {
    tellForeign(input, expected, tally);
    return null;
  }
  if (expected !== undefined && input.role !== undefined && role !== expected) {
    tally.note(input.name, `given as ${expected}, holds ${role}`);
  }
  const ownTime = epoch(member(header, 'timestamp'));
  const time = ownTime ?? (input.mtime === undefined ? undefined : Date.parse(input.mtime));
  for (const { pointer, place, message } of parsed.rejected.samples)
    tally.reject(input.name, `${pointer} ${place}`, `beyond repair: ${message}`);
  tally.rejectMore(parsed.rejected.count - parsed.rejected.samples.length);
  if (parsed.end !== 'whole') {
    const why =
      parsed.end === 'cut' ? 'ends in the middle: the capture was cut short' : 'too many records are beyond repair; the rest was not read';
    tally.lacks(input.name, why);
  }
  if (parsed.trailing !== undefined) tally.lacks(input.name, 'more text behind the document, which was not read', parsed.trailing);
  if (damaged > 0) parsed.repairs.push({ kind: 'not_utf8', count: damaged, place: '' });
  for (const { kind, count, place } of parsed.repairs) {
    tally.note(input.name, `repaired ${count} × ${kind.replaceAll('_', ' ')}`, place === '' ? undefined : `first at ${place}`);
  }
  return {
    role,
    input: input.name,
    pushed: input.pushed === true,
    time: time !== undefined && Number.isFinite(time) ? time : undefined,
    isTimeItsOwn: ownTime !== undefined,
    server: text(member(header, 'pbs_server')),
    version: text(member(header, 'pbs_version')),
    records: section ? membersOf(member(header, section[0])) : [],
    complete: parsed.end === 'whole' && parsed.trailing === undefined,
    lost: parsed.rejected.names,
    nameless: parsed.rejected.count - parsed.rejected.names.size,
    repairs: parsed.repairs,
  };
}

function isObject(value: Json | undefined): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function expectedRole(input: Input): Role | undefined {
  const given = ROLES.find((role) => role === input.role);
  return given ?? NAMES.find(([pattern]) => pattern.test(input.name.slice(-200)))?.[1];
}

/** Text of the bytes; those that are no UTF-8 become U+FFFD and are counted. */
function decode(bytes: Uint8Array): { content: string; damaged: number } {
  try {
    return { content: new TextDecoder('utf-8', { fatal: true }).decode(bytes), damaged: 0 };
  } catch {
    const content = new TextDecoder('utf-8').decode(bytes);
    return { content, damaged: content.split('\ufffd').length - 1 };
  }
}

function parse(input: Input, content: string, expected: Role | undefined, tally: Tally): TolerantJson | null {
  try {
    return parseTolerantJson(content);
  } catch (error) {
    if (!(error instanceof NoJson)) throw error;
    if (expected === undefined && !input.pushed) tellForeign(input, expected, tally);
    else tally.lacks(input.name, error.message, error.place);
    return null;
  }
}

function tellForeign(input: Input, expected: Role | undefined, tally: Tally): void {
  const message = 'holds no nodes, jobs, server, queues or reservations of PBS';
  if (expected === undefined && !input.pushed) tally.note(input.name, message);
  else tally.lacks(input.name, `${message}; expected what \`${COMMANDS[expected ?? 'nodes']}\` prints`);
}

/**
 * The documents that speak of now, by role: of several of one role and server the newest; none that lags behind the newest
 * of all by more than `maxLag` ms, since its subjects would be shown as they were then.
 */
export function currentDocuments(documents: readonly Document[], maxLag: number, tally: Tally): Map<Role, Document[]> {
  const ordered = documents.toSorted(
    (a, b) => (b.time ?? Infinity) - (a.time ?? Infinity) || (a.input < b.input ? -1 : a.input > b.input ? 1 : 0),
  );
  const newest = Math.max(...documents.map((d) => (d.isTimeItsOwn ? (d.time ?? 0) : 0)));
  const current = new Map<Role, Document[]>();
  for (const document of ordered) {
    const same = current.get(document.role) ?? [];
    if (same.some((d) => d.server === document.server)) {
      tally.note(document.input, `another document of ${document.role} is newer; this one was not used`);
    } else if (document.isTimeItsOwn && document.time !== undefined && newest - document.time > maxLag) {
      tally.lacks(
        document.input,
        `is ${formatDuration(newest - document.time)} older than the newest document: not used, as what it tells may be over (is its dump still running?)`,
      );
    } else current.set(document.role, [...same, document]);
  }
  const servers = new Set([...current.values()].flat().flatMap((d) => (d.server === undefined ? [] : [d.server])));
  if (servers.size > 1)
    tally.note(
      undefined,
      `documents of several servers: ${[...servers]
        .sort()
        .slice(0, 4)
        .map((s) => oneLine(s, 60))
        .join(', ')}`,
    );
  return current;
}
