import type { Subject } from '../../model/condition.ts';
import type { NodeFacts } from '../../model/facts.ts';
import type { JsonObject } from '../../model/json.ts';
import { compareNames } from '../../model/text.ts';
import { placeInOrder } from '../../model/xname.ts';
import type { Entry } from './fleet.ts';
import { hasAny, wasRead } from './hardware.ts';

/** The names of an entry beside its own, in order. */
export function otherNames({ id, aliases, xname }: Entry): string[] {
  const names = aliases.includes(id) ? aliases.filter((name) => name !== id) : [...aliases];
  if (xname !== undefined && xname !== id && !names.includes(xname)) names.push(xname);
  return names.length > 1 ? names.sort(compareNames) : names;
}

/** What is known of one entry, in the shared vocabulary of node facts; of an entry that is no host, what applies. */
export function factsOf(entry: Entry): { subject: Subject; facts: JsonObject } {
  const { booted, hardware } = entry;
  const aliases = otherNames(entry);
  const macs = hardware === undefined || hardware.macs.length === 0 ? entry.macs : [...new Set([...entry.macs, ...hardware.macs])].sort();
  const nid = nidOf(entry.id, aliases);
  const known = wasRead(hardware) ? hardware : undefined;
  const dimms = known?.counts.dimm ?? 0;
  const gpus = known?.counts.gpu ?? 0;
  const facts = {} as NodeFacts;
  // Set one by one, and in the order in which they are stored: of twelve thousand entries all else takes a noticeable time.
  if (aliases.length > 0) facts.aliases = aliases;
  if (entry.bmc !== undefined) facts.bmc = entry.bmc;
  if (entry.bmcMac !== undefined) facts.bmcMac = entry.bmcMac;
  if (booted?.image !== undefined) facts.bootedImage = booted.image;
  if (booted?.kernel !== undefined) facts.bootedKernel = booted.kernel;
  facts.class = entry.class;
  if (dimms > 0) facts.dimms = dimms;
  if (known !== undefined && hasAny(known.firmware)) facts.firmware = known.firmware;
  if (gpus > 0) facts.gpus = gpus;
  if (typeof entry.image === 'string') facts.image = entry.image;
  if (entry.imagePending === true) facts.imagePending = true;
  if (entry.kernel !== undefined) facts.kernel = entry.kernel;
  if (macs.length > 0) facts.macs = macs.length > 32 ? macs.slice(0, 32) : macs;
  if (known?.model !== undefined) facts.model = known.model;
  if (nid !== undefined) facts.nid = nid;
  if (known !== undefined && hasAny(known.parts)) facts.parts = known.parts;
  if (entry.place !== undefined) facts.place = placeInOrder(entry.place);
  if (entry.power !== undefined) facts.power = entry.power.state;
  if (entry.role !== undefined) facts.role = entry.role;
  if (entry.isHost && entry.rootFs !== undefined) facts.rootFs = entry.rootFs;
  if (known?.serial !== undefined) facts.serial = known.serial;
  if (entry.xname !== undefined) facts.xname = entry.xname;
  return { subject: { type: entry.subject, id: entry.id }, facts };
}

/** The number in `nid000012`, where the names agree on one. */
function nidOf(id: string, aliases: readonly string[]): number | undefined {
  let nid = nidIn(id);
  for (const alias of aliases) {
    const other = nidIn(alias);
    if (other === undefined) continue;
    if (nid !== undefined && nid !== other) return undefined;
    nid = other;
  }
  return nid;
}

function nidIn(name: string): number | undefined {
  const digits = name.startsWith('nid') ? /^nid(\d{1,9})$/.exec(name)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}
