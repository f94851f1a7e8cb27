import { AuditLine } from '../model/audit.ts';
import { canonicalJson, parseJson } from '../model/json.ts';
import { encodeSegment, type Store, StoreError } from '../store/store.ts';
import { GENESIS, hashLine, Head, PART_LINES } from './parts.ts';

/** Something in the log that is not as it was written; `line` counts from 1, 0 stands for the part as a whole. */
interface AuditFault {
  key: string;
  line: number;
  what: string;
}

interface AuditCheck {
  entries: number;
  parts: number;
  faults: AuditFault[];
}

/** A head of the log that is written down elsewhere: `by` names the report that says so. */
interface VouchedHead {
  hash: string;
  by: string;
}

interface Chain {
  seq: number;
  prevHash: string;
  head: Head | null;
  /** The hash that the head names was passed at its line. */
  sawHead: boolean;
  /** Told of every line whose content has its hash. */
  onSound: (hash: string) => void;
}

/**
 * Re-reads the whole audit log: every line's hash and form, every link, each writer's numbers without a gap, and its end.
 * Who can write to the state can make up a log that is right in itself; that one lacks the heads that reports vouch for.
 */
export async function verifyAudit(store: Store, vouched: Iterable<VouchedHead> = []): Promise<AuditCheck> {
  const check: AuditCheck = { entries: 0, parts: 0, faults: [] };
  const missing = new Map([...vouched].map(({ hash, by }) => [hash, by]));
  missing.delete(GENESIS);
  const partsOf = new Map<string, string[]>();
  for (const key of await store.list('audit')) {
    const [, day = '', writer = '', number = ''] = key.split('/');
    if (day === 'heads') partsOf.set(writer, partsOf.get(writer) ?? []);
    else if (/^\d{4}-\d{2}-\d{2}\/[^/]+\/\d{12}$/.test(`${day}/${writer}/${number}`))
      partsOf.set(writer, [...(partsOf.get(writer) ?? []), key]);
    else check.faults.push({ key, line: 0, what: 'is no part of the log' });
  }
  for (const [writer, parts] of [...partsOf].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await verifyWriter(store, writer, parts, check, (hash) => missing.delete(hash));
  }
  for (const [hash, by] of missing) check.faults.push({ key: by, line: 0, what: `vouches for line ${hash}, which is not in the log` });
  return check;
}

async function verifyWriter(
  store: Store,
  writer: string,
  parts: string[],
  check: AuditCheck,
  onSound: (hash: string) => void,
): Promise<void> {
  const headKey = `audit/heads/${writer}`;
  const head = await readOr(store.get(headKey, Head), (what) => check.faults.push({ key: headKey, line: 0, what }));
  const chain: Chain = { seq: 0, prevHash: GENESIS, head: head ?? null, sawHead: false, onSound };
  const number = (key: string): string => key.slice(-12);
  for (const key of parts.sort((a, b) => (number(a) < number(b) ? -1 : 1))) {
    check.parts++;
    const text = await readOr(store.getText(key), (what) => check.faults.push({ key, line: 0, what }));
    if (text !== null && text !== undefined) verifyPart(key, writer, text, chain, check);
  }
  // A writer that was killed right after its first line has no head yet.
  if (head === null && chain.seq > 1) check.faults.push({ key: headKey, line: 0, what: `is gone: the log's end cannot be vouched for` });
  if (head && !chain.sawHead)
    check.faults.push({ key: headKey, line: 0, what: `line ${head.seq} of the writer is gone or is not the one that was written` });
}

function verifyPart(key: string, writer: string, text: string, chain: Chain, check: AuditCheck): void {
  const fault = (line: number, what: string): void => void check.faults.push({ key, line, what });
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else fault(lines.length, 'the last line has no end');
  if (lines.length === 0) fault(0, 'is empty');
  if (lines.length > PART_LINES) fault(0, `has ${lines.length} lines, more than ${PART_LINES}`);
  for (const [i, raw] of lines.entries()) {
    check.entries++;
    const line = readLine(raw);
    if (typeof line === 'string') {
      fault(i + 1, line);
      continue;
    }
    if (hashLine(line) === line.hash) chain.onSound(line.hash);
    else fault(i + 1, 'its content does not have its hash');
    if (encodeSegment(line.writer) !== writer) fault(i + 1, 'belongs to another writer');
    if (line.at.slice(0, 10) !== key.split('/')[1]) fault(i + 1, 'belongs to another day');
    if (i === 0 && line.seq !== Number(key.slice(-12))) fault(i + 1, `is number ${line.seq}, not the one that the part is named by`);
    if (line.seq !== chain.seq) fault(i + 1, `is number ${line.seq} where ${chain.seq} was due: lines are missing or out of place`);
    if (line.prevHash !== chain.prevHash) fault(i + 1, 'does not follow the line before it');
    if (line.seq === chain.head?.seq && line.hash === chain.head.hash) chain.sawHead = true;
    chain.seq = line.seq + 1;
    chain.prevHash = line.hash;
  }
}

/** A line as it was written, or what is wrong with it. Only the very bytes that the log writes are a line. */
function readLine(raw: string): AuditLine | string {
  try {
    const value = parseJson(raw);
    const parsed = AuditLine.safeParse(value);
    if (!parsed.success) return 'is no entry';
    return canonicalJson(value) === raw ? (value as AuditLine) : 'is not in the form that is written';
  } catch {
    return 'is no JSON';
  }
}

/** undefined after a fault was told. */
async function readOr<T>(reading: Promise<T>, tell: (what: string) => void): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    tell(error.message);
    return undefined;
  }
}
