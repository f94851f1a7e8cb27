import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pbsState } from '../../lib/collectors/pbs_state/index.ts';
import { type Collected, type CollectContext, type Input, ReadError } from '../../lib/model/collector.ts';
import type { ConditionDraft } from '../../lib/model/condition.ts';

export const NOW = Date.parse('2026-11-30T08:45:00.000Z');
/** When the commands ran: 2026-11-30T08:43:00Z. */
export const STAMP = 1_796_028_180;
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Seconds since the epoch, so many milliseconds before the commands ran. */
export function before(ms: number): number {
  return STAMP - ms / 1000;
}

/** A wall clock reading as PBS prints it, so many milliseconds before the commands ran, in UTC-7. */
export function reading(ms: number): string {
  const [, day, month, year, time] =
    /^\w{3}, (\d{2}) (\w{3}) (\d{4}) ([\d:]{8})/.exec(new Date(STAMP * 1000 - 7 * HOUR - ms).toUTCString()) ?? [];
  return `Mon ${month} ${day?.replace(/^0/, ' ')} ${time} ${year}`;
}

/** An input that holds a text, or a value as JSON. */
export function input(name: string, content: unknown, extra: Partial<Input> = {}): Input {
  const bytes =
    content instanceof Uint8Array ? content : new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content));
  return { name, size: bytes.length, bytes: (from = 0) => [bytes.subarray(from)], ...extra };
}

/** An input that breaks off with an error. */
export function unreadable(name: string): Input {
  return {
    name,
    size: 100,
    *bytes() {
      yield new TextEncoder().encode('{"timestamp"');
      throw new ReadError('unreadable', name, 'lies on a stale mount');
    },
  };
}

type Records = Record<string, unknown>;

function document(name: string, section: string, records: Records, header: Records): Input {
  return input(name, { timestamp: STAMP, pbs_version: '2022.1.7', pbs_server: 'pbs01', [section]: records, ...header });
}

export const nodesFile = (nodes: Records, header: Records = {}): Input => document('pbsnodes.json', 'nodes', nodes, header);
export const jobsFile = (jobs: Records, header: Records = {}): Input => document('qstat-f.json', 'Jobs', jobs, header);
export const queuesFile = (queues: Records, header: Records = {}): Input => document('qstat-Qf.json', 'Queue', queues, header);
export const serverFile = (server: Records, header: Records = {}): Input => document('qstat-Bf.json', 'Server', { pbs01: server }, header);

export type Result = Collected<unknown>;
export type Extra = Partial<CollectContext<unknown, unknown>>;

export function collect(inputs: readonly Input[], extra: Extra = {}): Promise<Result> {
  return pbsState.collect(inputs, {
    cluster: 'democluster',
    now: NOW,
    config: pbsState.options.parse({}),
    timezone: 'America/Denver',
    nodeDomains: ['hsn.cm.demo.test'],
    rules: {},
    ...extra,
  });
}

/** The next run: what the last one handed on goes through its schema, as the store would send it. */
export function collectAfter(last: Result, inputs: readonly Input[], extra: Extra = {}): Promise<Result> {
  return collect(inputs, { ...extra, carry: pbsState.carry.parse(JSON.parse(JSON.stringify(last.carry))) });
}

/** The bundled cluster's dumps of one day. */
export function fixtures(day: 'healthy' | 'faulty'): Input[] {
  const path = fileURLToPath(new URL(`../../fixtures/democluster/${day}/pbs/`, import.meta.url));
  return readdirSync(path).map((name) => input(name, readFileSync(`${path}${name}`), { mtime: '2026-11-30T08:43:02.000Z' }));
}

export function severityOf(draft: ConditionDraft | undefined): string {
  return draft?.severity ?? pbsState.kinds.find((k) => k.kind === draft?.kind)?.severity ?? 'undeclared';
}

/** `warning node_down n1` of each condition, in the collector's order. */
export function heads(result: Result): string[] {
  return result.conditions.map((c) => `${severityOf(c)} ${c.kind} ${c.subject.id}`);
}

/** The one condition of a kind; fails where there is none or more. */
export function only(result: Result, kind: string): ConditionDraft {
  const found = result.conditions.filter((c) => c.kind === kind);
  if (found.length !== 1) throw new Error(`${found.length} conditions ${kind} among ${heads(result).join(', ')}`);
  return found[0] as ConditionDraft;
}

export function messages(result: Result, effect: 'input' | 'record' | 'note'): string[] {
  return result.coverage.problems.filter((p) => p.effect === effect).map((p) => p.message);
}
