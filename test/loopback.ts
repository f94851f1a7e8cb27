import { Socket } from 'node:net';

// No unit test talks to anything but this machine: a connection elsewhere fails the test that makes it.
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;
// oxlint-disable-next-line typescript/unbound-method -- it is called with its socket below
const connect = Socket.prototype.connect;

/** Where a connection goes: `connect({host, port})`, `connect(port, host)` or `connect(path)`, also as an array of these. */
function hostOf(args: readonly unknown[]): string | null {
  const given: readonly unknown[] = Array.isArray(args[0]) ? args[0] : args;
  const [first, second] = given;
  if (typeof first === 'string') return null;
  if (typeof first !== 'object' || first === null) return typeof second === 'string' ? second : 'localhost';
  if ('path' in first && first.path !== undefined) return null;
  return 'host' in first && typeof first.host === 'string' ? first.host : 'localhost';
}

Socket.prototype.connect = function connectToLoopback(this: Socket, ...args: unknown[]): Socket {
  const host = hostOf(args);
  if (host !== null && !LOOPBACK.test(host)) throw new Error(`a test connects to ${host}; only loopback is allowed`);
  return (connect as (...a: unknown[]) => Socket).apply(this, args);
};
