import * as z from 'zod';
import { Place } from './condition.ts';
import { Json } from './json.ts';

/** What is known of a node's power. `booted` = on, and its operating system answers; `unknown` = asked, without an answer. */
export const POWER_STATES = ['booted', 'on', 'off', 'changing', 'unknown'] as const;
export const PowerState = z.enum(POWER_STATES);
export type PowerState = z.infer<typeof PowerState>;

const name = z.string().min(1);

/**
 * The facts that several sources give of one node (subject type `node` or `service_node`), under the same names, so that
 * they can be joined and shown side by side. Every field is optional: a source leaves out what it does not say, and
 * never writes a placeholder (`NA`, `None`, all zeros). A source may add fields of its own beside these.
 *
 * | field | form |
 * |---|---|
 * | `aliases` | the node's other names (xname, nid, host name), as `subjectId` gives them; sorted; not its own name |
 * | `xname`, `nid` | the geographic name, lower case; the number in `nid000012` (or the scheduler's) |
 * | `serial`, `uuid` | of the server itself (not a virtual one), as its source writes it, trimmed; join with {@link comparableSerial} |
 * | `bmc`, `bmcMac` | IP and MAC address of its management processor |
 * | `macs` | MAC addresses of its own NICs, lower case with colons, sorted, at most 32 |
 * | `class` | what the inventory holds it to be: `node`, `service_node`, `leader`, `admin`, `dpu` |
 * | `role` | the site's or the source's word: `compute`, `login`, `gpu` |
 * | `model` | the server's model |
 * | `image`, `kernel` | assigned |
 * | `bootedImage`, `bootedKernel` | running, as its kernel's command line or the scheduler tells |
 * | `imagePending` | an assigned image waits for the next boot |
 * | `rootFs` | `disk`, `tmpfs`, `nfs` |
 * | `power` | see {@link POWER_STATES} |
 * | `health` | the managing system's word for the hardware: `OK`, `Warning`, `Critical` |
 * | `schedulerState` | the scheduler's states, sorted, joined by commas: `down,offline` |
 * | `schedulerReason`, `schedulerSince` | the comment, one line; time of the last change of state (ISO) |
 * | `jobs` | how many jobs it runs |
 * | `queues` | queues or reservations that it belongs to |
 * | `cpus`, `memoryMb`, `dimms`, `gpus` | counts; logical CPUs, MiB, populated DIMMs, accelerators |
 * | `parts` | serial number by component (`dimm.DIMM 3`, `gpu.GPU 0`, `cpu.Proc 1`), at most 64 |
 * | `firmware` | version by component (`bios`, `bmc`, `nic`, …), at most 32 |
 * | `place` | as `placeOfXname` or the site's topology gives it: whole names by container |
 */
export const NodeFacts = z
  .object({
    aliases: z.array(name).exactOptional(),
    xname: name.exactOptional(),
    nid: z.number().int().nonnegative().exactOptional(),
    serial: name.exactOptional(),
    uuid: name.exactOptional(),
    bmc: name.exactOptional(),
    bmcMac: name.exactOptional(),
    macs: z.array(name).exactOptional(),
    class: name.exactOptional(),
    role: name.exactOptional(),
    model: name.exactOptional(),
    image: name.exactOptional(),
    kernel: name.exactOptional(),
    bootedImage: name.exactOptional(),
    bootedKernel: name.exactOptional(),
    imagePending: z.boolean().exactOptional(),
    rootFs: name.exactOptional(),
    power: PowerState.exactOptional(),
    health: name.exactOptional(),
    schedulerState: name.exactOptional(),
    schedulerReason: z.string().exactOptional(),
    schedulerSince: z.string().exactOptional(),
    jobs: z.number().int().nonnegative().exactOptional(),
    queues: z.array(name).exactOptional(),
    cpus: z.number().int().nonnegative().exactOptional(),
    memoryMb: z.number().nonnegative().exactOptional(),
    dimms: z.number().int().nonnegative().exactOptional(),
    gpus: z.number().int().nonnegative().exactOptional(),
    parts: z.record(z.string(), z.string()).exactOptional(),
    firmware: z.record(z.string(), z.string()).exactOptional(),
    place: Place.exactOptional(),
  })
  .catchall(Json);
export type NodeFacts = z.infer<typeof NodeFacts>;

// What sources write where they have no serial number, model or version; or nothing but zeros, dots, dashes, colons, `x`.
const PLACEHOLDER =
  /^(?:n\/?a|none|null|nil|\[?unknown\]?|unspecified|undefined|default(?: string)?|not (?:specified|available|provided|present)|field not present|to be filled by o\.e\.m\.|[0.\-_x\s:]*)$/i;

/** What {@link PLACEHOLDER} can begin with; the empty text is in it too. */
const PLACEHOLDER_BEGINS = 'nNuUdDfFtTxX0.-_:[';

/** The text of a hardware field, trimmed; null where it only says that there is none, or is no text at all. */
export function hardwareText(raw: unknown): string | null {
  if (typeof raw !== 'string') return null;
  const text = raw.trim();
  return PLACEHOLDER_BEGINS.includes(text.charAt(0)) && PLACEHOLDER.test(text) ? null : text;
}

/**
 * The form in which serial numbers are compared across sources: upper case without spaces and leading zeros, since
 * tools drop those; null for a placeholder and for what is too short to tell two parts from each other (under three
 * characters).
 */
export function comparableSerial(raw: unknown): string | null {
  const text = hardwareText(raw);
  return text === null ? null : comparableText(text);
}

/** {@link comparableSerial} of what {@link hardwareText} has passed already. */
export function comparableText(text: string): string | null {
  if (text.length < 3) return null;
  const serial = (/\s/.test(text) ? text.replaceAll(/\s+/g, '') : text).toUpperCase();
  return serial.startsWith('0') ? serial.replace(/^0+/, '') || null : serial;
}

const PLAIN_MAC = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/;
const NO_MAC = '00:00:00:00:00:00';
const BROADCAST = 'ff:ff:ff:ff:ff:ff';

/** A MAC address in lower case with colons; null for what is none, for all zeros and for broadcast. */
export function macAddress(raw: unknown): string | null {
  if (typeof raw !== 'string' || raw.length > 32) return null;
  // As nearly all of them are written.
  if (PLAIN_MAC.test(raw)) return raw === NO_MAC || raw === BROADCAST ? null : raw;
  const hex = raw.trim().toLowerCase().replaceAll(/[:.-]/g, '');
  if (!/^[0-9a-f]{12}$/.test(hex) || /^(0{12}|f{12})$/.test(hex)) return null;
  return (hex.match(/../g) ?? []).join(':');
}
