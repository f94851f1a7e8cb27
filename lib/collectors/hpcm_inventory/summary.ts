import type { ConditionDraft } from '../../model/condition.ts';
import { POWER_STATES } from '../../model/facts.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { oneLine } from '../../model/text.ts';
import { CLASSES } from './classify.ts';
import type { Documents } from './documents.ts';
import type { Entry, Fleet } from './fleet.ts';
import { counted, foldBounded } from './folding.ts';
import { type Family, wasRead } from './hardware.ts';
import { POPULATIONS_SHOWN } from './images.ts';
import { byFrequency, type Holders, type Population } from './populations.ts';
import type { HardwareChanges } from './changes.ts';

const MINORITIES_SHOWN = 2;
const NODES_SHOWN = 110;

interface Summarised {
  documents: Documents;
  fleet: Fleet;
  hosts: readonly Entry[];
  populations: readonly Population[];
  drafts: readonly ConditionDraft[];
  changes: HardwareChanges;
  isWhole: boolean;
}

/** The fleet in at most about 6 kB: sizes, majorities, and minorities as folded sets; no list that grows with it. */
export function summarise(input: Summarised): JsonObject {
  const { fleet, documents, hosts, isWhole } = input;
  const byClass = entriesBy(fleet.entries, (e) => e.class);
  const classes: JsonObject = {};
  for (const entryClass of CLASSES) {
    const count = byClass(entryClass).length;
    if (count > 0) classes[entryClass] = count;
  }
  const types = [...fleet.unknownTypes].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return {
    entries: fleet.entries.length,
    complete: isWhole,
    classes,
    ...(types.length > 0 && { unknown_types: types.slice(0, 5).map(([type, count]) => ({ type: oneLine(type, 40) || '(none)', count })) }),
    ...(documents.deleted > 0 && { deleted: documents.deleted }),
    images: imagesSummary(input),
    ...stateSummaries(hosts, input.drafts),
    hardware: hardwareSummary(hosts, input.changes),
  };
}

/** The entries that have a value of something, found in one pass. */
function entriesBy(entries: readonly Entry[], valueOf: (entry: Entry) => string | undefined): (value: string) => readonly Entry[] {
  const groups = new Map(byFrequency(entries, valueOf).map((group) => [group.value, group.entries]));
  return (value) => groups.get(value) ?? [];
}

function namesOf(entries: readonly Entry[]): string[] {
  return entries.map((e) => e.id);
}

function withKind(drafts: readonly ConditionDraft[], kind: string): string[] {
  return drafts.filter((d) => d.kind === kind).map((d) => d.subject.id);
}

function imagesSummary({ documents, populations, hosts, drafts }: Summarised): JsonObject {
  const drifted = withKind(drafts, 'image_drift');
  return {
    ...(documents.kinds.has('images') && { known: documents.images.size }),
    assigned: new Set(hosts.map((e) => e.image).filter((i) => typeof i === 'string')).size,
    populations: populations.slice(0, POPULATIONS_SHOWN).map(populationSummary),
    ...(populations.length > POPULATIONS_SHOWN && { populations_more: populations.length - POPULATIONS_SHOWN }),
    drifted: counted(drifted, NODES_SHOWN),
    kernel_drifted: counted(withKind(drafts, 'kernel_drift'), NODES_SHOWN),
    pending: counted(withKind(drafts, 'image_pending'), NODES_SHOWN),
    unassigned: counted(withKind(drafts, 'node_unassigned'), NODES_SHOWN),
    missing: withKind(drafts, 'image_missing').slice(0, 3),
    dirty: withKind(drafts, 'image_dirty').slice(0, 3),
  };
}

