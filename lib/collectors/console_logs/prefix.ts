import { fromLocal } from '../../model/local-time.ts';

/** One message of a console line, with what its prefixes told. */
export interface Message {
  /** What is said, without prefixes. */
  text: string;
  /** `kernel`: behind a kernel clock or log level; `bare`: no sign of who speaks; `forwarded`: another log's line, shown here. */
  origin: 'kernel' | 'bare' | 'forwarded';
  /** Wall time of the line, ms since the epoch, where the console server or the kernel stamped it. */
  stamp?: number;
  /** Seconds since the node's kernel started. */
  uptime?: number;
  /** Messages that the kernel says it dropped right before this one. */
  dropped?: number;
  /** The shell command that the line echoes, where it is an operator's line. */
  command?: string;
  /** The line begins with a shell or login prompt (an empty one where `text` is empty). */
  prompt?: 'shell' | 'login';
}

export const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `ctime()`: `Mon Jan 25 14:46:56 1999`. */
const CTIME = /(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) ([ \d]\d) (\d\d):(\d\d):(\d\d) (\d{4})/;
/** conserver's stamp of every n-th line, and `dmesg -T`. */
const CTIME_STAMP = new RegExp(`^\\[${CTIME.source}\\] ?`);
/** conman's `timestamp` option. */
const CONMAN_STAMP = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d) /;
/** goconserver's stamp. */
const RFC3339_STAMP = /^\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d))\] ?/;
/** A line of syslog or journal, of this host or another, as a file, a broadcast or a forwarder shows it. */
const SYSLOG =
  /^(?:<\d{1,3}>\d? ?)?(?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,9})?|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)) [\w.:-]{1,128} [\w./@()-]{1,64}(?:\[\d{1,10}\])?: /;
const BROADCAST = /^(?:Message from syslogd@| ?kernel:)/;
/** A record of /dev/kmsg: `6,3964,206764307,-;text`. */
const KMSG = /^\d{1,5},\d{1,20},(\d{1,20}),[^;]{1,64};/;
/** `dmesg -x`: facility and level. */
const DMESG_LEVEL =
  /^(?:kern|user|mail|daemon|auth|syslog|lpr|news|uucp|cron|authpriv|ftp|local\d) *:(?:emerg|alert|crit|err|warn|notice|info|debug) *: /;
const DMESG_ISO = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d),(\d{1,9})([+-]\d\d:\d\d) /;
const LEVEL = /^<\d{1,3}>/;
const DROPPED = /^\*\* (?:(\d{1,10}) printk messages dropped|replaying previous printk message) \*\* ?/;
/** The kernel's clock with its optional caller: `[   12.345678][    T1] `. */
const UPTIME = /\[ {0,7}(\d{1,10}\.\d{6})\](?:\[ {0,7}[TC]?\d{1,10}\])? ?/g;

const PLAIN_KERNEL = /^\[ {0,7}(\d{1,10}\.\d{6})\](?:\[ {0,7}[TC]?\d{1,10}\])? ?/;
const LATER_CLOCK = /\[\d{1,10}\.\d{6}\]|^<\d/;

