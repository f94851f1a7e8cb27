/**
 * Ends the process with a status although a thread is stuck in a read that the kernel never finishes: `process.exit`
 * joins that thread and would wait with it for ever. WebAssembly's `proc_exit` is the one call of Node that ends in the
 * C library's `exit` at once; where even that is missing, a signal does it.
 */
export async function exitAtOnce(status: number): Promise<never> {
  await Promise.all([process.stdout, process.stderr].map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))));
  process.removeAllListeners('warning');
  process.on('warning', () => undefined);
  const { WASI } = await import('node:wasi');
  const wasi = new WASI({ version: 'preview1', returnOnExit: false });
  const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
  wasi.start(new Instance(new Module(exitModule(status)), wasi.getImportObject()));
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable');
}

/** What Node's types leave out. */
interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => object;
}

/** `(module (import "wasi_snapshot_preview1" "proc_exit" …) (memory …) (func (export "_start") i32.const STATUS call 0))` */
function exitModule(status: number): Uint8Array {
  const text = (s: string): number[] => [s.length, ...new TextEncoder().encode(s)];
  const section = (id: number, body: number[]): number[] => [id, body.length, ...body];
  return Uint8Array.from([
    0,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...section(1, [2, 0x60, 1, 0x7f, 0, 0x60, 0, 0]),
    ...section(2, [1, ...text('wasi_snapshot_preview1'), ...text('proc_exit'), 0, 0]),
    ...section(3, [1, 1]),
    ...section(5, [1, 0, 1]),
    ...section(7, [2, ...text('memory'), 2, 0, ...text('_start'), 0, 1]),
    ...section(10, [1, 6, 0, 0x41, status & 0x3f, 0x10, 0, 0x0b]),
  ]);
}
