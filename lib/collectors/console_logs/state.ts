import * as z from 'zod';
import { SEVERITIES } from '../../model/condition.ts';

/*
 * What one run hands to the next about one log. Names are short: a machine has 12,000 of these.
 */

/** An open incident: one event or several of one kind (and part) that belong together. */
export const Incident = z.object({
  /** Kind and, where the kind has one, part. */
  k: z.string(),
  p: z.string().optional(),
  /** Events counted. */
  n: z.number(),
  /** Log time of the first and the last event, ms. */
  f: z.number(),
  l: z.number(),
  /** By when at the latest the last event was: the server's next mark. */
  lu: z.number().optional(),
  /** The worst severity that a rule gave it. */
  s: z.enum(SEVERITIES),
  /** Distinct items (tasks, CPUs, victims, bits), at most {@link MAX_ITEMS}, and how many sights of others there were. */
  x: z.array(z.string()).optional(),
  xm: z.number().optional(),
  /** The maximum that its rules kept: seconds stuck. */
  m: z.number().optional(),
  /** What was said: a panic's reason, an oops' headline. */
  t: z.string().optional(),
  /** The function in which it happened. */
  fn: z.string().optional(),
  /** Redacted lines: the first, and the last where it differs. */
  q: z.array(z.string()),
  /** Lines about it are known to be missing. */
  inc: z.literal(1).optional(),
  /** A boot began after it (its time); a boot that completes ends it. */
  rec: z.number().optional(),
  /** The kind of incident that it led to, and with which it is told. */
  led: z.string().optional(),
  /** What led here: kinds of the same chain, the first cause first. */
  ch: z.array(z.string()).optional(),
  /** Start of the present window of a rate, and the events in it. */
  w: z.tuple([z.number(), z.number()]).optional(),
  /** Time has ended it (and that was said); an event that the log dates before that end revives it. */
  e: z.literal(1).optional(),
});
export type Incident = z.infer<typeof Incident>;

export const MAX_ITEMS = 8;

const Stat = z.object({ d: z.string().optional(), i: z.string().optional(), s: z.number(), m: z.string().optional() });
export type Stat = z.infer<typeof Stat>;

export const LogState = z.object({
  /** The log's file as it was last seen: device, inode, size, modification. */
  cur: Stat,
  /** The file in which the reading stopped, where that is not the current one. */
  in: z.object({ d: z.string().optional(), i: z.string().optional(), name: z.string() }).optional(),
  /**
   * Offset of the first byte that is not digested, how many bytes of an unfinished line were seen behind it, and hashes
   * of the last {@link CONTEXT} and {@link SUFFIX} bytes that were seen.
   */
  o: z.number(),
  ol: z.number().optional(),
  h: z.string(),
  hs: z.string().optional(),
  /** How many bytes `h` is of, where fewer were known. */
  hl: z.number().optional(),
  /** Since when the log's file is gone, ms. */
  gone: z.number().optional(),
  /** Log time in ms; `abs` once it is a wall clock, else it counts from the first kernel clock. */
  t: z.number(),
  abs: z.literal(1).optional(),
  /** The last wall clock reading was the line's own stamp. */
  st: z.literal(1).optional(),
  /** Log time at which the present kernel's clock stood at zero, and its last reading in seconds. */
  b: z.number().optional(),
  u: z.number().optional(),
  /** Bytes digested since first sight; where the last line of the console server ended in that count. */
  pos: z.number(),
  tag: z.number().optional(),
  /** Time of the server's last mark, and the shortest interval between two. */
  mk: z.number().optional(),
  iv: z.number().optional(),
  /** Log time of the last output of the node itself. */
  out: z.number().optional(),
  /** `up`: a boot completed; `boot`: one began; `off`: it said goodbye; `crash`: the crash kernel runs. */
  ph: z.enum(['up', 'boot', 'off', 'crash']).optional(),
  /** Begin of the present boot, boots seen, its place in the stream, and whether it may yet be the crash kernel's. */
  bt: z.number().optional(),
  bn: z.number().optional(),
  bp: z.number().optional(),
  bu: z.literal(1).optional(),
  /** The kernel's clock when the node said goodbye. */
  ou: z.number().optional(),
  /** The GPU that the driver named last, and when: what it says next may not name it. */
  gn: z.object({ p: z.string(), t: z.number() }).optional(),
  /** This console does not show when a boot completes. */
  nc: z.literal(1).optional(),
  /** Its kernel. */
  kv: z.string().optional(),
  /** Log time of an operator's command whose output is being shown, and its lines so far. */
  ec: z.tuple([z.number(), z.number()]).optional(),
  /** A panic among what a command shows: real, if nothing but the console server speaks after it. */
  pp: z.object({ t: z.number(), x: z.string() }).optional(),
  /** A text that the server's own line broke off, and its time; `done` where it was looked at by itself. */
  br: z.object({ t: z.number(), x: z.string(), done: z.literal(1).optional() }).optional(),
  /** The unfinished last line, where a rule speaks to it. */
  part: z.array(z.string()).optional(),
  /** Administrative link changes under way: device → log time. */
  adm: z.record(z.string(), z.number()).optional(),
  /** Times of the last losses of each link, for flaps. */
  fl: z.array(z.object({ p: z.string(), r: z.array(z.number()) })).optional(),
  /** A kill for lack of memory that has begun: its time, line and scope. */
  om: z.object({ t: z.number(), q: z.string(), s: z.string().optional() }).optional(),
  /** Messages that the kernel said it dropped. */
  drop: z.number().optional(),
  /** Log time of the last drop. */
  dt: z.number().optional(),
  gaps: z.number().optional(),
  /** Kinds of conditions that the state itself was at the last run. */
  rep: z.array(z.string()).optional(),
  open: z.array(Incident),
});
export type LogState = z.infer<typeof LogState>;

/** How many bytes before the end are hashed, and before the offset read again for what a line of the server cut in two. */
export const CONTEXT = 1024;
/** How many bytes before the end are looked for in the head of a new file whose predecessor is not there. */
export const SUFFIX = 64;

export const Carry = z.object({
  /** Per log (its place and base name) its state. */
  logs: z.record(z.string(), LogState),
});
export type Carry = z.infer<typeof Carry>;

/** The state of a log that was never seen. */
export function firstState(): LogState {
  return { cur: { s: 0 }, o: 0, h: '', t: 0, pos: 0, open: [] };
}
