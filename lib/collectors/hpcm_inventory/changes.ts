import { compareNames } from '../../model/text.ts';
import { type Baseline, isSame, packBaselines, slotMap, toBaseline, toSlots, unpackBaselines } from './baseline.ts';
import type { Carry, Exchange, Loss } from './carry.ts';
import type { Entry } from './fleet.ts';
import { FAMILIES, type Family, NO_SERIAL, wasRead } from './hardware.ts';

/** What a comparison of the hardware with the last reading shows. */
export interface HardwareChanges {
  losses: Loss[];
  exchanges: Exchange[];
  /** Hosts whose hardware was read before, or is read of most others, and is empty now. */
  unreadable: string[];
  /** Of these, the ones that had been read before. */
  vanished: number;
  /** Per family the hosts that lost all or some of it in such numbers, or in such a way, that it is the reading that failed. */
  blank: Map<Family, string[]>;
  /** Hosts whose serial numbers changed all at once: a change of the tool, not of the machines. */
  rewritten: number;
  carry: Pick<Carry, 'slots' | 'hardware' | 'losses' | 'exchanges'>;
}

const DAY = 864e5;
/** How long an exchange is listed, and after which time a smaller set of parts counts as intended. */
const EXCHANGE_LISTED = 7 * DAY;
export const LOSS_ACCEPTED = 30 * DAY;
const MAX_EXCHANGES = 500;
const SLOTS_NAMED = 8;

/** More than this many at once are no accidents of single nodes. */
function isMass(count: number, compared: number): boolean {
  return count > Math.max(8, compared * 0.05);
}

/**
 * Compares what was read of each host with the last reading.
 *
 * Inventories fail more often than hardware: an unreachable management controller empties a record or shortens it. So an
 * empty record removes nothing; DIMMs that are gone as a whole were not read (the node could not run); the same loss on a
 * twentieth of the fleet is one failed reading. What remains is a loss: fewer parts than before. It holds, also through
 * runs without a reading, until the parts are back or {@link LOSS_ACCEPTED} has passed.
 */
export function compareHardware(hosts: readonly Entry[], carry: Carry | undefined, now: number, isWhole: boolean): HardwareChanges {
  const before = carry === undefined ? new Map<string, Baseline>() : unpackBaselines(carry);
  const baselines = new Map(isWhole ? [] : before);
  const losses = new Map((carry?.losses ?? []).filter((l) => now - l.since < LOSS_ACCEPTED).map((l) => [lossKey(l.node, l.family), l]));
  const accepted = new Set((carry?.losses ?? []).filter((l) => now - l.since >= LOSS_ACCEPTED).map((l) => lossKey(l.node, l.family)));
  const fresh: Loss[] = [];
  const exchanges: Exchange[] = [];
  const blank = new Map<Family, string[]>();
  const unreadable = unreadableHosts(hosts, before);
  let compared = 0;
  for (const { id, hardware } of hosts) {
    const old = before.get(id);
    if (!wasRead(hardware)) {
      if (old !== undefined) baselines.set(id, old);
      continue;
    }
    const current = toBaseline(hardware);
    if (old === undefined) {
      baselines.set(id, current);
      continue;
    }
    compared++;
    if (isSame(old, current)) {
      for (const family of FAMILIES) losses.delete(lossKey(id, family));
      baselines.set(id, current);
      continue;
    }
    const had = slotMap(old.slots);
    const has = slotMap(current.slots);
    const keep = new Map<string, string>();
    for (const family of FAMILIES) {
      const result = compareFamily(family, had, has, accepted.has(lossKey(id, family)));
      for (const [slot, hash] of result.keep) keep.set(slot, hash);
      const key = lossKey(id, family);
      if (result.isBlank) addBlank(blank, family, [id]);
      else if (result.missing.length === 0) losses.delete(key);
      else {
        const known = losses.get(key);
        const loss = {
          node: id,
          family,
          since: known?.since ?? now,
          was: result.was,
          is: result.is,
          slots: result.missing.slice(0, SLOTS_NAMED),
        };
        if (known === undefined) fresh.push(loss);
        else losses.set(key, loss);
      }
      if (result.other.length > 0)
        exchanges.push({ node: id, component: family, at: now, message: exchangeText(family, result.other, hardware.parts) });
    }
    if (old.serial !== '' && current.serial !== '' && old.serial !== current.serial) {
      exchanges.push({
        node: id,
        component: 'serial',
        at: now,
        message: `has another serial number: ${old.serial} before, ${current.serial} now`,
      });
    }
    baselines.set(id, { serial: current.serial === '' ? old.serial : current.serial, slots: toSlots(keep) });
  }
  for (const family of FAMILIES) {
    const lost = fresh.filter((l) => l.family === family);
    if (isMass(lost.length, compared))
      addBlank(
        blank,
        family,
        lost.map((l) => l.node),
      );
    else for (const loss of lost) losses.set(lossKey(loss.node, family), loss);
  }
  const isRewritten = isMass(new Set(exchanges.map((e) => e.node)).size, compared);
  const listed = [...(isRewritten ? [] : exchanges), ...(carry?.exchanges ?? []).filter((e) => now - e.at < EXCHANGE_LISTED)];
  const kept = latestExchanges(listed);
  const present = new Set(hosts.map((h) => h.id));
  const keptLosses = [...losses.values()]
    .filter((l) => !isWhole || present.has(l.node))
    .sort((a, b) => compareNames(a.node, b.node) || compareNames(a.family, b.family));
  return {
    losses: keptLosses,
    exchanges: kept,
    unreadable,
    vanished: unreadable.filter((id) => before.has(id)).length,
    blank,
    rewritten: isRewritten ? new Set(exchanges.map((e) => e.node)).size : 0,
    carry: { ...packBaselines(baselines), losses: keptLosses, exchanges: kept },
  };
}

