import * as z from 'zod';
import type { JsonObject } from '../../model/json.ts';
import { Duration } from '../../model/time.ts';

/** The source's own configuration. */
export const Options = z.strictObject({
  /** How far a document may lag behind the newest one and still be used. */
  max_lag: Duration.prefault('15m'),
  /** The resource by which the site's queues and nodes name an image. */
  image_resource: z.string().min(1).max(100).default('hpcm_image'),
});
export type Options = z.infer<typeof Options>;

/** What the next run needs of this one. */
export const Carry = z.object({
  /** Roles whose document was read. */
  roles: z.array(z.string()),
  /** Jobs in a state that should pass: id, state and substate, when first seen so (ms). */
  watched: z.array(z.tuple([z.string(), z.string(), z.number()])),
  /** Jobs with an open condition: id, and its kinds. */
  open: z.array(z.tuple([z.string(), z.array(z.string())])),
  /** Hosts out of service. */
  offline: z.array(z.string()).default([]),
});
export type Carry = z.infer<typeof Carry>;

/** More jobs than this are not followed from run to run. */
export const MAX_CARRIED = 5000;

type Rules = Readonly<Record<string, JsonObject>>;

/** A duration of the site's rules for a kind, in ms; its default where the site has none. */
export function ruleDuration(rules: Rules, kind: string, key: string, fallback: string): number {
  const set = Duration.safeParse(rules[kind]?.[key]);
  return set.success ? set.data : Duration.parse(fallback);
}

/** A number of the site's rules for a kind; its default where the site has none. */
export function ruleNumber(rules: Rules, kind: string, key: string, fallback: number): number {
  const set = rules[kind]?.[key];
  return typeof set === 'number' && Number.isFinite(set) ? set : fallback;
}
