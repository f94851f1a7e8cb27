import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { type BrokerMessage, type Input, ReadError } from '../../model/collector.ts';
import type { CoverageInput, CoverageProblem } from '../../model/snapshot.ts';
import { compareNames, oneLine } from '../../model/text.ts';
import { formatDuration, toIso } from '../../model/time.ts';
import type { ReadSecret } from '../http.ts';
import type { Opened, Reader, ReadRequest } from '../reader.ts';
import { Cluster } from './cluster.ts';
import type { Security } from './connection.ts';
import { errorName, ERRORS, EARLIEST, type FetchAnswer, isPassing, LATEST, type Metadata } from './protocol.ts';
import { fetchAll, listOffsets, type Outcome } from './calls.ts';
import { PartitionWindow, type Stretch } from './partitions.ts';
import { noRecords, readRecords } from './records.ts';
import { lengthOf, type Topic, TopicRun } from './topic-run.ts';

/** How often in a row a partition is tried in vain, and how long the first wait is; each further one doubles it. */
export interface Patience {
  tries: number;
  /** Milliseconds. */
  wait: number;
}

const PATIENCE: Patience = { tries: 8, wait: 100 };
const LONGEST_WAIT = 2000;
/** Far more than any topic has: what a broker claims beyond that is not believed. */
const MAX_PARTITIONS = 20_000;
const DEFAULT_WINDOW = 3_600_000;
const Options = z.looseObject({ window: z.number().positive().default(DEFAULT_WINDOW) });

/**
 * Consumes the window before now from Kafka's brokers: each topic is one input of messages. It joins no group, commits no
 * offset and creates no topic; the six calls that it knows can do none of it (see `APIS`).
 *
 * Coverage has an input per topic: `ok`, `empty` (no message in the window), `missing` (no such topic), `unreadable`, or
 * `truncated` where a budget ended the reading; its bytes are those of the messages' values, and grow while the messages are
 * taken. Of a window over the budgets, the newest share is read, and of all partitions the same one.
 */
export function kafkaReader(readSecret: ReadSecret, patience: Patience = PATIENCE): Reader {
  return async (request) => {
    const { brokers = [], budget } = request.location;
    const cluster = new Cluster(brokers, securityOf(request, readSecret), budget.time);
    try {
      const session = new Session(cluster, request, patience);
      await session.open();
      return session.opened;
    } catch (error) {
      cluster.close();
      throw error;
    }
  };
}

function securityOf({ location: { tls, ca_file, sasl } }: ReadRequest, readSecret: ReadSecret): Security {
  const secret = (path: string): string => {
    try {
      return readSecret(path).trim();
    } catch (error) {
      throw new ReadError('unreadable', path, `cannot be read (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`);
    }
  };
  return {
    tls,
    ...(ca_file !== undefined && { ca: secret(ca_file) }),
    ...(sasl && { sasl: { mechanism: sasl.mechanism, username: sasl.username, password: secret(sasl.password_file) } }),
  };
}

class Session {
  readonly opened: Opened;
  readonly #cluster: Cluster;
  readonly #request: ReadRequest;
  readonly #patience: Patience;
  readonly #begun = performance.now();
  /** Topics that were not read yet. */
  readonly #unread = new Set<Topic>();
  #messages: number;
  #bytes: number;

  constructor(cluster: Cluster, request: ReadRequest, patience: Patience) {
    this.#cluster = cluster;
    this.#request = request;
    this.#patience = patience;
    this.#messages = request.location.budget.messages;
    this.#bytes = request.location.budget.bytes;
    this.opened = { inputs: [], coverage: [], problems: [], close: () => cluster.close() };
  }