function addBlank(blank: Map<Family, string[]>, family: Family, ids: string[]): void {
  const list = blank.get(family);
  if (list === undefined) blank.set(family, ids);
  else list.push(...ids);
}

function lossKey(node: string, family: string): string {
  return `${family}:${node}`;
}

interface FamilyResult {
  /** Nothing of the family was read. */
  isBlank: boolean;
  was: number;
  is: number;
  missing: string[];
  /** Slots that hold another part. */
  other: string[];
  /** The slots that the next run compares with. */
  keep: Map<string, string>;
}

function compareFamily(
  family: Family,
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  isAccepted: boolean,
): FamilyResult {
  const had = ofFamily(before, family);
  const has = ofFamily(now, family);
  const result: FamilyResult = { isBlank: false, was: had.size, is: has.size, missing: [], other: [], keep: has };
  if (had.size === 0 || isAccepted) return result;
  if (has.size === 0 && (family === 'dimm' || now.size === 0)) return { ...result, isBlank: true, keep: had };
  if (has.size < had.size) {
    // Where slots were renamed as well, only the number is certain.
    const missing = [...had.keys()].filter((slot) => !has.has(slot)).slice(0, Math.max(had.size - has.size, 1));
    return { ...result, missing, keep: new Map([...had, ...has]) };
  }
  // A part that moved to another slot of the same node is no exchange.
  const known = new Set(had.values());
  const other = [...has].filter(([slot, hash]) => hash !== NO_SERIAL && !known.has(hash) && (had.get(slot) ?? NO_SERIAL) !== NO_SERIAL);
  return { ...result, other: other.map(([slot]) => slot) };
}

function ofFamily(slots: ReadonlyMap<string, string>, family: Family): Map<string, string> {
  return new Map([...slots].filter(([slot]) => slot.startsWith(`${family}.`)));
}

/** `dimm.DIMM 3` → `DIMM 3`. */
export function slotName(slot: string): string {
  return slot.slice(slot.indexOf('.') + 1);
}

function exchangeText(family: Family, slots: string[], parts: Readonly<Record<string, string>>): string {
  const [first] = slots as [string];
  const more = slots.length > 1 ? ` and ${slots.length - 1} more` : '';
  return `has another ${family.toUpperCase()} than before in ${slotName(first)} (serial number ${parts[first]} now)${more}`;
}

function unreadableHosts(hosts: readonly Entry[], before: ReadonlyMap<string, Baseline>): string[] {
  const nodes = hosts.filter((h) => h.class === 'node');
  const read = hosts.filter((h) => wasRead(h.hardware)).length;
  // That a node which is not listed at all should be is known only where most are; of service nodes it never is.
  const isUsual = nodes.filter((h) => wasRead(h.hardware)).length * 2 > nodes.length;
  const isExpected = (h: Entry): boolean => before.has(h.id) || (read > 0 && (h.hardware !== undefined || (isUsual && h.class === 'node')));
  return hosts.filter((h) => !wasRead(h.hardware) && isExpected(h)).map((h) => h.id);
}

/** One for each node and component, the latest; at most {@link MAX_EXCHANGES}, in the order of their names. */
function latestExchanges(all: Exchange[]): Exchange[] {
  const latest = new Map<string, Exchange>();
  for (const exchange of all) {
    const key = lossKey(exchange.node, exchange.component);
    const known = latest.get(key);
    if (known === undefined || known.at < exchange.at) latest.set(key, exchange);
  }
  const order = (a: Exchange, b: Exchange): number => compareNames(a.node, b.node) || compareNames(a.component, b.component);
  return [...latest.values()]
    .sort((a, b) => b.at - a.at || order(a, b))
    .slice(0, MAX_EXCHANGES)
    .sort(order);
}
