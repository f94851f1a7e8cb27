import * as z from 'zod';

const Ms = z.number();
const Seen = z.array(z.tuple([z.string(), Ms]));

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
  kinds: z.record(z.string(), Ms),
  /** How many hosts the last whole node list had. */
  size: z.object({ hosts: z.number().int(), at: Ms }).nullable(),
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