  get #timeLeft(): number {
    return this.#request.location.budget.time - (performance.now() - this.#begun);
  }

  /** Finds the topics and the window of each of their partitions. @throws ReadError where no broker answers */
  async open(): Promise<void> {
    const { location } = this.#request;
    if (location.sasl?.mechanism === 'plain' && !location.tls)
      this.#problem({ effect: 'note', message: 'sasl plain without tls sends the password in the clear' });
    const names = [...new Set(location.topics)].sort(compareNames);
    const metadata = await this.#metadata(names);
    const topics = names.flatMap((name) => this.#topicOf(name, metadata) ?? []);
    const windows = await this.#findWindows(
      topics.flatMap((topic) => topic.partitions.map((partition) => ({ ...partition, topic: topic.name }))),
    );
    for (const { name } of topics) this.#add(name, windows.get(name) ?? []);
  }

  /** Metadata, asked again while a topic has no leader: that is what an election looks like. */
  async #metadata(names: readonly string[]): Promise<Metadata> {
    for (let attempt = 1; ; attempt++) {
      const metadata = await this.#cluster.metadata(names);
      const electing = [...metadata.topics.values()].some(
        (t) => t.error === ERRORS.LEADER_NOT_AVAILABLE || t.partitions.some((p) => p.leader < 0),
      );
      if (!electing || attempt >= this.#patience.tries || this.#timeLeft <= 0) return metadata;
      await this.#wait(attempt);
    }
  }

  #topicOf(name: string, { topics }: Metadata): { name: string; partitions: { partition: number; leader: number }[] } | undefined {
    const found = topics.get(name);
    const error = found?.error ?? ERRORS.UNKNOWN_TOPIC_OR_PARTITION;
    if (found !== undefined && error === 0 && found.partitions.length <= MAX_PARTITIONS)
      // A broker may name one twice; it is read once.
      return { name, partitions: [...new Map(found.partitions.map((p) => [p.partition, p])).values()] };
    const [status, message] = error === 0 ? (['unreadable', `has more than ${MAX_PARTITIONS} partitions`] as const) : topicFault(error);
    this.opened.coverage.push({ name, status, bytes: 0 });
    this.#problem({ effect: 'input', input: name, message });
    return undefined;
  }

  async #findWindows(partitions: readonly { topic: string; partition: number; leader: number }[]): Promise<Map<string, PartitionWindow[]>> {
    const { now, options } = this.#request;
    const parsed = Options.safeParse(options ?? {});
    const since = now - (parsed.success ? parsed.data.window : DEFAULT_WINDOW);
    const ends = await this.#offsets(partitions, LATEST);
    const answered = partitions.filter((at) => ends.get(keyOf(at))?.failure === undefined);
    const starts = await this.#offsets(answered, since);
    const windows = new Map<string, PartitionWindow[]>();
    for (const at of partitions) {
      const key = keyOf(at);
      const [start, end] = [starts.get(key), ends.get(key)];
      const failure = end?.failure ?? start?.failure;
      const to = end?.offset ?? 0;
      // -1: nothing is as late as the window, which is no reason to read it from anywhere.
      const from = start === undefined || start.offset < 0 ? to : Math.min(start.offset, to);
      const window = new PartitionWindow(at, { from, to });
      if (failure !== undefined) window.failure = failure;
      const all = windows.get(at.topic);
      if (all === undefined) windows.set(at.topic, [window]);
      else all.push(window);
    }
    for (const [topic, all] of windows) {
      if (all.every((p) => p.failure === undefined && p.length === 0) && all.some((p) => p.window.to > 0))
        this.#problem({ effect: 'note', input: topic, message: `none of its messages is of ${toIso(since)} or later` });
    }
    return windows;
  }

  /** Offsets by time, of every partition; what cannot be had after all tries says why. */
  async #offsets(
    partitions: readonly { topic: string; partition: number; leader: number }[],
    timestamp: number,
  ): Promise<Map<string, { offset: number; failure?: string }>> {
    const found = new Map<string, { offset: number; failure?: string }>();
    let pending = partitions.map((at) => ({ ...at, timestamp }));
    for (let attempt = 1; pending.length > 0; attempt++) {
      const outcomes = await listOffsets(this.#cluster, pending);
      const again: typeof pending = [];
      for (const { query, answer, failure, passing } of outcomes) {
        const key = keyOf(query);
        if (answer !== undefined) found.set(key, { offset: answer.offset });
        else if (passing && attempt < this.#patience.tries && this.#timeLeft > 0) again.push(query);
        else found.set(key, { offset: -1, failure: failure ?? 'gives no offset' });
      }
      pending = again;
      if (pending.length > 0) await this.#elect(pending, attempt);
    }
    return found;
  }

  /** Waits, and asks anew who leads these partitions. */
  async #elect(partitions: readonly { topic: string; partition: number; leader: number }[], attempt: number): Promise<void> {
    await this.#wait(attempt);
    let metadata: Metadata;
    try {
      metadata = await this.#cluster.metadata([...new Set(partitions.map((p) => p.topic))]);
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      return;
    }
    for (const at of partitions) {
      const known = metadata.topics.get(at.topic)?.partitions.find((p) => p.partition === at.partition);
      if (known !== undefined) at.leader = known.leader;
    }
  }

  async #wait(attempt: number): Promise<void> {
    await sleep(Math.max(0, Math.min(this.#patience.wait * 2 ** (attempt - 1), LONGEST_WAIT, this.#timeLeft)));
  }

  #add(name: string, partitions: PartitionWindow[]): void {
    const length = partitions.reduce((sum, p) => sum + p.length, 0);
    const failed = partitions.length > 0 && partitions.every((p) => p.failure !== undefined);
    const coverage: CoverageInput = { name, status: failed ? 'unreadable' : length === 0 ? 'empty' : 'ok', bytes: 0 };
    const topic: Topic = { name, partitions, coverage };
    this.opened.coverage.push(coverage);
    if (failed) {
      this.#tellFailures(topic);
      return;
    }
    this.#unread.add(topic);
    const input: Input = { name, size: length, bytes: () => [], messages: () => this.#read(topic) };
    this.opened.inputs.push(input);
  }

  /** The messages of a topic: its share of what is left of the budgets goes by how much of the window it has. */
  async *#read(topic: Topic): AsyncGenerator<readonly BrokerMessage[]> {
    if (!this.#unread.has(topic)) return;
    const length = lengthOf([topic]);
    const fraction = length === 0 ? 0 : length / lengthOf(this.#unread);
    this.#unread.delete(topic);
    const messages = Math.floor(this.#messages * fraction);
    const run = new TopicRun(topic, {
      share: length === 0 ? 1 : Math.min(1, messages / length),
      bytes: this.#bytes * fraction,
      until: performance.now() + this.#timeLeft * fraction,
    });
    let read = 0;
    for (const stretches of run.rounds) {
      for await (const found of this.#readStretches(run, stretches)) {
        read += found.length;
        yield found;
      }
      if (run.spent) break;
    }
    // What one topic takes over its share, as answers come whole, is not taken from the others.
    this.#messages -= Math.min(read, messages);
    this.#bytes -= Math.min(topic.coverage.bytes, run.bytes);
    this.#tellFailures(topic);
    this.#tellBudget(run, { read, messages });
    for (const [reason, n] of run.skipped)
      this.#problem({ effect: 'input', input: topic.name, message: `${n} ${n === 1 ? 'batch' : 'batches'} left out: ${reason}` });
  }

  async *#readStretches(run: TopicRun, stretches: ReadonlyMap<PartitionWindow, Stretch>): AsyncGenerator<readonly BrokerMessage[]> {
    for (const [partition, stretch] of stretches) partition.open(stretch);
    let pending = [...stretches.keys()].filter((p) => p.pending);
    while (pending.length > 0 && !run.spent) {
      const outcomes = await fetchAll(this.#cluster, pending, run.bytesLeft);
      for (const outcome of outcomes) yield* this.#take(run, outcome, pending.length);
      // A broker fills its answer in the order that it was asked in: the next one begins with another partition.
      const rest = pending.filter((p) => p.pending);
      pending = [...rest.slice(1), ...rest.slice(0, 1)];
      const leaderless = pending.filter((p) => p.vain > 0 && p.leaderLost);
      if (leaderless.length > 0) await this.#elect(leaderless, Math.max(...leaderless.map((p) => p.vain)));
    }
  }

  /** What one partition answered, as messages, batch by batch. */
  async *#take(
    run: TopicRun,
    { query: partition, answer, failure, passing }: Outcome<PartitionWindow, FetchAnswer>,
    others: number,
  ): AsyncGenerator<BrokerMessage[]> {
    partition.leaderLost = answer === undefined;
    if (answer === undefined) {
      partition.vain++;
      if (!passing || partition.vain >= this.#patience.tries) partition.failure = failure ?? 'gives no records';
      return;
    }
    if (answer.error === ERRORS.OFFSET_OUT_OF_RANGE) {
      await this.#skipExpired(partition);
      return;
    }
    const found = noRecords();
    const request = { topic: partition.topic, from: partition.position, to: partition.end, aborted: answer.aborted };
    let counted = 0;
    for await (const messages of readRecords(answer.records, request, found)) {
      run.topic.coverage.bytes += found.bytes - counted;
      counted = found.bytes;
      yield messages;
      if (run.overrun) break;
    }
    for (const [reason, n] of found.skipped) run.skipped.set(reason, (run.skipped.get(reason) ?? 0) + n);
    const before = partition.position;
    // An answer has room for the first partitions that it was asked for, and each is among these in its turn.
    if (found.next !== null) partition.advance(found.next);
    if (partition.position === before && ++partition.vain > others) {
      if (answer.records.length === 0) partition.advance(partition.end);
      else partition.failure = 'has a batch too large or too damaged to be read past';
    }
  }

  /** Retention took what was about to be read: goes on where the log begins now. */
  async #skipExpired(partition: PartitionWindow): Promise<void> {
    const { partition: number, topic, leader } = partition;
    const found = (await this.#offsets([{ topic, partition: number, leader }], EARLIEST)).get(keyOf(partition));
    if (found === undefined || found.failure !== undefined || found.offset <= partition.position) {
      partition.failure = found?.failure ?? 'was cut short while it was read';
      return;
    }
    partition.expired += Math.min(found.offset, partition.end) - partition.position;
    partition.advance(found.offset);
  }

  #tellFailures({ name, partitions, coverage }: Topic): void {
    const byReason = new Map<string, number[]>();
    for (const { failure, partition } of partitions) {
      if (failure !== undefined) byReason.set(failure, [...(byReason.get(failure) ?? []), partition]);
    }
    for (const [reason, numbers] of byReason)
      this.#problem({ effect: 'input', input: name, place: placeOf(numbers), message: `not read to its end: ${reason}` });
    if (byReason.size > 0 && coverage.status === 'ok') coverage.status = partitions.some((p) => p.covered > 0) ? 'truncated' : 'unreadable';
    const expired = partitions.reduce((sum, p) => sum + p.expired, 0);
    if (expired > 0) this.#problem({ effect: 'note', input: name, message: `up to ${expired} messages expired before they could be read` });
  }

  #tellBudget(run: TopicRun, { read, messages }: { read: number; messages: number }): void {
    const { topic } = run;
    const whole = topic.partitions.filter((p) => p.failure === undefined);
    const length = whole.reduce((sum, p) => sum + p.length, 0);
    const covered = whole.reduce((sum, p) => sum + p.covered, 0);
    if (covered >= length) return;
    const { budget } = this.#request.location;
    const over =
      run.spent === 'bytes'
        ? `budget.bytes (${budget.bytes})`
        : run.spent === 'time'
          ? `budget.time (${formatDuration(budget.time)})`
          : `budget.messages (${budget.messages}, of which ${messages} here)`;
    topic.coverage.status = 'truncated';
    this.#problem({
      effect: 'input',
      input: topic.name,
      message: `the newest ${((100 * covered) / length).toFixed(1)} % of the window was read, of all partitions alike (${read} messages, about ${length - covered} left): over ${over}`,
    });
  }

  #problem(problem: CoverageProblem): void {
    this.opened.problems.push({ ...problem, message: oneLine(problem.message) });
  }
}

function topicFault(error: number): [CoverageInput['status'], string] {
  switch (error) {
    case ERRORS.UNKNOWN_TOPIC_OR_PARTITION:
      return ['missing', 'is no topic of these brokers, or one that this user may not describe'];
    case ERRORS.INVALID_TOPIC:
      return ['missing', 'is no name of a topic'];
    case ERRORS.TOPIC_AUTHORIZATION_FAILED:
      return ['unreadable', 'may not be described by this user'];
    default:
      return ['unreadable', isPassing(error) ? 'has no leader now' : `is answered with ${errorName(error)}`];
  }
}

function keyOf({ topic, partition }: { topic: string; partition: number }): string {
  return `${topic}/${partition}`;
}

const PLACES = 10;

function placeOf(partitions: readonly number[]): string {
  const listed = partitions.toSorted((a, b) => a - b).slice(0, PLACES);
  const more = partitions.length - listed.length;
  return `partition ${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
