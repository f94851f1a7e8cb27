import type { Driver } from 'unstorage';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { packFacts, type SubjectFacts } from '../../lib/store/shards.ts';
import type { Commit, Snapshots } from '../../lib/store/snapshots.ts';

export const SOURCE = 'weka_state';
/** The democluster's clock. */
export const NOW = Date.parse('2026-11-30T08:45:00Z');

/** A snapshot without anything in it, as it is handed to commit. */
export function emptySnapshot(id: string, source: string = SOURCE): Commit['snapshot'] {
  return {
    schema: 'hpc-observer/snapshot/1',
    source,
    cluster: 'democluster',
    id,
    collectedAt: '2026-11-30T08:45:00.000Z',
    asOf: '2026-11-30T08:45:00.000Z',
    asOfFrom: 'data',
    status: 'ok',
    coverage: { inputs: [], inputsTotal: 0, records: 0, rejected: 0, problems: [], observed: {} },
    summary: {},
    conditions: [],
    cleared: [],
    series: {},
  };
}

export function nodeFacts(count: number, value: (i: number) => number = () => 0): SubjectFacts[] {
  return Array.from({ length: count }, (_, i) => ({ subject: { type: 'node', id: `nid${i}` }, facts: { value: value(i) } }));
}

interface Given extends Omit<Partial<Commit>, 'facts' | 'carry'> {
  facts?: readonly SubjectFacts[];
  carry?: { version: number; value: unknown };
}

/** Commits under the next id at `now`; returns the id. */
export async function commitAt(snapshots: Snapshots, now: number, rest: Given = {}, source: string = SOURCE): Promise<string> {
  const id = await snapshots.nextId(source, now);
  const { facts = [], carry, ...more } = rest;
  await snapshots.commit({
    snapshot: emptySnapshot(id, source),
    facts: await packFacts(facts),
    ...(carry && { carry: { version: carry.version, text: JSON.stringify(carry.value) } }),
    ...more,
  });
  return id;
}

/** A store in memory that notes the keys written and removed, and fails or stops where it is told to. */
export function watchedDriver(): { driver: Driver; written: string[]; before: { write?: (key: string) => void | Promise<void> } } {
  const inner = memoryDriver();
  const written: string[] = [];
  const before: { write?: (key: string) => void | Promise<void> } = {};
  const driver: Driver = {
    ...inner,
    setItemRaw: async (key, value: string, options) => {
      await before.write?.(key.replaceAll(':', '/'));
      await inner.setItemRaw?.(key, value, options);
      written.push(key.replaceAll(':', '/'));
    },
  };
  return { driver, written, before };
}
