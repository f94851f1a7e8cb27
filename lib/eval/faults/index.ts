import type { Fault } from '../effects.ts';
import { SpecError } from '../spec.ts';
import { emergencyShell, gpuXid, imageDrift, kernelPanic, linkFlap, momDown, nodeHot, nodeOff, nodeOffline, oom } from './nodes.ts';
import { leak, pduDead, queueStopped, switchLost, warmCoolant } from './plant.ts';
import { diskPredictive, fanDegraded, supplyFailed } from './servers.ts';
import { sourceLate, sourceMissing, sourcePartial } from './sources.ts';
import { containerDown, driveFailed, fileSystemFull } from './storage.ts';

/** Every kind of fault that can be laid on a fleet. */
export const FAULTS: readonly Fault[] = [
  kernelPanic,
  oom,
  gpuXid,
  linkFlap,
  nodeOff,
  momDown,
  nodeOffline,
  imageDrift,
  emergencyShell,
  nodeHot,
  pduDead,
  switchLost,
  warmCoolant,
  leak,
  queueStopped,
  fanDegraded,
  supplyFailed,
  diskPredictive,
  driveFailed,
  containerDown,
  fileSystemFull,
  sourceLate,
  sourcePartial,
  sourceMissing,
];

/** @throws SpecError naming the kinds that there are */
export function faultOf(kind: string): Fault {
  const fault = FAULTS.find((f) => f.kind === kind);
  if (!fault) throw new SpecError(`there is no fault ${kind}; known: ${FAULTS.map((f) => f.kind).join(', ')}`);
  return fault;
}
