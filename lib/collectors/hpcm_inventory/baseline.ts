import { comparableSerial } from '../../model/facts.ts';
import type { Carry } from './carry.ts';
import type { Hardware, Slots } from './hardware.ts';

/** What hardware a node had when it was last read. */
export interface Baseline {
  serial: string;
  slots: Slots;
}

/** The counted parts of a node as they are now. */
export function toBaseline(hardware: Hardware): Baseline {
  return { serial: comparableSerial(hardware.serial) ?? '', slots: hardware.slots };
}

/** Whether nothing at all has changed: the case of nearly every node in nearly every run. */
export function isSame(a: Baseline, b: Baseline): boolean {
  return (
    a.serial === b.serial &&
    a.slots.hashes === b.slots.hashes &&
    (a.slots.names === b.slots.names || a.slots.names.join('\n') === b.slots.names.join('\n'))
  );
}

/** Hashes by slot. */
export function slotMap({ names, hashes }: Slots): Map<string, string> {
  return new Map(names.map((name, i) => [name, hashes.slice(i * 3, i * 3 + 3)]));
}

/** The inverse of {@link slotMap}. */
export function toSlots(slots: ReadonlyMap<string, string>): Slots {
  const names = [...slots.keys()].sort();
  return { names, hashes: names.map((name) => slots.get(name)).join('') };
}

/** Reads the baselines of a carry; an entry that does not fit together is left out. */
export function unpackBaselines({ slots, hardware }: Pick<Carry, 'slots' | 'hardware'>): Map<string, Baseline> {
  const baselines = new Map<string, Baseline>();
  for (const [node, index, serial, hashes] of hardware) {
    const names = slots[index];
    if (names !== undefined && hashes.length === names.length * 3) baselines.set(node, { serial, slots: { names, hashes } });
  }
  return baselines;
}

/** A fleet of 12,000 nodes takes an eighth of this; what does not fit is first sight again at the next run. */
const MAX_CHARACTERS = 8_000_000;

/** The inverse of {@link unpackBaselines}, as far as the carry may grow. */
export function packBaselines(baselines: ReadonlyMap<string, Baseline>): Pick<Carry, 'slots' | 'hardware'> {
  const packed: Pick<Carry, 'slots' | 'hardware'> = { slots: [], hardware: [] };
  const byList = new Map<readonly string[], number>();
  const byText = new Map<string, number>();
  let room = MAX_CHARACTERS;
  const indexOf = (names: readonly string[]): number => {
    const text = names.join('\n');
    let index = byText.get(text);
    if (index === undefined) {
      index = packed.slots.push([...names]) - 1;
      byText.set(text, index);
      room -= text.length + names.length * 3;
    }
    byList.set(names, index);
    return index;
  };
  for (const node of [...baselines.keys()].sort()) {
    const { serial, slots } = baselines.get(node) as Baseline;
    room -= node.length + serial.length + slots.hashes.length + 20;
    if (room < 0) break;
    packed.hardware.push([node, byList.get(slots.names) ?? indexOf(slots.names), serial, slots.hashes]);
  }
  return packed;
}
