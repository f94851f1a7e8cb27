import type { Fault } from '../effects.ts';
import { SpecError } from '../spec.ts';
import { imageGone, mountFailed, noBootServer, rootMissing, unlisted, wrongImage } from './blind/boot.ts';
import {
  correctedStorm,
  frontEndsDown,
  gpuDoubleBit,
  gpuSilent,
  laneDegraded,
  leaderSlow,
  linkDown,
  machineCheck,
  memoryUncorrected,
  moduleHot,
  nicCritical,
  nvmeDead,
  pcieFatal,
  readOnly,
  retryHandlerDead,
  throttled,
  xfsShutdown,
} from './blind/hardware.ts';
import { deviceStuck, hardLockup, hungTasks, initKilled, rcuStall, resetUnasked, softLockup } from './blind/kernel.ts';
import {
  batteryFailed,
  bmcUnreachable,
  chassisDark,
  dimmWearsOut,
  diskFailed,
  fanStopped,
  flowLost,
  processorFailed,
  rackDark,
  rackWarm,
  supplyWarm,
  switchHot,
} from './blind/plant.ts';
import { jobStuck, offlinedByHook, schedulingPaused } from './blind/scheduler.ts';
import { filling, licenceEnds, objectStoreLost, serverDown, stopped, twoDrives, unwritable, wornOut } from './blind/storage.ts';
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
  softLockup,
  rcuStall,
  hungTasks,
  hardLockup,
  initKilled,
  resetUnasked,
  deviceStuck,
  machineCheck,
  memoryUncorrected,
  correctedStorm,
  pcieFatal,
  throttled,
  nvmeDead,
  xfsShutdown,
  readOnly,
  gpuDoubleBit,
  gpuSilent,
  nicCritical,
  laneDegraded,
  linkDown,
  retryHandlerDead,
  frontEndsDown,
  moduleHot,
  leaderSlow,
  noBootServer,
  rootMissing,
  mountFailed,
  unlisted,
  wrongImage,
  imageGone,
  chassisDark,
  rackDark,
  flowLost,
  supplyWarm,
  rackWarm,
  switchHot,
  fanStopped,
  dimmWearsOut,
  diskFailed,
  processorFailed,
  batteryFailed,
  bmcUnreachable,
  serverDown,
  twoDrives,
  stopped,
  unwritable,
  wornOut,
  filling,
  objectStoreLost,
  licenceEnds,
  schedulingPaused,
  jobStuck,
  offlinedByHook,
];

/** @throws SpecError naming the kinds that there are */
export function faultOf(kind: string): Fault {
  const fault = FAULTS.find((f) => f.kind === kind);
  if (!fault) throw new SpecError(`there is no fault ${kind}; known: ${FAULTS.map((f) => f.kind).join(', ')}`);
  return fault;
}
