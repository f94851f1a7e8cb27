import * as z from 'zod';
import { IsoTime } from '../model/time.ts';
import { DEFAULT_DIALECT, Dialect } from './dialect.ts';

/** What is known of an endpoint: probed by `doctor`, learned by every tick, kept between them. */
export const Profile = z.object({
  schema: z.literal('hpc-observer/model-profile/1'),
  /** The endpoint and the model that it is about. */
  label: z.string(),
  dialect: Dialect,
  /** The context in tokens, as the server told it or as an error showed it. */
  context: z.number().int().positive().nullable(),
  /** The server's tokens for one of our estimate. */
  ratio: z.number().positive().nullable(),
  /** Name and version, as the server tells them. */
  server: z.string().nullable(),
  probedAt: IsoTime.nullable(),
  /** What the probe saw, by what was tried. */
  capabilities: z.record(z.string(), z.union([z.boolean(), z.string(), z.number(), z.null()])),
});
export type Profile = z.infer<typeof Profile>;

/** What is assumed of an endpoint that nobody has met. */
export function newProfile(label: string): Profile {
  return {
    schema: 'hpc-observer/model-profile/1',
    label,
    dialect: DEFAULT_DIALECT,
    context: null,
    ratio: null,
    server: null,
    probedAt: null,
    capabilities: {},
  };
}
