import * as z from 'zod';
import { Severity } from '../model/condition.ts';
import { sha256Hex } from '../model/identity.ts';
import { canonicalJson } from '../model/json.ts';
import { IsoTime } from '../model/time.ts';
import type { NotifyConfig } from '../config.ts';
import { type Store, unlessDamaged } from '../store/store.ts';

/** What a sink knows of one matter. */
export const Told = z.object({
  episode: z.number().int(),
  /** As a webhook was told at worst; as Alertmanager holds it now. */
  severity: Severity,
  kind: z.string(),
  subject: z.string(),
  since: IsoTime,
  /** When it was told last. */
  at: IsoTime,
  /** It was told that this episode is over. */
  ended: z.boolean(),
});
export type Told = z.infer<typeof Told>;

/** What a sink was told: what it was not told yet follows from the next report, whatever happened in between. */
export const Notified = z.object({
  schema: z.literal('hpc-observer/notified/1'),
  told: z.record(z.string(), Told),
});
export type Notified = z.infer<typeof Notified>;

/** Where the log of a sink lies. Its URL may hold a secret, and only goes into the name as a hash. */
export function logKey({ type, url }: Pick<NotifyConfig, 'type' | 'url'>): string {
  return `findings/notified/${type}-${sha256Hex(canonicalJson([type, url])).slice(0, 16)}`;
}

/** null before the first time, and for what is damaged: then everything is told once more, in one digest. */
export async function readLog(store: Store, key: string): Promise<Notified | null> {
  return unlessDamaged(store.get(key, Notified));
}
