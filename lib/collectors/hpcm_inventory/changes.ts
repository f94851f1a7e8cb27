import { compareNames } from '../../model/text.ts';
import { type Baseline, isSame, packBaselines, slotMap, toBaseline, toSlots, unpackBaselines } from './baseline.ts';
import type { Carry, DatedCarry, Exchange, Loss } from './carry.ts';
import type { Entry } from './fleet.ts';
import { FAMILIES, type Family, type Hardware, NO_SERIAL, wasRead } from './hardware.ts';

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
export const EXCHANGE_LISTED = 7 * DAY;
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
export function compareHardware(hosts: readonly Entry[], carry: DatedCarry | undefined, now: number, isWhole: boolean): HardwareChanges {
  const before = carry === undefined ? new Map<string, Baseline>() : unpackBaselines(carry);
  const baselines = new Map(isWhole ? [] : before);
  const comparison = new Comparison(carry?.losses ?? [], now);
  for (const { id, hardware } of hosts) {
    const old = before.get(id);
    if (wasRead(hardware)) baselines.set(id, old === undefined ? toBaseline(hardware) : comparison.compare(id, hardware, old));
    else if (old !== undefined) baselines.set(id, old);
  }
  comparison.settle();
  const lost = [...comparison.losses.values()];
  const present = isWhole && lost.length > 0 ? new Set(hosts.map((h) => h.id)) : undefined;
  const losses = lost
    .filter((l) => present?.has(l.node) ?? true)
    .sort((a, b) => compareNames(a.node, b.node) || compareNames(a.family, b.family));
  const earlier = (carry?.exchanges ?? []).filter((e) => now - e.at < EXCHANGE_LISTED);
  const exchanges = latestExchanges([...comparison.exchanges, ...earlier]);
  const unreadable = unreadableHosts(hosts, before);
  return {
    losses,
    exchanges,
    unreadable,
    vanished: unreadable.filter((id) => before.has(id)).length,
    blank: comparison.blank,
    rewritten: comparison.rewritten,
    carry: { ...packBaselines(baselines), losses, exchanges },
  };
}

/** Collects what single hosts show, and then sees whether it is too much to be true. */
class Comparison {
  readonly losses: Map<string, Loss>;
  exchanges: Exchange[] = [];
  readonly blank = new Map<Family, string[]>();
  rewritten = 0;
  readonly #now: number;
  /** Losses that have lasted so long that the smaller number counts from now on. */
  readonly #accepted: ReadonlySet<string>;
  readonly #fresh: Loss[] = [];
  #compared = 0;

  constructor(losses: readonly Loss[], now: number) {
    const isAccepted = (l: Loss): boolean => now - l.since >= LOSS_ACCEPTED;
    this.#now = now;
    this.losses = new Map(losses.filter((l) => !isAccepted(l)).map((l) => [hostKey(l.node, l.family), l]));
    this.#accepted = new Set(losses.filter(isAccepted).map((l) => hostKey(l.node, l.family)));
  }

  /** Compares one host with what it had. @returns what the next run compares with */
  compare(id: string, hardware: Hardware, old: Baseline): Baseline {
    const current = toBaseline(hardware);
    this.#compared++;
    if (isSame(old, current)) {
      for (const family of FAMILIES) this.losses.delete(hostKey(id, family));
      return current;
    }
    const had = slotMap(old.slots);
    const has = slotMap(current.slots);
    const keep = new Map<string, string>();
    for (const family of FAMILIES) {
      const result = compareFamily(family, had, has, this.#accepted.has(hostKey(id, family)));
      for (const [slot, hash] of result.keep) keep.set(slot, hash);
      if (result.isBlank) addBlank(this.blank, family, [id]);
      else this.#noteLoss(id, family, result);
      if (result.other.length > 0) this.#noteExchange(id, family, exchangeText(family, result.other, hardware.parts));
    }
    if (old.serial !== '' && current.serial !== '' && old.serial !== current.serial) {
      this.#noteExchange(id, 'serial', `has another serial number: ${old.serial} before, ${current.serial} now`);
    }
    return { serial: current.serial === '' ? old.serial : current.serial, slots: toSlots(keep) };
  }

  #noteLoss(id: string, family: Family, { missing, was, is }: FamilyResult): void {
    const key = hostKey(id, family);
    const known = this.losses.get(key);
    if (missing.length === 0) this.losses.delete(key);
    else {
      const loss: Loss = { node: id, family, since: known?.since ?? this.#now, was, is, slots: missing.slice(0, SLOTS_NAMED) };
      if (known === undefined) this.#fresh.push(loss);
      else this.losses.set(key, loss);
    }
  }

  #noteExchange(node: string, component: string, message: string): void {
    this.exchanges.push({ node, component, at: this.#now, message });
  }

  /** Takes what many hosts show at once for what it is: one failed reading, or a tool that writes otherwise. */
  settle(): void {
    for (const family of FAMILIES) {
      const lost = this.#fresh.filter((l) => l.family === family);
      const nodes = lost.map((l) => l.node);
      if (isMass(lost.length, this.#compared)) addBlank(this.blank, family, nodes);
      else for (const loss of lost) this.losses.set(hostKey(loss.node, family), loss);
    }
    const exchanged = new Set(this.exchanges.map((e) => e.node)).size;
    if (!isMass(exchanged, this.#compared)) return;
    this.rewritten = exchanged;
    this.exchanges = [];
  }
}

function addBlank(blank: Map<Family, string[]>, family: Family, ids: readonly string[]): void {
  const list = blank.get(family);
  if (list === undefined) blank.set(family, [...ids]);
  else for (const id of ids) list.push(id);
}

function hostKey(node: string, part: string): string {
  return `${part}:${node}`;
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
    const key = hostKey(exchange.node, exchange.component);
    const known = latest.get(key);
    if (known === undefined || known.at < exchange.at) latest.set(key, exchange);
  }
  const order = (a: Exchange, b: Exchange): number => compareNames(a.node, b.node) || compareNames(a.component, b.component);
  return [...latest.values()]
    .sort((a, b) => b.at - a.at || order(a, b))
    .slice(0, MAX_EXCHANGES)
    .sort(order);
}
