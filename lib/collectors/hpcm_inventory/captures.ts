import { subjectId } from '../../model/identity.ts';
import type { JsonObject } from '../../model/json.ts';
import type { PowerState } from '../../model/facts.ts';
import type { Tally } from './tally.ts';
import { imageWord, instant, member, record } from './values.ts';

/** What `cm power status` said of one name. */
export interface Power {
  state: PowerState;
  /** The tool failed to ask: that says nothing of the node. */
  failed?: boolean;
}

const STATES: ReadonlyMap<string, PowerState> = new Map<string, PowerState>([
  ['booted', 'booted'],
  ['on', 'on'],
  ['off', 'off'],
  ['poweringon', 'changing'],
  ['poweringoff', 'changing'],
  ['powering on', 'changing'],
  ['powering off', 'changing'],
  ['resetting', 'changing'],
]);

const ANSWERS: Readonly<Record<PowerState, Power>> = {
  booted: { state: 'booted' },
  on: { state: 'on' },
  off: { state: 'off' },
  changing: { state: 'changing' },
  unknown: { state: 'unknown' },
};
const FAILURE: Power = { state: 'unknown', failed: true };

const POWER_LINE = /^([^\s:]{1,253})[ \t]*:[ \t]*(\S.*)$/;

/** Whether a text is the output of `cm power status`. */
export function isPowerStatus(text: string): boolean {
  return /^[^\s:]{1,253}[ \t]*:[ \t]*(?:BOOTED|On|Off|Powering ?O(?:n|ff)|FAILURE\b.*)[ \t]*$/m.test(text.slice(0, 65_536));
}

/**
 * Reads `cm power status` (`NAME : STATE` a line). `On` is chassis power without a sign of the operating system,
 * `BOOTED` has its heartbeat. A `FAILURE` line is the tool's, and no state: power may have changed all the same. Where a
 * name stands twice, a state counts before a failure, the later before the earlier.
 */
export function readPower(text: string, input: string, tally: Tally, domains: readonly string[]): Map<string, Power> {
  const power = new Map<string, Power>();
  text.split('\n').forEach((raw, i) => {
    const line = raw.trimEnd();
    if (line === '') return;
    tally.records++;
    const m = POWER_LINE.exec(line);
    const id = m ? subjectId('node', m[1], domains) : null;
    if (!m || id === null) {
      tally.reject(input, `line ${i + 1}`, 'is no line of power status (NAME : STATE)');
      return;
    }
    const word = (m[2] as string).trim().toLowerCase();
    const state = STATES.get(word);
    if (state === undefined && !word.startsWith('failure') && word.length > 40) {
      tally.reject(input, `line ${i + 1}`, 'has no known state');
      return;
    }
    const failed = word.startsWith('failure');
    if (!failed) power.set(id, ANSWERS[state ?? 'unknown']);
    else if (!power.has(id)) power.set(id, FAILURE);
  });
  return power;
}

/** What a node runs. */
export interface Booted {
  image?: string;
  kernel?: string;
  /** When it booted, ms since the epoch. */
  at?: number;
}

/** Whether a text holds kernel command lines, or `/proc/stat` and `/proc/version` lines captured beside them. */
export function isBootCapture(text: string): boolean {
  return /(?:^|\s)(?:BOOT_IMAGE|IMAGE)=\S/.test(text.slice(0, 65_536));
}

/**
 * Reads what nodes run: one line of `/proc/cmdline` for each, as `pdsh` and `clush` print it (`NAME: …`) or with the
 * node's own `HOSTNAME=`; lines of `/proc/version` and the `btime` line of `/proc/stat` may stand beside them.
 */
export function readBootLines(text: string, input: string, tally: Tally, domains: readonly string[]): Map<string, Booted> {
  const nodes = new Map<string, Booted>();
  const read = commandLineReader();
  text.split('\n').forEach((line, i) => {
    if (line.trim() === '') return;
    tally.records++;
    const prefix = /^([^\s:=]{1,253}):[ \t]+/.exec(line);
    const body = (prefix ? line.slice(prefix[0].length) : line).trimEnd();
    const booted = readBootLine(body, read);
    const host = prefix?.[1] ?? /(?:^|\s)HOSTNAME=(\S+)/.exec(body)?.[1];
    const id = subjectId('node', host, domains);
    if (booted === null || id === null)
      tally.reject(input, `line ${i + 1}`, booted === null ? 'is no kernel command line' : 'does not say which node it is of');
    else addBooted(nodes, id, booted);
  });
  return nodes;
}

