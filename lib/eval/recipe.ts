import type { Fleet } from './fleet.ts';
import type { LaidFault } from './plan.ts';
import type { Story, Truth } from './scenario.ts';

/** What a scenario is made from before its places are chosen. Hours since the first look. */
export interface Recipe {
  title: string;
  faults: { kind: string; where?: string; from: number; until?: number }[];
  noise?: number;
  looks?: number;
  ask?: number;
  attack?: string;
  truth?: (faults: readonly LaidFault[]) => Truth;
  stories?: (faults: readonly LaidFault[], fleet: Fleet) => Story[];
}

/** Names of all that a fault is seen on for certain. */
export function subjectsOf({ effects }: LaidFault): string[] {
  const shown = (effects.shows ?? []).filter((s) => s.maybe !== true).map((s) => s.subject.id);
  const lost = [...(effects.nodes ?? [])].filter(([, t]) => t.loss !== undefined || t.momDown === true).map(([name]) => name);
  return [...new Set([...shown, ...lost])];
}

/** What caused a fault, under all its names. */
export function causesOf(fault: LaidFault): string[] {
  const [first] = subjectsOf(fault);
  return [...(fault.where === 'all' ? (first === undefined ? [] : [first]) : [fault.where]), ...(fault.effects.because ?? [])];
}
