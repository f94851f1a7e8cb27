import { ReadError } from '../../model/collector.ts';
import { type Address, addressText, Connection, type Security, type Timeouts } from './connection.ts';
import { decodeMetadata, encodeMetadata, type Metadata } from './protocol.ts';

/** Brokers that were told of are asked as well where those of the configuration do not answer: so many of them. */
const MOST_ASKED = 16;

const CONNECT_TIMEOUT = 10_000;
const ANSWER_TIMEOUT = 30_000;
/** No broker may take more than this part of all the time that there is: the others have to be read too. */
const MOST_OF_TIME = 1 / 6;
const LEAST_TIMEOUT = 1000;

/** The brokers of a cluster as far as they are needed, each connected to once. */
export class Cluster {
  readonly #bootstrap: readonly Address[];
  readonly #security: Security;
  readonly #timeouts: Timeouts;
  readonly #connections = new Map<string, Promise<Connection>>();
  #brokers = new Map<number, Address>();
  #closed = false;

  /** @param time how long the whole reading may take, ms */
  constructor(brokers: readonly string[], security: Security, time: number) {
    this.#bootstrap = brokers.map(parseAddress);
    this.#security = security;
    const most = Math.max(LEAST_TIMEOUT, Math.ceil(time * MOST_OF_TIME));
    this.#timeouts = { connect: Math.min(CONNECT_TIMEOUT, most), answer: Math.min(ANSWER_TIMEOUT, most) };
  }

  /** Asks any broker who leads the partitions of these topics. @throws ReadError of the first broker, where none answers */
  async metadata(topics: readonly string[]): Promise<Metadata> {
    const failures: ReadError[] = [];
    const known = [...this.#brokers.values()].slice(0, MOST_ASKED);
    for (const address of [...this.#bootstrap, ...known]) {
      try {
        const connection = await this.#connect(address);
        const metadata = await connection.request('metadata', encodeMetadata(topics), decodeMetadata);
        this.#brokers = metadata.brokers;
        return metadata;
      } catch (error) {
        if (!(error instanceof ReadError)) throw error;
        failures.push(error);
      }
    }
    const [first, ...others] = failures as [ReadError, ...ReadError[]];
    const more = new Set(others.map((e) => e.input)).size;
    throw new ReadError(first.code, first.input, `${first.message}${more > 0 ? `, nor does any of ${more} others answer` : ''}`);
  }

  /** The connection to a broker by its number. @throws ReadError */
  async leader(id: number): Promise<Connection> {
    const address = this.#brokers.get(id);
    if (address === undefined) throw new ReadError('unreadable', `broker ${id}`, 'is not in the cluster now');
    return this.#connect(address);
  }

  close(): void {
    this.#closed = true;
    for (const pending of this.#connections.values()) {
      pending.then(
        (connection) => connection.close(),
        () => undefined,
      );
    }
  }

  async #connect(address: Address): Promise<Connection> {
    const key = addressText(address);
    if (this.#closed) throw new ReadError('unreadable', key, 'was left');
    const known = this.#connections.get(key);
    if (known !== undefined) {
      const found = await known.catch((error: unknown) => error);
      const failure = found instanceof Connection ? found.broken : found;
      // One that hangs would hang again, and hold up all others each time.
      if (failure === undefined || (failure instanceof ReadError && failure.code === 'timeout')) return known;
    }
    const opening = Connection.open(address, this.#security, this.#timeouts);
    this.#connections.set(key, opening);
    return opening;
  }
}

/** `host`, `host:port` or `[v6]:port`; 9092 where no port is given. @throws ReadError */
export function parseAddress(text: string): Address {
  const [, v6, name, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/\s]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = v6 ?? name;
  const number = port === undefined ? 9092 : Number(port);
  if (host === undefined || number < 1 || number > 65_535) throw new ReadError('unreadable', text, 'is no broker: expected host:port');
  return { host, port: number };
}
