/*
 * Deadlines that hold, whatever is collected as garbage meanwhile. On Node 20 a signal of `AbortSignal.timeout` may be, where
 * nothing but a signal of `AbortSignal.any` knows it, and what fetch keeps of a signal is once the headers are there: what
 * waits for a body then waits for ever. So the clock and the waiting are our own.
 */

/** A signal that aborts after a time, ms. It keeps no process alive. */
export function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController();
  const timer: unknown = setTimeout(() => controller.abort(timeUp()), ms);
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref: () => void }).unref();
  return controller.signal;
}

/**
 * Works under a signal of its own, which aborts when the other one does, and waits no longer for the work then. Listeners
 * that are left on it go with it.
 * @param ms after which it aborts in any case
 * @throws the signal's reason
 */
export async function under<T>(signal: AbortSignal, work: (own: AbortSignal) => Promise<T>, ms?: number): Promise<T> {
  const own = new AbortController();
  let follow = (): void => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const aborted = new Promise<never>((_, reject) => {
    const abort = (reason: unknown): void => {
      own.abort(reason);
      reject(reason);
    };
    follow = () => abort(signal.reason);
    if (ms !== undefined) timer = setTimeout(() => abort(timeUp()), ms);
    if (signal.aborted) follow();
    else signal.addEventListener('abort', follow);
  });
  try {
    return await Promise.race([work(own.signal), aborted]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', follow);
  }
}

/** The pieces of a body as they come. It is closed when the signal aborts, and by whoever wants no more. @throws the signal's reason */
export async function* piecesOf({ body }: Response, signal?: AbortSignal | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (!reader) return;
  const close = (): void => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', close);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener('abort', close);
    close();
  }
}

/** As `AbortSignal.timeout` gives it. */
function timeUp(): DOMException {
  return new DOMException('The operation was aborted due to timeout', 'TimeoutError');
}
