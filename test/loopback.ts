import { Socket } from 'node:net';

// No unit test talks to anything but this machine: a connection elsewhere fails the test that makes it.
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;
// oxlint-disable-next-line typescript/unbound-method -- it is called with its socket below
const connect = Socket.prototype.connect;

Socket.prototype.connect = function connectToLoopback(this: Socket, ...args: unknown[]): Socket {
  const [first] = Array.isArray(args[0]) ? args[0] : args;
  const target: { host?: string | undefined; path?: string | undefined } =
    typeof first === 'object' && first !== null
      ? first
      : { path: typeof first === 'string' ? first : undefined, host: typeof args[1] === 'string' ? args[1] : undefined };
  if (target.path === undefined && !LOOPBACK.test(target.host ?? 'localhost'))
    throw new Error(`a test connects to ${target.host}; only loopback is allowed`);
  return (connect as (...a: unknown[]) => Socket).apply(this, args);
} as typeof connect;