/** `host login: ` and what stands behind it. */
const LOGIN = /^(?!Last )[\w.-]{1,64} login: ?/;
/** Shell prompts as distributions set them, those of dracut, busybox and switch_root among them. */
const SHELL =
  /^(?:\[?[\w.-]{1,32}@[\w.-]{1,64}[ :][^#$\]]{0,120}\]?[#$] |(?:bash|sh)-\d\.\d{1,2}[#$] |[\w.-]{1,64}:[~/][^#$ ]{0,120} ?[#$>] |(?:dracut|switch_root|initqueue|rdshell|sh|shell):[^#$ ]{0,60}[#$] ?|\(initramfs\) |[\w.-]{1,64}[#$] |[#$] (?=[\w./]))/;

/** Prompts of an initial RAM disk. */
const RESCUE = /^(?:(?:dracut|switch_root|initqueue|rdshell):[^#$ ]{0,60}[#$]|\(initramfs\))/;

/** Commands that show text which somebody else said, or the same speaker at another time. */
const SHOWS =
  /(?:^|[|;&(] ?)(?:sudo )?(?:\/\S{1,40}\/)?(?:cat|dmesg|[ez]?grep|rg|less|more|tail|head|zcat|xzcat|bzcat|zless|journalctl|sed|awk|vim?|nano|strings|echo|printf|logger|crash|ausearch)\b/;

/** Whether what follows an operator's command is a text that it shows. */
export function showsText(command: string): boolean {
  return SHOWS.test(command);
}

/** `[-- TEXT -- Mon Jan 25 14:46:56 1999]`: a line of conserver itself, which may stand in the middle of a node's line. */
export const CONSERVER_TAG = new RegExp(`\\[-- ([^\\]]{1,120}?) -- ${CTIME.source}\\]`);
/** `<ConMan> Console [NAME] TEXT`: a line of conman itself. */
export const CONMAN_TAG = /^<ConMan> (.{1,400})$/;
const CONMAN_LOG = /(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?: ([A-Z]{3,5}|[+-]\d{4}))?/;

/** The time in a match of {@link CTIME} whose month is group `at`. */
export function ctimeOf(match: RegExpExecArray, at: number, timezone: string): number {
  const [month, day, hours, minutes, seconds, year] = match.slice(at, at + 6) as [string, string, string, string, string, string];
  return wallTimeOf(Number(year), MONTHS.indexOf(month), Number(day), Number(hours), Number(minutes), Number(seconds), timezone);
}

/** What a clock of the zone shows → ms since the epoch. @param month from 0 */
export function wallTimeOf(
  year: number,
  month: number,
  day: number,
  hours: number,
  minutes: number,
  seconds: number,
  timezone: string,
): number {
  return fromLocal(Date.UTC(year, month, day, hours, minutes, seconds), timezone);
}

/**
 * The time that a line of conman names; undefined where it names none. Zone abbreviations are ambiguous: the site's zone
 * counts.
 * @param before what the log's clock said last, if it is a wall clock: it tells the year where only a day is named
 */
export function conmanTime(text: string, timezone: string, before?: number): number | undefined {
  const m = CONMAN_LOG.exec(text);
  if (!m) return before === undefined ? undefined : conmanDay(text, timezone, before);
  const reading = Date.UTC(Number(m[1]), Number(m[2]) - 1, Number(m[3]), Number(m[4]), Number(m[5]), Number(m[6]));
  if (m[7] === 'UTC' || m[7] === 'GMT') return reading;
  const numeric = m[7] === undefined ? null : /^([+-])(\d\d)(\d\d)$/.exec(m[7]);
  if (numeric) return reading - (numeric[1] === '-' ? -1 : 1) * (Number(numeric[2]) * 60 + Number(numeric[3])) * 60_000;
  return fromLocal(reading, timezone);
}

/** conman's short form names neither year nor seconds: the one nearest to what the log said before is meant. */
function conmanDay(text: string, timezone: string, before: number): number | undefined {
  const m = /at (\d\d)-(\d\d) (\d\d):(\d\d)\.?$/.exec(text);
  if (!m) return undefined;
  const year = new Date(before).getUTCFullYear();
  const candidates = [year - 1, year, year + 1].map((y) =>
    fromLocal(Date.UTC(y, Number(m[1]) - 1, Number(m[2]), Number(m[3]), Number(m[4])), timezone),
  );
  const nearest = candidates.sort((a, b) => Math.abs(a - before) - Math.abs(b - before))[0] as number;
  return nearest < before && before - nearest < 60_000 ? before : nearest;
}

/** Takes a clean line apart into its messages: several where two kernel lines ran into each other. */
export function messagesOf(line: string, timezone: string): Message[] {
  const plain = PLAIN_KERNEL.exec(line);
  // Nearly every line that a rule may speak to is this: a kernel's clock, a text, and no second clock in it.
  if (plain && line.indexOf('[ ', plain[0].length) < 0 && !LATER_CLOCK.test(line.slice(plain[0].length))) {
    return [{ text: line.slice(plain[0].length).trimStart(), origin: 'kernel', uptime: Number(plain[1]) }];
  }
  let text = line;
  let stamp: number | undefined;
  if (text.startsWith('{"')) ({ text, stamp } = fromJsonLine(text));
  const first = text.charCodeAt(0);
  if (first === 0x5b) {
    let m = CTIME_STAMP.exec(text);
    if (m) {
      stamp = ctimeOf(m, 1, timezone);
      text = text.slice(m[0].length);
    } else if ((m = RFC3339_STAMP.exec(text))) {
      stamp = Date.parse(m[1] as string);
      text = text.slice(m[0].length);
    }
  } else if (first >= 0x30 && first <= 0x39) {
    const m = CONMAN_STAMP.exec(text);
    if (m) {
      stamp = fromLocal(Date.UTC(Number(m[1]), Number(m[2]) - 1, Number(m[3]), Number(m[4]), Number(m[5]), Number(m[6])), timezone);
      text = text.slice(m[0].length);
    }
  }
  const base = stamp !== undefined && Number.isFinite(stamp) ? { stamp } : {};
  if (SYSLOG.test(text) || BROADCAST.test(text)) return [{ text, origin: 'forwarded', ...base }];
  return behindPrompts(text, base);
}

function fromJsonLine(line: string): { text: string; stamp: number | undefined } {
  try {
    const record = JSON.parse(line) as Record<string, unknown>;
    const message = record['message'];
    if (typeof message !== 'string') return { text: line, stamp: undefined };
    const date = record['date'] ?? record['timestamp'];
    const stamp = typeof date === 'string' ? Date.parse(date) : Number.NaN;
    return { text: message.replaceAll(/[\r\n]+/g, ' '), stamp: Number.isFinite(stamp) ? stamp : undefined };
  } catch {
    return { text: line, stamp: undefined };
  }
}

function behindPrompts(text: string, base: Partial<Message>): Message[] {
  const login = LOGIN.exec(text);
  if (login) return [{ text: '', origin: 'bare', prompt: 'login', ...base }, ...byClock(text.slice(login[0].length), base)];
  const shell = SHELL.exec(text);
  if (!shell) return byClock(text, base);
  const rest = text.slice(shell[0].length);
  // Where this one stands, the boot has failed: rules look at it.
  const said = RESCUE.exec(shell[0])?.[0] ?? '';
  const prompt: Message = { text: said, origin: 'bare', prompt: 'shell', ...base };
  // A kernel that speaks while the prompt waits continues its line; anything else behind a prompt was typed.
  if (rest === '' || /^ {0,2}(?:<\d{1,3}>)?\[ {0,7}\d{1,10}\.\d{6}\]/.test(rest)) return [prompt, ...byClock(rest, base)];
  return [...(said === '' ? [] : [prompt]), { ...prompt, text: '', command: rest }];
}

/** What cannot stand right before a kernel's clock where the kernel itself speaks: a quotation, or a program that logs it. */
const QUOTES = /["'`(=]$|(?:^|[\s\])])[\w./-]{1,64}(?:\[\d{1,10}\])?: ?$|kernel: ?$/;

function byClock(rest: string, base: Partial<Message>): Message[] {
  if (rest === '') return [];
  let text = rest;
  let leveled = false;
  let dropped: number | undefined;
  let uptime: number | undefined;
  let stamp = base.stamp;
  let m: RegExpExecArray | null;
  if ((m = DROPPED.exec(text))) {
    dropped = Number(m[1] ?? 0);
    text = text.slice(m[0].length);
    leveled = true;
  }
  if ((m = LEVEL.exec(text)) || (m = DMESG_LEVEL.exec(text))) {
    text = text.slice(m[0].length);
    leveled = true;
    if ((m = DMESG_ISO.exec(text))) {
      const iso = Date.parse(`${m[1]}.${(m[2] as string).slice(0, 3)}${m[3]}`);
      if (Number.isFinite(iso)) stamp = iso;
      text = text.slice(m[0].length);
    }
  } else if ((m = KMSG.exec(text))) {
    uptime = Number(m[1]) / 1e6;
    text = text.slice(m[0].length);
    leveled = true;
  }
  const own: Partial<Message> = { ...(stamp !== undefined && { stamp }), ...(dropped !== undefined && { dropped }) };
  UPTIME.lastIndex = 0;
  const clocks = text.includes('.') ? [...text.matchAll(UPTIME)] : [];
  if (clocks.length === 0) {
    return [{ text, origin: leveled ? 'kernel' : 'bare', ...own, ...(uptime !== undefined && { uptime }) }];
  }
  const messages: Message[] = [];
  const before = text.slice(0, (clocks[0] as RegExpExecArray).index);
  if (QUOTES.test(before)) return [{ text, origin: 'forwarded', ...own }];
  if (before.trim() !== '') messages.push({ text: before, origin: 'bare', ...own });
  for (const [i, clock] of clocks.entries()) {
    const start = clock.index + clock[0].length;
    const said = text.slice(start, clocks[i + 1]?.index ?? text.length);
    const seconds = Number(clock[1]);
    messages.push({ text: said.replace(LEVEL, '').trimStart(), origin: 'kernel', uptime: seconds, ...own });
  }
  return messages;
}

/** Whether what waits at the end of a log is a prompt and no half line. */
export function isPrompt(text: string): boolean {
  const login = LOGIN.exec(text);
  if (login) return login[0].length === text.length || /^[\w.-]{0,32}$/.test(text.slice(login[0].length));
  const shell = SHELL.exec(text.endsWith(' ') ? text : `${text} `);
  return shell !== null && shell[0].length >= text.length;
}
