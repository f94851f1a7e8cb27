import type { Quantity } from './quantity.ts';

/** Values of a quantity that stand for a failed reading, and the range outside of which a value cannot be true. */
export interface Suspect {
  /** In the unit of the wire. */
  sentinels: readonly number[];
  /** In the quantity's unit. */
  min: number;
  max: number;
}

/** No reading is greater, and sums of any number of them stay finite. */
export const GREATEST = 1e300;

/**
 * What BMCs send in place of a reading: all ones in 8, 16 or 32 bits, the lowest signed byte, −1, and for temperatures 0,
 * which unpopulated and switched-off parts report. The ranges are wide: they catch broken registers, not hot parts.
 */
export const SUSPECTS: ReadonlyMap<Quantity, Suspect> = new Map<Quantity, Suspect>([
  ['temperature', { sentinels: [0, 127, 255, -127, -128, 65535], min: -60, max: 200 }],
  ['power', { sentinels: [65535, 4294967295], min: 0, max: 2e7 }],
  ['voltage', { sentinels: [65535, 4294967295], min: -1000, max: 50_000 }],
  ['current', { sentinels: [65535, 4294967295], min: -1000, max: 50_000 }],
  ['fan', { sentinels: [65535, 4294967295], min: 0, max: 100_000 }],
  ['flow', { sentinels: [65535, 4294967295], min: 0, max: 100_000 }],
  ['pressure', { sentinels: [65535, 4294967295], min: -200, max: 100_000 }],
  ['humidity', { sentinels: [255], min: 0, max: 100 }],
  ['energy', { sentinels: [4294967295], min: 0, max: GREATEST }],
]);

export function isSentinel(suspect: Suspect, raw: number): boolean {
  return suspect.sentinels.includes(raw);
}

export function isPlausible(suspect: Suspect, value: number): boolean {
  return value >= suspect.min && value <= suspect.max;
}
