import type { Subject } from '../../model/condition.ts';
import type { NodeFacts } from '../../model/facts.ts';
import type { JsonObject } from '../../model/json.ts';
import { compareNames } from '../../model/text.ts';
import type { Entry } from './fleet.ts';
import { countOf, type Hardware, wasRead } from './hardware.ts';

/** The names of an entry beside its own, in order. */
export function otherNames({ id, aliases, xname }: Entry): string[] {
  const names = aliases.filter((name) => name !== id);
  if (xname !== undefined && xname !== id && !names.includes(xname)) names.push(xname);
  return names.sort(compareNames);
}

/** What is known of one entry, in the shared vocabulary of node facts; of an entry that is no host, what applies. */
export function factsOf(entry: Entry): { subject: Subject; facts: JsonObject } {
  const { booted, hardware } = entry;
  const aliases = otherNames(entry);
  const macs = hardware === undefined || hardware.macs.length === 0 ? entry.macs : [...new Set([...entry.macs, ...hardware.macs])].sort();
  const facts: NodeFacts = { class: entry.class };
  // Set one by one: spread as options, twelve thousand entries would take a noticeable time.
  if (aliases.length > 0) facts.aliases = aliases;
  if (entry.xname !== undefined) facts.xname = entry.xname;
  const nid = nidOf(entry.id, aliases);
  if (nid !== undefined) facts.nid = nid;
  if (entry.role !== undefined) facts.role = entry.role;
  if (entry.bmc !== undefined) facts.bmc = entry.bmc;
  if (entry.bmcMac !== undefined) facts.bmcMac = entry.bmcMac;
  if (macs.length > 0) facts.macs = macs.slice(0, 32);
  if (typeof entry.image === 'string') facts.image = entry.image;
  if (entry.kernel !== undefined) facts.kernel = entry.kernel;
  if (booted?.image !== undefined) facts.bootedImage = booted.image;
  if (booted?.kernel !== undefined) facts.bootedKernel = booted.kernel;
  if (entry.imagePending === true) facts.imagePending = true;
  if (entry.isHost && entry.rootFs !== undefined) facts.rootFs = entry.rootFs;
  if (entry.power !== undefined) facts.power = entry.power.state;
  if (wasRead(hardware)) addHardware(facts, hardware);
  if (entry.place !== undefined) facts.place = entry.place;
  return { subject: { type: entry.subject, id: entry.id }, facts };
}

function addHardware(facts: NodeFacts, hardware: Hardware): void {
  const { serial, model, parts, firmware } = hardware;
  const dimms = countOf(hardware, 'dimm');
  const gpus = countOf(hardware, 'gpu');
  if (serial !== undefined) facts.serial = serial;
  if (model !== undefined) facts.model = model;
  if (dimms > 0) facts.dimms = dimms;
  if (gpus > 0) facts.gpus = gpus;
  if (Object.keys(parts).length > 0) facts.parts = parts;
  if (firmware.size > 0) facts.firmware = Object.fromEntries(firmware);
}

/** The number in `nid000012`, where the names agree on one. */
function nidOf(id: string, aliases: readonly string[]): number | undefined {
  const nids = new Set<number>();
  for (const name of [id, ...aliases]) {
    const digits = name.startsWith('nid') ? /^nid(\d{1,9})$/.exec(name)?.[1] : undefined;
    if (digits !== undefined) nids.add(Number(digits));
  }
  const [nid] = nids;
  return nids.size === 1 ? nid : undefined;
}
