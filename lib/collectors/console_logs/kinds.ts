import { bootKinds } from './kinds/boot.ts';
import type { ConsoleKind } from './kinds/define.ts';
import { hardwareKinds } from './kinds/hardware.ts';
import { kernelKinds } from './kinds/kernel.ts';
import { networkKinds } from './kinds/network.ts';

/** Every kind that a console can show, with what a boot does to it. */
export const consoleKinds: readonly ConsoleKind[] = [...kernelKinds, ...networkKinds, ...hardwareKinds, ...bootKinds];

const byName = new Map(consoleKinds.map((k) => [k.kind, k]));

export function consoleKind(name: string): ConsoleKind | undefined {
  return byName.get(name);
}
