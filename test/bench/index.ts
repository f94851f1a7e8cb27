import { consolePart } from './console.ts';
import { diffPart } from './diff.ts';
import { fullRun } from './full-run.ts';
import { inventoryPart } from './inventory.ts';
import type { Part } from './part.ts';
import { serverPart } from './server.ts';
import { storePart } from './store.ts';
import { telemetryPart } from './telemetry.ts';
import { tickPart } from './tick.ts';

/** Every part of the benchmark. */
export const PARTS: readonly Part[] = [fullRun, tickPart, storePart, diffPart, serverPart, consolePart, inventoryPart, telemetryPart];
