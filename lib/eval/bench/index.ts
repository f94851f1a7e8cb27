import { diffPart } from './diff.ts';
import { fullRun } from './full-run.ts';
import type { Part } from './part.ts';
import { serverPart } from './server.ts';
import { storePart } from './store.ts';

/** Every part of the benchmark. */
export const PARTS: readonly Part[] = [fullRun, storePart, diffPart, serverPart];
