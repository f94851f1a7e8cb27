import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { requestId } from 'hono/request-id';
import type { Log } from '../lib/steps/observer.ts';
import app from './app.ts';
import { createFunction } from './function.ts';
import { observerOf } from './node.ts';
import type { StepReply, StepRequest, StepsSetting } from './steps.ts';

/** Below the thread that answers those who read: of two that want a processor it gets the smaller part. */
const NICE = 5;

const tell = (reply: StepReply, transfer: ArrayBuffer[] = []): void => parentPort?.postMessage(reply, transfer);
const log: Log = (...line) => tell({ log: line });

// On Linux alone this is of one thread, and those that it starts; where it is not allowed, all are alike.
if (process.platform === 'linux') {
  try {
    setPriority(0, NICE);
  } catch {
    log('debug', 'priority', { refused: true });
  }
}

const { config, flags, clock } = workerData as StepsSetting;
const made = observerOf(config, flags, process.env, log, { clock, writer: 'steps' });
const steps = createFunction();
steps.use(requestId());
steps.route('/', app);

async function answer({ id, method, url, headers, body }: StepRequest): Promise<void> {
  const { observer } = await made;
  const response = await steps.request(url, { method, headers, ...(body.byteLength > 0 && { body }) }, { observer });
  const bytes = await response.arrayBuffer();
  tell({ id, status: response.status, headers: [...response.headers], body: bytes }, [bytes]);
}

async function end(): Promise<void> {
  const { threads, dispose } = await made;
  await dispose();
  tell({ ended: { abandoned: threads.abandoned } });
}

parentPort?.on('message', (message: StepRequest | 'end') => void (message === 'end' ? end() : answer(message)));
