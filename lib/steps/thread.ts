import { Worker } from 'node:worker_threads';
import type { DigestReply, DigestRequest } from './digest.ts';
import { adviceFor, wayOf } from './advice.ts';

/** A digest that takes longer than this, and may be stuck, no longer keeps others waiting. */
const PATIENCE = 3000;

/** Of all threads so far, ms. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

interface Job {
  request: DigestRequest;
  deadlineMs: number;
  settle: (reply: DigestReply) => void;
}

/**
 * Digests in worker threads, one digest in a thread at a time, under a deadline. When a mount hangs, the read blocks in
 * the kernel and nothing ends it: its thread is abandoned, the answer is a problem, and {@link abandoned} says that the
 * process can no longer end by itself. A thread that answered takes the next digest that waits, and ends when none does.
 */
export class DigestThreads {
  /** Threads that never came back. */
  abandoned = 0;
  readonly #body: URL;
  readonly #width: number;
  readonly #waiting: Job[] = [];
  #running = 0;

  /** @param body the compiled thread body; @param width how many digests run at once, as long as none is slow */
  constructor(body: URL, width: number) {
    this.#body = body;
    this.#width = width;
  }

  run(request: DigestRequest, deadlineMs: number): Promise<DigestReply> {
    return new Promise((settle) => {
      this.#waiting.push({ request, deadlineMs, settle });
      this.#startMore();
    });
  }

  #startMore(): void {
    while (this.#running < this.#width) {
      const job = this.#waiting.shift();
      if (!job) return;
      this.#work(new Worker(this.#body), job);
    }
  }

  #work(thread: Worker, job: Job): void {
    let counted = true;
    this.#running++;
    const free = (): void => {
      if (counted) this.#running--;
      counted = false;
    };
    const finish = (reply: DigestReply): void => {
      clearTimeout(deadline);
      clearInterval(patience);
      thread.off('message', answered).off('error', failed).off('exit', ended);
      free();
      job.settle(reply);
    };
    const problem = (code: 'timeout' | 'internal', detail: string): DigestReply => ({
      problem: { code, detail, advice: adviceFor(code, wayOf(job.request)) },
      coverage: null,
    });
    let used = processorTime();
    const patience = setInterval(() => {
      const before = used;
      used = processorTime();
      // What is stuck takes no processor: while as many are busy as digests run, all of them work, and more would be in their way.
      if (used - before > (this.#running - 0.5) * PATIENCE) return;
      clearInterval(patience);
      free();
      this.#startMore();
    }, PATIENCE);
    const deadline = setTimeout(() => {
      finish(problem('timeout', `${job.request.source} was still being read after ${job.deadlineMs} ms`));
      this.abandoned++;
      thread.unref();
      void thread.terminate().then(() => this.abandoned--);
      this.#startMore();
    }, job.deadlineMs);
    const answered = (reply: DigestReply): void => {
      finish(reply);
      const next = this.#running < this.#width ? this.#waiting.shift() : undefined;
      if (next) this.#work(thread, next);
      else void thread.terminate();
      this.#startMore();
    };
    const died = (how: string): void => {
      finish(problem('internal', `the collector's thread ended: ${how}`));
      this.#startMore();
    };
    const failed = (error: Error): void => died(error.message);
    const ended = (code: number): void => died(`status ${code}`);
    thread.on('message', answered).on('error', failed).on('exit', ended);
    thread.postMessage(job.request);
  }
}