/** What several lines or inputs say of one node adds up, the later before the earlier. */
export function addBooted(nodes: Map<string, Booted>, id: string, booted: Booted): void {
  const known = nodes.get(id);
  nodes.set(id, known === undefined ? booted : { ...known, ...booted });
}

function readBootLine(body: string, read: CommandLineReader): Booted | null {
  if (body.startsWith('Linux version ')) {
    const kernel = imageWord(/^Linux version (\S+)/.exec(body)?.[1]);
    return kernel === undefined ? null : { kernel };
  }
  const btime = body.includes('btime ') ? /^\s*btime (\d{9,11})$/.exec(body) : null;
  return btime === null ? read(body) : { at: Number(btime[1]) * 1000 };
}

type CommandLineReader = (line: string) => Booted | null;

/** Reads one kernel command line after the other; null for what is none. */
function commandLineReader(): CommandLineReader {
  // Nearly always the next node runs what the one before does.
  let last: Named = {};
  let booted: Booted = {};
  return (line) => {
    const { path, image } = namedIn(line);
    if (path === undefined && image === undefined && !/(?:^|\s)(?:BOOT_IMAGE|IMAGE|root)=/.test(line)) return null;
    if (path !== last.path || image !== last.image) {
      last = { path, image };
      booted = bootedOf(last);
    }
    return booted;
  };
}

/** What a kernel's command line names: `BOOT_IMAGE=…/IMAGE/KERNEL`, `IMAGE=…`. */
interface Named {
  path?: string | undefined;
  image?: string | undefined;
}

function namedIn(line: string): Named {
  return { path: /(?:^|\s)BOOT_IMAGE=(\S+)/.exec(line)?.[1], image: /(?:^|\s)IMAGE=(\S+)/.exec(line)?.[1] };
}

/**
 * The image and kernel that a kernel's command line names: `IMAGE=`, else the folder of `BOOT_IMAGE=…/IMAGE/KERNEL`. A
 * node that booted from its own disk (`/boot/vmlinuz-…`) tells its kernel alone.
 */
function bootedOf({ path = '', image: named }: Named): Booted {
  const booted: Booted = {};
  const parts = path.split('/');
  const folder = parts.length > 1 ? parts.at(-2) : undefined;
  const isDisk = parts.some((p) => p.includes('(')) || folder === 'boot' || folder === '';
  const image = imageWord(named ?? (isDisk ? undefined : folder));
  const file = /^(?:vmlinuz|vmlinux|bzImage|Image)-(.+)$/.exec(parts.at(-1) ?? '')?.[1];
  const kernel = imageWord(file);
  if (image !== undefined) booted.image = image;
  if (kernel !== undefined) booted.kernel = kernel;
  return booted;
}

/** The same as a JSON object: by node a command line, an image's name, or `{image, kernel, cmdline, boot_time}`. */
export function readBootObject(object: JsonObject, input: string, tally: Tally, domains: readonly string[]): Map<string, Booted> {
  const nodes = new Map<string, Booted>();
  Object.keys(object).forEach((name, i) => {
    tally.records++;
    const id = subjectId('node', name, domains);
    const booted = readBootValue(object[name]);
    if (id === null || booted === null)
      tally.reject(input, `entry ${i + 1}`, id === null ? 'has no usable name' : 'says nothing of what the node runs');
    else nodes.set(id, booted);
  });
  return nodes;
}

function readBootValue(value: JsonObject[string] | undefined): Booted | null {
  if (typeof value === 'string') {
    if (value.includes('=')) return bootedOf(namedIn(value));
    const image = imageWord(value);
    return image === undefined ? null : { image };
  }
  const object = record(value);
  if (object === undefined) return null;
  const line = member(object, 'cmdline');
  const booted = typeof line === 'string' ? bootedOf(namedIn(line)) : {};
  const image = imageWord(member(object, 'image'));
  const kernel = imageWord(member(object, 'kernel'));
  const at = instant(member(object, 'boot_time'));
  if (image !== undefined) booted.image = image;
  if (kernel !== undefined) booted.kernel = kernel;
  if (at !== undefined) booted.at = at;
  return Object.keys(booted).length === 0 ? null : booted;
}
