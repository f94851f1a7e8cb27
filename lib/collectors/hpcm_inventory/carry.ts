import * as z from 'zod';

const Ms = z.number();
/** When something was seen: ms since the epoch, or `now` for the run that handed it on, so that to see it again changes nothing. */
const When = z.union([Ms, z.literal('now')]);
const Seen = z.array(z.tuple([z.string(), When]));

/** A part that was there and is not: it stays so until it is back, or the site's patience ends. */
const Loss = z.object({
  node: z.string(),
  family: z.string(),
  since: Ms,
  was: z.number().int(),
  is: z.number().int(),
  /** The missing slots, the first few. */
  slots: z.array(z.string()),
});
export type Loss = z.infer<typeof Loss>;

/** A part that is another than before. */
const Exchange = z.object({ node: z.string(), component: z.string(), at: Ms, message: z.string() });
export type Exchange = z.infer<typeof Exchange>;

/**
 * What a run hands to the next. For each node the hardware it had, compactly: nodes of one kind share a list of slots, and
 * each slot's serial number is three characters of a hash.
 */
export const Carry = z.object({
  /** When each kind of document was last read. */
  kinds: z.record(z.string(), When),
  /** How many hosts the last whole node list had. */
  size: z.object({ hosts: z.number().int(), at: When }).nullable(),
  /** Nodes whose last known power was off, and nodes that were last seen to run another image than they should. */
  off: Seen,
  drifted: Seen,
  /** An image was called dirty by the boot times of nodes. */
  dirtyByBoot: z.boolean(),
  slots: z.array(z.array(z.string())),
  /** Node, index into `slots`, serial number or '', hashes of the slots' serial numbers. */
  hardware: z.array(z.tuple([z.string(), z.number().int().nonnegative(), z.string(), z.string()])),
  losses: z.array(Loss),
  exchanges: z.array(Exchange),
});
export type Carry = z.infer<typeof Carry>;

type Timed<Time> = Omit<Carry, 'kinds' | 'size' | 'off' | 'drifted'> & {
  kinds: Record<string, Time>;
  size: { hosts: number; at: Time } | null;
  off: [string, Time][];
  drifted: [string, Time][];
};

/** A carry whose every time is one. */
export type DatedCarry = Timed<number>;

/** @param at when the run began that handed the carry on, ms */
export function dated(carry: Carry, at: number): DatedCarry {
  const time = (when: number | 'now'): number => (when === 'now' ? at : when);
  return withTimes(carry, time);
}

/** @param now when this run began, ms */
export function undated(carry: DatedCarry, now: number): Carry {
  return withTimes(carry, (ms) => (ms === now ? 'now' : ms));
}

function withTimes<From, To>(carry: Timed<From>, to: (time: From) => To): Timed<To> {
  const { kinds, size, off, drifted } = carry;
  const seen = (list: readonly [string, From][]): [string, To][] => list.map(([node, at]) => [node, to(at)]);
  return {
    ...carry,
    kinds: Object.fromEntries(Object.entries(kinds).map(([kind, at]) => [kind, to(at)])),
    size: size && { hosts: size.hosts, at: to(size.at) },
    off: seen(off),
    drifted: seen(drifted),
  };
}
