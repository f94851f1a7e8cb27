import { Worker } from 'node:worker_threads';
import type { DigestReply, DigestRequest } from './digest.ts';
import { adviceFor } from './digest.ts';

/**
 * Digests in worker threads, one for each collect, under a deadline. When a mount hangs, the read blocks in the kernel
 * and nothing ends it: its thread is abandoned, the answer is a problem, and {@link abandoned} says that the process can
 * no longer end by itself.
 */
export class DigestThreads {
  /** Threads that never came back. */
  abandoned = 0;
  readonly #body: URL;
  readonly #free: (() => void)[] = [];
  #running = 0;
  readonly #width: number;

  /** @param body the compiled thread body; @param width how many threads run at once */
  constructor(body: URL, width: number) {
    this.#body = body;
    this.#width = width;
  }

  async run(request: DigestRequest, deadlineMs: number): Promise<DigestReply> {
    if (this.#running >= this.#width) await new Promise<void>((resolve) => this.#free.push(resolve));
    this.#running++;
    try {
      return await this.#runOne(request, deadlineMs);
    } finally {
      this.#running--;
      this.#free.shift()?.();
    }
  }

  #runOne(request: DigestRequest, deadlineMs: number): Promise<DigestReply> {
    return new Promise((resolve) => {
      const thread = new Worker(this.#body, { workerData: request });
      const problem = (code: 'timeout' | 'internal', detail: string): DigestReply => ({
        problem: { code, detail, advice: adviceFor(code) },
        coverage: null,
      });
      const timer = setTimeout(() => {
        settle(problem('timeout', `${request.source} was still being read after ${deadlineMs} ms`));
        this.abandoned++;
        thread.unref();
        void thread.terminate().then(() => this.abandoned--);
      }, deadlineMs);
      const settle = (reply: DigestReply): void => {
        clearTimeout(timer);
        resolve(reply);
      };
      thread.once('message', (reply: DigestReply) => {
        settle(reply);
        void thread.terminate();
      });
      thread.once('error', (error) => settle(problem('internal', `the collector's thread ended: ${error.message}`)));
      thread.once('exit', (code) => settle(problem('internal', `the collector's thread ended with ${code}`)));
    });
  }
}
