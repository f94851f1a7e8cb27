import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Location } from '../../lib/config.ts';
import type { BrokerMessage } from '../../lib/model/collector.ts';
import { kafkaReader } from '../../lib/readers/kafka/reader.ts';
import type { Opened } from '../../lib/readers/reader.ts';
import { digest } from '../../lib/steps/digest.ts';
import { requireDebian } from './debian.ts';
import { KafkaBroker, findKafka } from './kafka-broker.ts';

const tools = [requireDebian('kcat', 'kcat'), requireDebian('openssl', 'openssl')];
const jars = tools.find((tool) => tool.missing !== undefined) ?? findKafka();
const why = jars.missing === undefined ? '' : ` (skipped: ${jars.missing})`;
if (why !== '') console.warn(`skipped: Apache Kafka: ${jars.missing}`);

const HOUR = 3_600_000;
const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];
const LINES = Array.from({ length: 3000 }, (_, i) => `{"timestamp":${i},"host":"x1000c0s0b0n0","value":"line ${i}"}`);

describe.skipIf(why !== '')(`a window from Apache Kafka${why}`, () => {
  let broker: KafkaBroker;

  beforeAll(async () => {
    broker = await KafkaBroker.start(jars.path as string);
  }, 180_000);
  afterAll(() => broker?.stop());

  async function open(location: object, now = Date.now(), { tries = 5, secret = 'a-secret' } = {}): Promise<Opened> {
    const parsed = { ...Location.parse({ brokers: [broker.plain], ...location }), roles: {} };
    return kafkaReader(() => secret, { tries, wait: 50 })({
      location: parsed,
      plan: { shape: 'logs', kafka: true },
      now,
      options: { window: HOUR },
    });
  }

  async function readAll(location: object, now?: number): Promise<{ opened: Opened; messages: BrokerMessage[]; texts: string[] }> {
    return take(await open(location, now));
  }

  async function take(opened: Opened): Promise<{ opened: Opened; messages: BrokerMessage[]; texts: string[] }> {
    const messages: BrokerMessage[] = [];
    for (const input of opened.inputs) for await (const batch of input.messages?.() ?? []) messages.push(...batch);
    opened.close();
    return { opened, messages, texts: messages.map((m) => Buffer.from(m.value ?? []).toString()).sort() };
  }

  const sorted = LINES.toSorted();
  const sasl = (mechanism: string, username = 'reader'): object => ({
    brokers: [broker.sasl],
    sasl: { mechanism, username, password_file: 'p' },
  });

  it.each(CODECS)('every message once, %s', async (codec) => {
    broker.produce(`allowed-${codec}`, LINES, '-z', codec);
    const { opened, texts } = await readAll({ topics: [`allowed-${codec}`] });
    expect(texts).toEqual(sorted);
    expect(opened.problems).toEqual([]);
    expect(opened.coverage).toEqual([{ name: `allowed-${codec}`, status: 'ok', bytes: LINES.join('').length }]);
  });

  it.each(CODECS.slice(1))("every message once, packed anew by Java's %s", async (codec) => {
    broker.create(`java-${codec}`, '--config', `compression.type=${codec}`);
    broker.produce(`java-${codec}`, [...LINES, 'Wärme'], '-z', codec === 'gzip' ? 'lz4' : 'gzip');
    const { opened, texts } = await readAll({ topics: [`java-${codec}`] });
    expect(texts).toEqual([...LINES, 'Wärme'].sort());
    expect(opened.problems).toEqual([]);
  });

  it('over TLS, by the authority that was given and no other', async () => {
    const topic = { brokers: [broker.tls], topics: ['allowed-gzip'], tls: true };
    const { texts, opened } = await take(await open({ ...topic, ca_file: 'ca' }, Date.now(), { secret: broker.ca }));
    expect([texts, opened.problems]).toEqual([sorted, []]);
    await expect(open(topic)).rejects.toMatchObject({
      name: 'ReadError',
      message: expect.stringMatching(/over TLS .*(SELF_SIGNED|UNABLE_TO)/),
    });
    await expect(open({ ...topic, tls: false })).rejects.toThrow('tls: true');
  });

  it('by the time of the append, and by that of the producer', async () => {
    broker.create('appended', '--config', 'message.timestamp.type=LogAppendTime');
    broker.produce('appended', ['late', 'later']);
    broker.produce('dated', ['late', 'later']);
    const { messages } = await readAll({ topics: ['appended'] });
    expect(messages.map((m) => Math.abs(Date.now() - m.timestamp) < HOUR)).toEqual([true, true]);
    // Two hours on, the window holds none of them.
    const later = await readAll({ topics: ['appended', 'dated'] }, Date.now() + 2 * HOUR);
    expect(later.messages).toEqual([]);
    expect(later.opened.coverage.map((c) => c.status)).toEqual(['empty', 'empty']);
    expect(later.opened.problems.map((p) => p.effect)).toEqual(['note', 'note']);
  });

  it('over the gaps that compaction leaves', async () => {
    const settings = ['cleanup.policy=compact', 'segment.ms=500', 'min.cleanable.dirty.ratio=0.001', 'max.compaction.lag.ms=500'];
    broker.create('compacted', '--partitions', '1', ...settings.flatMap((s) => ['--config', s]));
    const keyed = Array.from({ length: 400 }, (_, i) => `key${i % 20}:value ${i}`);
    broker.produce('compacted', keyed, '-K:');
    await sleep(1500);
    broker.produce('compacted', ['end:end'], '-K:');
    let texts: string[] = [];
    for (let i = 0; i < 40 && (texts.length === 0 || texts.length > 100); i++) {
      await sleep(1000);
      ({ texts } = await readAll({ topics: ['compacted'] }));
    }
    expect(texts).toEqual([...keyed.slice(-20).map((line) => line.split(':')[1] as string), 'end'].toSorted());
  });

  it('what a transaction took back is not there', async () => {
    broker.create('transacted', '--partitions', '1');
    broker.transact('transacted', [
      ['kept 1', 'commit'],
      ['taken back', 'abort'],
      ['kept 2', 'commit'],
    ]);
    let [texts, opened] = [[] as string[], undefined as Opened | undefined];
    // The markers are written after the producer was told.
    for (let i = 0; i < 20 && texts.length < 2; i++) {
      await sleep(250);
      ({ texts, opened } = await readAll({ topics: ['transacted'] }));
    }
    expect(texts).toEqual(['kept 1', 'kept 2']);
    expect(opened?.problems).toEqual([]);
  });

  it('an empty topic is empty, and one that does not exist is missing, and still is', async () => {
    broker.create('silent');
    const before = broker.topics();
    const { opened } = await readAll({ topics: ['nowhere', 'silent'] });
    expect(opened.coverage).toEqual([
      { name: 'nowhere', status: 'missing', bytes: 0 },
      { name: 'silent', status: 'empty', bytes: 0 },
    ]);
    expect(opened.problems).toMatchObject([{ effect: 'input', input: 'nowhere' }]);
    expect(broker.topics()).toEqual(before);
  });

  it('of more than the budget, the newest share of every partition', async () => {
    broker.create('large', '--partitions', '3');
    for (const partition of ['0', '1', '2']) broker.produce('large', LINES, '-p', partition);
    const { opened, texts } = await readAll({ topics: ['large'], budget: { messages: 900 } });
    expect(texts).toEqual(
      LINES.slice(-300)
        .flatMap((line) => [line, line, line])
        .sort(),
    );
    expect(opened.coverage).toMatchObject([{ name: 'large', status: 'truncated' }]);
    expect(opened.problems).toMatchObject([{ effect: 'input', message: expect.stringContaining('newest 10.0 %') }]);
  });

  it('reading and describing the topic is all that a user has to be allowed', async () => {
    broker.allow('reader', 'allowed-');
    for (const mechanism of ['plain', 'scram-sha-256', 'scram-sha-512']) {
      expect((await readAll({ ...sasl(mechanism), topics: ['allowed-zstd'] })).texts).toEqual(sorted);
    }
    const refused = await readAll({ ...sasl('scram-sha-256'), topics: ['allowed-gzip', 'large'] });
    expect(refused.texts).toEqual(sorted);
    expect(refused.opened.coverage).toMatchObject([
      { name: 'large', status: 'unreadable' },
      { name: 'allowed-gzip', status: 'ok' },
    ]);
  });

  it('refused credentials name the broker and the user', async () => {
    await expect(open({ ...sasl('scram-sha-512'), topics: ['large'] }, Date.now(), { secret: 'a guess' })).rejects.toMatchObject({
      name: 'ReadError',
      input: broker.sasl,
      message: expect.stringContaining('credentials of reader'),
    });
    await expect(open({ topics: ['large'], brokers: [broker.sasl] })).rejects.toThrow('sasl');
    await expect(open({ topics: ['large'], tls: true })).rejects.toThrow('over TLS');
  });

  it('is digested as a captured window is', async () => {
    const now = Date.now();
    broker.produce('sensors', [`{"timestamp":${now},"location":"x1000c0s0b0n0","name":"power","units":"W","value":412}`]);
    const location = { ...Location.parse({ brokers: [broker.plain], topics: ['sensors'] }), roles: {} };
    const base = {
      source: 'kafka_telemetry',
      options: { window: HOUR },
      cluster: 'demo',
      now: Date.now(),
      timezone: 'UTC',
      nodeDomains: [],
      rules: {},
      handed: { state: 'none' as const },
    };
    const options = (await import('../../lib/collectors/registry.ts')).collectorOf('kafka_telemetry')?.options.parse({ window: '1h' });
    const reply = await digest({ ...base, options, location }, { brokers: kafkaReader(() => '') });
    expect(reply).toMatchObject({ digest: { status: 'ok', coverage: { records: 1, inputs: [{ name: 'sensors', status: 'ok' }] } } });
  });

  it('a leader that goes away is waited for, and missed when it stays away', async () => {
    const patient = { topics: ['allowed-gzip', 'allowed-lz4'], budget: { time: '10m' } };
    const opened = await open(patient, Date.now(), { tries: 200 });
    const gone = await open({ topics: ['allowed-gzip'] }, Date.now(), { tries: 3 });
    await broker.kill();
    const missed = await take(gone);
    expect(missed.texts).toEqual([]);
    expect(missed.opened.coverage).toMatchObject([{ name: 'allowed-gzip', status: 'unreadable' }]);
    expect(missed.opened.problems).toMatchObject([{ effect: 'input', message: expect.stringContaining(broker.plain) }]);
    const [{ texts }] = await Promise.all([take(opened), broker.restart()]);
    expect(opened.problems).toEqual([]);
    expect(texts).toEqual([...LINES, ...LINES].sort());
  });

  it('leaves nothing behind: no group, no offset, no topic', () => {
    expect(broker.tool('ConsumerGroupCommand', '--list', '--timeout', '60000').trim()).toBe('');
    const topics = broker.tool('TopicCommand', '--list').split('\n');
    expect(topics).toContain('silent');
    // The topic of offsets comes to be with the first group that is looked for.
    expect(topics).not.toContain('__consumer_offsets');
    expect(topics).not.toContain('nowhere');
  });
});
