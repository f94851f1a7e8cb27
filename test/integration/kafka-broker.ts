import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const VERSION = '3.9.1';
const POM = `<project><modelVersion>4.0.0</modelVersion><groupId>test</groupId><artifactId>broker</artifactId><version>1</version>
<packaging>pom</packaging><dependencies>${['kafka_2.13', 'kafka-tools']
  .map(
    (name) => `<dependency><groupId>org.apache.kafka</groupId><artifactId>${name}</artifactId><version>${VERSION}</version></dependency>`,
  )
  .join('')}</dependencies></project>`;

const TRANSACT = `
import java.util.Map;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.serialization.StringSerializer;

class Transact {
  public static void main(String[] args) throws Exception {
    Map<String, Object> settings = Map.of("bootstrap.servers", args[0], "transactional.id", "test");
    try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      producer.initTransactions();
      for (int i = 2; i < args.length; i += 2) {
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(args[1], args[i])).get();
        if (args[i + 1].equals("commit")) producer.commitTransaction();
        else producer.abortTransaction();
      }
    }
  }
}
`;

/** Where Kafka's jars are, or why they are not here; a machine fetches them once. */
export type Jars = { path: string; missing?: undefined } | { path?: undefined; missing: string };

/** Looks for them, and fetches them where Maven and its repository can be had. */
export function findKafka(): Jars {
  const cache = join(tmpdir(), `hpc-observer-test-kafka-${VERSION}`);
  const path = join(cache, 'jars');
  try {
    execFileSync('java', ['-version'], { stdio: 'ignore' });
  } catch {
    return { missing: 'there is no Java to run Apache Kafka with' };
  }
  try {
    if (readdirSync(path).some((name) => name.startsWith('kafka-tools-'))) return { path };
  } catch {
    // Not fetched yet.
  }
  try {
    mkdirSync(cache, { recursive: true });
    writeFileSync(join(cache, 'pom.xml'), POM);
    execFileSync('mvn', ['-B', '-q', 'dependency:copy-dependencies', `-DoutputDirectory=${path}`], {
      cwd: cache,
      stdio: 'pipe',
      timeout: 240_000,
    });
    return { path };
  } catch (error) {
    return { missing: `Maven could not fetch Apache Kafka: ${(error as Error).message.split('\n')[0] ?? ''}` };
  }
}

/** A broker of its own on loopback (KRaft, one node), which makes topics that are asked for by those who let it. */
export class KafkaBroker {
  readonly plain: string;
  /** Takes PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512 of `reader` with `a-secret`, who may read and describe topics `allowed-…` alone. */
  readonly sasl: string;
  /** Speaks TLS with a certificate of {@link ca}. */
  readonly tls: string;
  readonly ca: string;
  readonly #jars: string;
  readonly #folder: string;
  #process: ChildProcess;

  private constructor(jars: string, folder: string, ports: readonly number[]) {
    this.#jars = jars;
    this.#folder = folder;
    this.plain = `127.0.0.1:${ports[0]}`;
    this.sasl = `127.0.0.1:${ports[1]}`;
    this.tls = `127.0.0.1:${ports[3]}`;
    this.ca = readFileSync(join(folder, 'ca.pem'), 'utf8');
    this.#process = this.#run();
  }

  #run(): ChildProcess {
    const settings = join(this.#folder, 'server.properties');
    return spawn('java', ['-Xmx320m', '-cp', `${this.#jars}/*`, 'kafka.Kafka', settings], { stdio: 'ignore' });
  }

  static async start(jars: string): Promise<KafkaBroker> {
    const folder = mkdtempSync(join(tmpdir(), 'hpc-observer-kafka-'));
    const ports = [await freePort(), await freePort(), await freePort(), await freePort()];
    makeCertificates(folder);
    writeFileSync(join(folder, 'server.properties'), properties(folder, ports));
    const scram = ['256', '512'].flatMap((bits) => ['--add-scram', `SCRAM-SHA-${bits}=[name=reader,password=a-secret]`]);
    java(jars, 'kafka.tools.StorageTool', 'format', '-t', 'AAAAAAAAAAAAAAAAAAAAAQ', '-c', join(folder, 'server.properties'), ...scram);
    const broker = new KafkaBroker(jars, folder, ports);
    await broker.#ready();
    return broker;
  }

