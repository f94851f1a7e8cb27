import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ReadError } from '../../model/collector.ts';
import { oneLine } from '../../model/text.ts';
import {
  type Api,
  APIS,
  decodeApiVersions,
  decodeSaslAuthenticate,
  decodeSaslHandshake,
  encodeSaslAuthenticate,
  encodeSaslHandshake,
  errorName,
  ERRORS,
} from './protocol.ts';
import { authenticate, type Credentials, Distrusted } from './sasl.ts';
import { Encoder, Malformed } from './wire.ts';

export interface Address {
  host: string;
  port: number;
}

/** How brokers are spoken to. */
export interface Security {
  tls: boolean;
  /** PEM; the only authorities trusted where it is given. */
  ca?: string;
  sasl?: Credentials;
}

/** How long is waited for a broker, ms. */
export interface Timeouts {
  connect: number;
  answer: number;
}

/** No answer is longer: the largest fetch asks for far less, and one batch of more than this is no telemetry. */
const MAX_ANSWER = 128 * 1024 * 1024;
/** Answers to all else are lists of what was asked for. */
const MAX_LIST = 16 * 1024 * 1024;
const CLIENT = 'hpc-observer';

interface Waiting {
  correlation: number;
  /** The longest answer that is taken, bytes. */
  most: number;
  resolve: (bytes: Buffer) => void;
  reject: (error: ReadError) => void;
  timer: NodeJS.Timeout;
}

export function addressText({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** One connection to one broker. Whatever goes wrong on it is a {@link ReadError} that names the broker. */
export class Connection {
  readonly name: string;
  readonly #socket: Socket;
  readonly #security: Security;
  readonly #timeout: number;
  readonly #waiting: Waiting[] = [];
  #chunks: Buffer[] = [];
  #have = 0;
  #correlation = 0;
  #broken: ReadError | undefined;

  private constructor(name: string, socket: Socket, security: Security, timeout: number) {
    this.name = name;
    this.#socket = socket;
    this.#security = security;
    this.#timeout = timeout;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => this.#break(`broke off (${error.code ?? error.message})`));
    socket.on('close', () => this.#break(`closed the connection${this.#hint()}`));
  }

  /** Connects, sees that the broker speaks our versions, and authenticates. @throws ReadError */
  static async open(address: Address, security: Security, { connect, answer }: Timeouts): Promise<Connection> {
    const name = oneLine(addressText(address), 253);
    const connection = new Connection(name, await openSocket(address, name, security, connect), security, answer);
    try {
      await connection.#greet();
      if (security.sasl) await connection.#authenticate(security.sasl);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Why it cannot be used any more. */
  get broken(): ReadError | undefined {
    return this.#broken;
  }

  /** Sends one call and decodes its answer. @throws ReadError */
  async request<T>(api: Api, body: Buffer, decode: (answer: Buffer) => T): Promise<T> {
    const answer = await this.#send(api, body);
    try {
      return decode(answer);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      throw this.#break(`gives an answer to ${api} that cannot be read (${error.message})`);
    }
  }

  close(): void {
    this.#break('was left');
  }

  #hint(): string {
    const { tls, sasl } = this.#security;
    return `; it may want ${[...(tls ? [] : ['tls: true']), sasl ? 'another sasl mechanism' : 'sasl'].join(' or ')}`;
  }

  #send(api: Api, body: Buffer): Promise<Buffer> {
    if (this.#broken) return Promise.reject(this.#broken);
    const { key, version } = APIS[api];
    const correlation = ++this.#correlation;
    const header = new Encoder().int16(key).int16(version).int32(correlation).string(CLIENT).done();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#break(`did not answer within ${this.#timeout} ms`, 'timeout'), this.#timeout);
      this.#waiting.push({ correlation, most: api === 'fetch' ? MAX_ANSWER : MAX_LIST, resolve, reject, timer });
      this.#socket.write(
        new Encoder()
          .int32(header.length + body.length)
          .raw(header)
          .raw(body)
          .done(),
      );
    });
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#have += chunk.length;
    while (this.#have >= 8 && this.#broken === undefined) {
      if ((this.#chunks[0] as Buffer).length < 8) this.#chunks = [Buffer.concat(this.#chunks)];
      const head = this.#chunks[0] as Buffer;
      const size = head.readInt32BE(0);
      if (size < 4 || size > (this.#waiting[0]?.most ?? MAX_LIST)) {
        this.#break(`does not speak Kafka's protocol${this.#hint()}`);
        return;
      }
      if (this.#have < size + 4) return;
      const all = this.#chunks.length === 1 ? head : Buffer.concat(this.#chunks);
      this.#chunks = all.length > size + 4 ? [all.subarray(size + 4)] : [];
      this.#have = all.length - size - 4;
      this.#answer(all.readInt32BE(4), all.subarray(8, size + 4));
    }
  }

  #answer(correlation: number, body: Buffer): void {
    const waiting = this.#waiting[0];
    if (waiting?.correlation !== correlation) {
      this.#break('answers what was not asked');
      return;
    }
    this.#waiting.shift();
    clearTimeout(waiting.timer);
    waiting.resolve(body);
  }

  /** Ends the connection; the first reason is the one that holds. */
  #break(message: string, code: 'unreadable' | 'timeout' = 'unreadable'): ReadError {
    this.#broken ??= new ReadError(code, this.name, message);
    this.#socket.destroy();
    for (const { reject, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      reject(this.#broken);
    }
    return this.#broken;
  }

  async #greet(): Promise<void> {
    const { lacking } = await this.request('apiVersions', Buffer.alloc(0), decodeApiVersions);
    if (lacking.length > 0)
      throw new ReadError('unreadable', this.name, `does not speak our ${lacking.join(', ')}; Kafka 2.1 or newer is needed`);
  }

  async #authenticate(credentials: Credentials): Promise<void> {
    const mechanism = credentials.mechanism.toUpperCase();
    const { error, mechanisms } = await this.request('saslHandshake', encodeSaslHandshake(mechanism), decodeSaslHandshake);
    if (error === ERRORS.ILLEGAL_SASL_STATE) throw this.#refused('wants no SASL on this port');
    if (error !== 0) throw this.#refused(`does not take ${mechanism}; it takes ${mechanisms.join(', ') || 'nothing that it names'}`);
    try {
      await authenticate(credentials, async (message) => {
        const answer = await this.request('saslAuthenticate', encodeSaslAuthenticate(message), decodeSaslAuthenticate);
        if (answer.error !== 0)
          throw this.#refused(`refuses the credentials of ${credentials.username} (${answer.message || errorName(answer.error)})`);
        return answer.reply;
      });
    } catch (fault) {
      throw fault instanceof Distrusted ? this.#refused(fault.message) : fault;
    }
  }

  #refused(message: string): ReadError {
    return new ReadError('unreadable', this.name, oneLine(message));
  }
}

function openSocket({ host, port }: Address, name: string, { tls, ca }: Security, timeout: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = tls
      ? connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) })
      : connectTcp({ host, port });
    socket.setNoDelay(true);
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new ReadError('timeout', name, `cannot be reached within ${timeout} ms`));
    }, timeout);
    const failed = (error: NodeJS.ErrnoException): void => {
      clearTimeout(timer);
      reject(new ReadError('unreadable', name, `cannot be reached${tls ? ' over TLS' : ''} (${error.code ?? error.message})`));
    };
    socket.once('error', failed);
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      socket.off('error', failed);
      resolve(socket);
    });
  });
}
