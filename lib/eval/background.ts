import { draw, hash } from './random.ts';
import { DAY, HOUR } from './spec.ts';
import { isLot, type Node } from './topology.ts';

/*
 * What is so on any day of a healthy cluster: nodes that the site knows to be down, nodes that somebody has taken out of
 * service for a while and said why.
 */

/** The liquid-cooled node that is down in every fleet; chance adds others. */
const ALWAYS_DOWN = 13;

/** Down for longer than the fleet is looked at; ground truth says so. */
export function isKnownDown(node: Node): boolean {
  return node.cooling === 'liquid' && (node.ordinal === ALWAYS_DOWN || isLot(node, 'known down', 0.0008));
}

export const KNOWN_DOWN = { reason: 'bad DIMM, replacement ordered', owner: 'hw-team', ticket: 'HW-2291' } as const;

export interface Drain {
  from: number;
  until: number;
  reason: string;
}

const PERIOD = 5 * DAY;
const REASONS = [
  'HW-2305 GPU exchanged, under test',
  'HW-2318 DIMM replaced, burn-in',
  'HW-2322 waits for vendor',
  'firmware trial, back tomorrow',
  'SUP-881 user reports slow node, under investigation',
];

/**
 * The stretch around a time in which the node is out of service in the scheduler, with a reason, and runs on.
 * @param start of the fleet: everything that chance decides goes by the time since then
 */
export function drainOf(node: Node, at: number, start: number): Drain | null {
  const period = Math.floor((at - start) / PERIOD);
  if (draw(node.luck, 'drain', period) >= 0.02 || isKnownDown(node)) return null;
  const from = start + period * PERIOD + Math.floor(draw(node.luck, 'drain from', period) * 3.5 * DAY);
  const until = from + HOUR + Math.floor(draw(node.luck, 'drain for', period) * 1.3 * DAY);
  if (at < from || at >= until) return null;
  return { from, until, reason: REASONS[hash(node.luck, 'drain why', period) % REASONS.length] as string };
}