  async #ready(): Promise<void> {
    for (let i = 0; i < 120 && !(await this.#answers()); i++) await sleep(500);
  }

  /** Ends it in the middle of whatever it does. */
  async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGKILL');
    if (this.#process.exitCode === null && this.#process.signalCode === null) await ended;
  }

  /** Starts it again with all that it had. */
  async restart(): Promise<void> {
    this.#process = this.#run();
    await this.#ready();
  }

  async #answers(): Promise<boolean> {
    try {
      execFileSync('kcat', ['-b', this.plain, '-L', '-m', '2'], { stdio: 'ignore', timeout: 5000 });
      return true;
    } catch {
      return false;
    }
  }

  /** One of Kafka's own tools; returns what it prints. */
  tool(name: 'TopicCommand' | 'ConsumerGroupCommand', ...args: string[]): string {
    const command = name === 'TopicCommand' ? 'TopicCommand' : 'consumer.group.ConsumerGroupCommand';
    return java(this.#jars, `org.apache.kafka.tools.${command}`, '--bootstrap-server', this.plain, ...args);
  }

  allow(user: string, prefix: string): void {
    const rule = ['--add', '--allow-principal', `User:${user}`, '--operation', 'Read', '--operation', 'Describe'];
    const topics = ['--topic', prefix, '--resource-pattern-type', 'prefixed'];
    java(this.#jars, 'kafka.admin.AclCommand', '--bootstrap-server', this.plain, ...rule, ...topics);
  }

  create(topic: string, ...settings: string[]): void {
    this.tool('TopicCommand', '--create', '--topic', topic, ...settings);
  }

  topics(): string[] {
    const listed = execFileSync('kcat', ['-b', this.plain, '-L', '-J'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    return (JSON.parse(listed) as { topics: { topic: string }[] }).topics.map(({ topic }) => topic).toSorted();
  }

  produce(topic: string, lines: readonly string[], ...args: string[]): void {
    execFileSync('kcat', ['-P', '-b', this.plain, '-t', topic, '-X', 'linger.ms=20', ...args], {
      input: lines.join('\n'),
      stdio: ['pipe', 'ignore', 'pipe'],
    });
  }

  /** Produces one message in a transaction each, which is then committed or aborted; kcat can only commit. */
  transact(topic: string, messages: readonly (readonly [string, 'commit' | 'abort'])[]): void {
    const source = join(this.#folder, 'Transact.java');
    writeFileSync(source, TRANSACT);
    java(this.#jars, source, this.plain, topic, ...messages.flat());
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function java(jars: string, ...args: string[]): string {
  return execFileSync('java', ['-Xmx128m', '-XX:TieredStopAtLevel=1', '-cp', `${jars}/*`, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 100_000,
  });
}

function properties(folder: string, [plain, sasl, controller, tls]: readonly number[]): string {
  const settings: Record<string, string> = {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    listeners: `PLAINTEXT://127.0.0.1:${plain},SASL_PLAINTEXT://127.0.0.1:${sasl},SSL://127.0.0.1:${tls},CONTROLLER://127.0.0.1:${controller}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SSL:SSL',
    'inter.broker.listener.name': 'PLAINTEXT',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': join(folder, 'server.pem'),
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    'listener.name.sasl_plaintext.plain.sasl.jaas.config':
      'org.apache.kafka.common.security.plain.PlainLoginModule required user_reader="a-secret";',
    'listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config': 'org.apache.kafka.common.security.scram.ScramLoginModule required;',
    'listener.name.sasl_plaintext.scram-sha-512.sasl.jaas.config': 'org.apache.kafka.common.security.scram.ScramLoginModule required;',
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': 'User:ANONYMOUS',
    'log.dirs': join(folder, 'data'),
    'offsets.topic.replication.factor': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'auto.create.topics.enable': 'true',
    'num.partitions': '3',
    'log.cleaner.backoff.ms': '200',
  };
  return Object.entries(settings)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}

/** An authority and a certificate of it for loopback: `ca.pem`, and `server.pem` with its key. */
function makeCertificates(folder: string): void {
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'rsa:2048', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=test authority');
  openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=127.0.0.1');
  writeFileSync(join(folder, 'extensions'), 'subjectAltName=IP:127.0.0.1\n');
  const sign = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'extensions', '-days', '2'];
  openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.crt', ...sign);
  const text = (name: string): string => readFileSync(join(folder, name), 'utf8');
  writeFileSync(join(folder, 'server.pem'), `${text('server.key')}${text('server.crt')}${text('ca.pem')}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
