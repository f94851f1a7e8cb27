import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { collectors } from '../../lib/collectors/registry.ts';
import { LifecycleState } from '../../lib/findings/judge.ts';
import { kinds } from '../../lib/findings/kinds.ts';
import { Change } from '../../lib/model/change.ts';
import { Snapshot } from '../../lib/model/snapshot.ts';
import { invoke, tools } from '../../lib/tools/registry.ts';
import { MAX_RESULT_BYTES } from '../../lib/tools/tool.ts';
import type { Report } from '../../lib/model/report.ts';
import { run } from '../../lib/steps/run.ts';
import { storedView } from '../../lib/steps/view.ts';
import { testObserver, type TestObserver } from '../observer.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures/democluster', import.meta.url));
const SOURCES = collectors.map((c) => c.source);
/** Where each source's files lie below a day. */
const FOLDERS: Record<string, string> = {
  hpcm_inventory: 'hpcm',
  weka_state: 'weka',
  console_logs: 'consoles',
  kafka_telemetry: 'telemetry',
  oneview_inventory: 'oneview/server-hardware',
  oneview_alerts: 'oneview/alerts',
  pbs_state: 'pbs',
};

let observer: TestObserver;
let whole: Report;
beforeAll(async () => {
  ({ report: whole } = await run(onDay('faulty')));
  observer.dispose();
});
afterEach(() => observer.dispose());

/** An observer over a copy of a bundled day, at its clock. */
function onDay(day: string): TestObserver {
  observer = testObserver(readFileSync(join(FIXTURES, day, 'config.yaml'), 'utf8'));
  cpSync(join(FIXTURES, day), observer.folder, { recursive: true });
  observer.truth = readFileSync(join(FIXTURES, 'fleet.yaml'), 'utf8');
  observer.now = Date.parse('2026-11-30T08:45:00Z');
  return observer;
}

/** Findings as they stand, by what makes them; groups and escalations may lean on other sources. */
function standing(report: Report, but?: string): string[] {
  return report.findings
    .filter((f) => f.source !== but && f.source !== 'observer')
    .map((f) => `${f.source} ${f.kind} ${f.subject.id} ${f.part ?? ''} ${f.conditions[0]?.severity}`)
    .sort();
}

describe('the faulty day', { timeout: 60_000 }, () => {
  it('shows findings of all seven sources at warning or above, each with evidence, hint and provenance', async () => {
    const { report } = await run(onDay('faulty'));
    for (const source of SOURCES)
      expect(report.findings.filter((f) => f.source === source && f.severity !== 'info').length, source).toBeGreaterThan(0);
    for (const f of report.findings) {
      expect(f.evidence.length, f.kind).toBeGreaterThan(0);
      expect(f.hint, f.kind).toBe(kinds.get(f.kind)?.hint);
      expect(f.provenance.length, f.kind).toBeGreaterThan(0);
    }
    const known = report.findings.filter((f) => f.subject.id === 'x1000c0s4b1n1' && f.state === 'new').map((f) => f.id);
    expect(report.suppressed.flatMap((s) => s.findings.map((f) => f.id))).toEqual(expect.arrayContaining(known));
  });

  it('hands what it has written on to the next step as that would be read back', async () => {
    await run(onDay('faulty'));
    observer.now += 60_000;
    await run(observer);
    const { store } = observer;
    const keys = async (prefix: string): Promise<string[]> => (await store.list(prefix)).filter((key) => !key.endsWith('/cursor'));
    const written: [string, z.ZodType][] = [
      ...(await keys('snapshots')).map((key): [string, z.ZodType] => [key, Snapshot]),
      ...(await keys('changes')).map((key): [string, z.ZodType] => [key, Change]),
      ...(await keys('findings/states')).map((key): [string, z.ZodType] => [key, LifecycleState]),
    ];
    expect(written.length).toBeGreaterThan(20);
    for (const [key, schema] of written) {
      const handedOn = await store.getShared(key, schema);
      const readBack = await store.get(key, schema);
      expect(handedOn, key).toStrictEqual(readBack);
      expect(JSON.stringify(handedOn), key).toBe(JSON.stringify(readBack));
    }
  });

  it.each(SOURCES)('without %s leaves the findings of the others, and a verdict that says what was not seen', async (source) => {
    onDay('faulty');
    rmSync(join(observer.folder, FOLDERS[source] as string), { recursive: true });
    const { results, report } = await run(observer);
    expect(results.find((r) => r.source === source)).toMatchObject({ status: 'failed' });
    expect(standing(report, source)).toEqual(standing(whole, source));
    expect(report.verdict).toBe('critical');
    expect(report.because.join()).toContain(source);
  });

  it('answers every tool within its bound', async () => {
    await run(onDay('faulty'));
    const view = await storedView(observer);
    if (!view) throw new Error('no view');
    const finding = view.findings[0];
    const args: Record<string, object> = {
      count_conditions: { by: 'kind' },
      get_condition: { id: finding?.id },
      get_node: { node: 'x1000c0s2b0n0' },
      get_summary: { source: 'pbs_state' },
      get_trend: { source: 'weka_state' },
      get_telemetry: { subject: 'x1002m0' },
    };
    for (const { name } of tools) {
      const { result, auditEntry } = await invoke(view, name, args[name] ?? {});
      expect(result, name).toMatchObject({ ok: true });
      expect(auditEntry.bytes, name).toBeLessThanOrEqual(MAX_RESULT_BYTES);
    }
  });
});

describe('the healthy day', { timeout: 60_000 }, () => {
  it('is ok: nothing at warning or above but what is known', async () => {
    const { report } = await run(onDay('healthy'));
    const held = new Set(report.suppressed.flatMap((s) => s.findings.map((f) => f.id)));
    expect(report.findings.filter((f) => f.severity !== 'info' && !held.has(f.id))).toEqual([]);
    expect(report.verdict).toBe('ok');
  });

  it('without any source is blind', async () => {
    onDay('healthy');
    for (const folder of Object.values(FOLDERS)) rmSync(join(observer.folder, folder), { recursive: true, force: true });
    expect((await run(observer)).report).toMatchObject({ verdict: 'blind', findings: [] });
  });
});
