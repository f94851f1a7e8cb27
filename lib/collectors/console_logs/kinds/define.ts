import type { Clears, Kind } from '../../../model/kind.ts';

/** What the beginning of a boot does to an open incident: ends it, leaves it until the boot completes, or nothing. */
export type AtBoot = 'ends' | 'recovers' | 'stays';

/** A kind as this collector needs it. */
export interface ConsoleKind extends Kind {
  atBoot: AtBoot;
}

/** It is over a day after it was seen last. */
export const EVENT: Clears = { by: 'expiry', after: '24h' };
export const BOOT: Clears = { by: 'boot' };
export const LINE: Clears = { by: 'line' };
export const quiet = (after: string): Clears => ({ by: 'quiet', after });

export const KERNEL_SOURCE = 'kernel source: the text is printed there; severity by own judgement';
export const HPE_CXI = "HPE's Slingshot host software documents: severity of each CXI kernel message";

/** A kind of condition of nodes. */
export function kind(
  name: string,
  title: string,
  severity: Kind['severity'],
  clears: Clears,
  atBoot: AtBoot,
  hint: string,
  provenance = KERNEL_SOURCE,
  part?: string,
): ConsoleKind {
  return { kind: name, title, severity, subjects: ['node'], clears, atBoot, hint, provenance, ...(part !== undefined && { part }) };
}