function populationSummary({ label, entries, images, expected, isExpectedBySite }: Population): JsonObject {
  const lead = images.find((g) => g.value === expected) ?? images[0];
  const kernel = lead === undefined ? undefined : byFrequency(lead.entries, (e) => e.kernel)[0];
  const others = images.filter((g) => g !== lead);
  return {
    of: oneLine(label, 80),
    size: entries.length,
    ...(expected !== undefined && { expected: oneLine(expected, 80), by: isExpectedBySite ? 'site' : 'majority' }),
    ...(lead !== undefined && { image: oneLine(lead.value, 80), count: lead.entries.length }),
    ...(kernel !== undefined && { kernel: oneLine(kernel.value, 80) }),
    ...(others.length > 0 && { others: others.slice(0, MINORITIES_SHOWN).map(minority) }),
    ...(others.length > MINORITIES_SHOWN && { others_more: others.length - MINORITIES_SHOWN }),
  };
}

function minority({ value, entries }: Holders): JsonObject {
  return { value: oneLine(value, 80), count: entries.length, ...foldBounded(namesOf(entries), NODES_SHOWN) };
}

function stateSummaries(hosts: readonly Entry[], drafts: readonly ConditionDraft[]): JsonObject {
  const asked = hosts.filter((e) => e.power !== undefined);
  const running = hosts.filter((e) => e.booted !== undefined);
  const out: JsonObject = {};
  if (asked.length > 0) {
    const byState = entriesBy(asked, (e) => e.power?.state);
    const states: JsonObject = {};
    for (const state of POWER_STATES) states[state] = byState(state).length;
    const silent = byState('unknown');
    const dark = byState('on');
    const unlisted = hosts.filter((e) => e.power === undefined);
    out['power'] = {
      asked: asked.length,
      ...states,
      off_nodes: counted(withKind(drafts, 'node_off'), NODES_SHOWN),
      ...(dark.length > 0 && { on_not_booted: counted(namesOf(dark), NODES_SHOWN) }),
      ...(silent.length > 0 && { unknown_nodes: counted(namesOf(silent), NODES_SHOWN) }),
      ...(unlisted.length > 0 && { not_listed: counted(namesOf(unlisted), NODES_SHOWN) }),
    };
  }
  if (running.length > 0) {
    const images = byFrequency(running, (e) => e.booted?.image);
    out['boot'] = {
      known: running.length,
      images: images.slice(0, 4).map(({ value, entries }) => ({ image: oneLine(value, 80), count: entries.length })),
      ...(images.length > 4 && { images_more: images.length - 4 }),
      drifted: counted(withKind(drafts, 'boot_drift'), NODES_SHOWN),
    };
  }
  return out;
}

function hardwareSummary(hosts: readonly Entry[], { unreadable, blank, losses, exchanges }: HardwareChanges): JsonObject {
  const nodes = hosts.filter((e) => e.class === 'node' && wasRead(e.hardware));
  const spread = (valueOf: (entry: Entry) => string | undefined): Json => {
    const [lead, ...others] = byFrequency(nodes, valueOf);
    if (lead === undefined) return null;
    return {
      value: oneLine(lead.value, 60),
      count: lead.entries.length,
      ...(others.length > 0 && { others: others.slice(0, MINORITIES_SHOWN).map(minority) }),
      ...(others.length > MINORITIES_SHOWN && { others_more: others.length - MINORITIES_SHOWN }),
    };
  };
  const counts =
    (family: Family) =>
    (entry: Entry): string | undefined => {
      const count = entry.hardware?.counts[family] ?? 0;
      return count === 0 ? undefined : String(count);
    };
  return {
    read: hosts.filter((e) => wasRead(e.hardware)).length,
    unreadable: counted(unreadable, NODES_SHOWN),
    ...(blank.size > 0 && { blank: Object.fromEntries([...blank].map(([family, ids]) => [family, counted(ids, NODES_SHOWN)])) }),
    lost_parts: losses.length,
    exchanged_parts: exchanges.length,
    ...(nodes.length > 0 && {
      bios: spread((e) => e.hardware?.firmware['bios']),
      dimms: spread(counts('dimm')),
      gpus: spread(counts('gpu')),
    }),
  };
}
