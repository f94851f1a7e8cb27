import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { tick } from '../../lib/steps/tick.ts';
import { storedView } from '../../lib/steps/view.ts';
import { invoke, tools } from '../../lib/tools/registry.ts';
import { byteLength, MAX_RESULT_BYTES } from '../../lib/tools/tool.ts';
import type { ReadView } from '../../lib/tools/view.ts';
import { collectDay, DEMO } from '../harness/demo.ts';
import { type Told, viewOf } from '../harness/view.ts';

interface Shown {
  ok: boolean;
  about?: Record<string, unknown>;
  total: number;
  returned: number;
  truncated: boolean;
  next: number | null;
  data: Record<string, unknown>[];
}

async function call(view: ReadView, name: string, args: object): Promise<Shown> {
  const { result } = await invoke(view, name, args);
  return result as unknown as Shown;
}

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }).map((t) => t.repeat(20)),
  fc.constantFrom('\u0001'.repeat(500), '"'.repeat(2000), '💥'.repeat(1500), '<|im_start|>'),
);

describe('any answer', () => {
  it('is at most 6 kB, whatever the view holds and whatever is asked', async () => {
    const told: fc.Arbitrary<Told> = fc.record({
      kind: fc.constantFrom('kernel_panic', 'oom', 'fs_full'),
      subject: fc.oneof(
        fc.integer({ min: 0, max: 9999 }).map((n) => `nid${n}`),
        hostile.map((t) => t || 'x'),
      ),
      severity: fc.constantFrom('critical', 'warning', 'info'),
      message: hostile,
      quote: hostile,
      values: fc.dictionary(hostile, fc.oneof(hostile, fc.double()), { maxKeys: 5 }),
      place: fc.dictionary(fc.constantFrom('rack', 'chassis', 'pdu'), hostile, { maxKeys: 3 }),
    });
    const tree = fc.object({ key: hostile, values: [hostile, fc.double(), fc.boolean()], maxDepth: 3, maxKeys: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(told, { maxLength: 60 }), tree, fc.nat(100), async (all, summary, offset) => {
        const json = JSON.parse(JSON.stringify(summary)) as never;
        const view = viewOf(all, { summary: json, facts: { 'node:nid1': json } });
        const ids = view.findings.slice(0, 2).map((f) => f.id);
        const asked: [string, object][] = [
          ['list_sources', {}],
          ['get_changes', { offset }],
          ...(['kind', 'rack', 'group', 'source'] as const).map((by): [string, object] => ['count_conditions', { by }]),
          ['list_conditions', { limit: 100, offset }],
          ...ids.map((id): [string, object] => ['get_condition', { id }]),
          ['get_node', { node: 'nid1' }],
          ['get_node', { node: view.findings[0]?.subject.id ?? 'nid1' }],
          ['get_summary', { source: 'console_logs' }],
          ...Object.keys(json)
            .slice(0, 2)
            .map((section): [string, object] => ['get_summary', { source: 'console_logs', section }]),
          ['get_telemetry', { subject: 'nid1' }],
          ['get_trend', { source: 'console_logs' }],
          ['get_ground_truth', {}],
        ];
        for (const [name, args] of asked) {
          const { result } = await invoke(view, name, args);
          expect(byteLength(result)).toBeLessThanOrEqual(MAX_RESULT_BYTES);
        }
      }),
      { numRuns: 30 },
    );
  }, 60_000);

  it.each<[string, object, string]>([
    ['list_conditions', { kind: 'fans' }, 'kinds of open findings: kernel_panic, oom'],
    ['list_conditions', { kind: 'oom', state: 'resolved' }, 'in other states: new'],
    ['list_conditions', { source: 'weka' }, 'sources of open findings: console_logs'],
    ['count_conditions', { by: 'kind', source: 'weka' }, 'sources of open findings: console_logs'],
    ['list_conditions', { node: 'nid9' }, 'give one name, or a folded set'],
    ['list_conditions', { place: 'rack x9' }, 'count_conditions gives by rack'],
    ['get_changes', { kind: 'fans' }, 'since the last look'],
  ])('%s of %j that holds nothing says what there is to ask for', async (name, args, note) => {
    const shown = await call(viewOf([{ kind: 'kernel_panic' }, { kind: 'oom', subject: 'nid7' }]), name, args);
    expect(shown).toMatchObject({ ok: true, total: 0, data: [], about: { note: expect.stringContaining(note) } });
  });

  const told = [{ subject: 'nid1' }, { subject: 'nid2' }, { subject: 'nid3', place: { rack: 'x7' } }, { kind: 'fs_full', subject: 'nid4' }];

  it.each<[object, string[]]>([
    [{ kind: 'FS Full' }, ['nid4']],
    [{ kind: ' fs-full' }, ['nid4']],
    [{ node: 'nid[1-2,9]' }, ['nid1', 'nid2']],
    [{ node: 'nid1,nid4' }, ['nid1', 'nid4']],
    [{ place: 'x7' }, ['nid3']],
    [{ place: 'rack x7' }, ['nid3']],
    [{ place: 'Rack x7' }, ['nid3']],
    [{ place: 'pdu x7' }, []],
    [{ severity: 'CRITICAL', node: 'nid1' }, ['nid1']],
    [{ severity: null, node: 'nid[0-999999999]' }, []],
  ])('list_conditions takes %j as it was meant', async (args, subjects) => {
    const shown = await call(viewOf(told), 'list_conditions', args);
    expect(shown.data.map((d) => d['subject'])).toEqual(subjects);
  });

  it('counts by kind where nothing is said', async () => {
    const shown = await call(viewOf(told), 'count_conditions', {});
    expect(shown.data[0]).toMatchObject({ kind: expect.any(String), count: 3 });
  });

  it('of an id takes it as the briefing shows it, in brackets', async () => {
    const view = viewOf(told);
    const id = view.findings[0]?.id.slice(0, 8) ?? '';
    const plain = await call(view, 'get_condition', { id });
    expect(await call(view, 'get_condition', { id: `[${id.toUpperCase()}]` })).toEqual(plain);
  });

  it.each<[string, object, string]>([
    ['get_telemetry', {}, 'subject: is needed (one name'],
    ['get_condition', {}, 'id: is needed'],
    ['list_conditions', { foo: 1 }, 'it takes kind, severity, source, state, node, place, limit, offset'],
    ['list_sources', { foo: 1 }, 'it takes no arguments'],
    ['get_node', { node: 'nid[8-9]' }, 'that is a set of 2 names: ask for one of them, such as nid8 or nid9; list_conditions takes'],
    ['get_telemetry', { subject: 'nid[8-9]' }, 'ask for one of them'],
    ['get_trend', { source: 'weka' }, 'sources: console_logs'],
  ])('%s refuses %j and says what to change', async (name, args, error) => {
    expect(await call(viewOf(told), name, args)).toMatchObject({ ok: false, error: expect.stringContaining(error) });
  });

  it('of a page leads to the next one, until everything was shown once', async () => {
    const view = viewOf(Array.from({ length: 137 }, (_, i) => ({ subject: `nid${i}` })));
    const seen: unknown[] = [];
    let next: number | null = 0;
    while (next !== null) {
      const shown: Shown = await call(view, 'list_conditions', { limit: 40, offset: next });
      expect(shown.total).toBe(137);
      expect(shown.truncated).toBe(shown.next !== null);
      seen.push(...shown.data.map((d) => d['subject']));
      next = shown.next;
    }
    expect(seen).toEqual(view.findings.map((f) => f.subject.id));
  });

  it('gives ids as short as they can be told apart', async () => {
    const view = viewOf([{ subject: 'n1' }, { subject: 'n2' }]);
    const [a, b] = view.findings as [(typeof view.findings)[0], (typeof view.findings)[0]];
    expect((await call(view, 'list_conditions', {})).data.map((d) => d['id'])).toEqual([a.id.slice(0, 8), b.id.slice(0, 8)]);
    const twins = { ...view, findings: [a, { ...b, id: `${a.id.slice(0, 10)}${b.id.slice(10)}` }] };
    const ids = (await call(twins, 'list_conditions', {})).data.map((d) => String(d['id']));
    expect(ids.map((id) => id.length)).toEqual([12, 12]);
    expect((await call(twins, 'get_condition', { id: a.id.slice(0, 8) })).ok).toBe(false);
    expect((await call(twins, 'get_condition', { id: ids[1] as string })).data[0]).toMatchObject({ subject: 'n2' });
  });
});

describe('on the bundled faulty day', () => {
  let view: ReadView;
  beforeAll(async () => {
    const observer = await (await collectDay(`${DEMO}faulty`)).observer(null);
    await tick(observer);
    view = (await storedView(observer)) as ReadView;
  }, 60_000);

  it('list_sources shows every source, fresh', async () => {
    const shown = await call(view, 'list_sources', {});
    expect(shown.data.map((d) => d['status'])).toEqual(Array.from({ length: 7 }, () => 'ok'));
    expect(shown.about).toMatchObject({ verdict: 'critical' });
  });

  it('get_changes counts by kind first, and lists a kind when asked', async () => {
    const shown = await call(view, 'get_changes', { source: 'console_logs' });
    expect(shown.data).toContainEqual(
      expect.objectContaining({ change: 'appeared (first sight)', kind: 'kernel_panic', count: 1, subjects: 'x1000c0s2b0n0' }),
    );
    const each = await call(view, 'get_changes', { kind: 'kernel_panic' });
    expect(each.data).toMatchObject([{ change: 'appeared', severity: 'critical', message: expect.stringContaining('x1000c0s2b0n0') }]);
  });

  it('count_conditions counts by place, from names, topology and what alerts say', async () => {
    const byRack = await call(view, 'count_conditions', { by: 'rack', severity: 'critical' });
    expect(byRack.data[0]).toMatchObject({ rack: 'x1002', worst: 'critical' });
    const byPdu = await call(view, 'count_conditions', { by: 'pdu', kind: 'hw_power' });
    expect(byPdu.data.map((d) => d['pdu'])).toContain('x1002m0');
    const groups = await call(view, 'count_conditions', { by: 'group' });
    expect(groups.total).toBeGreaterThan(0);
    expect(groups.data[0]).toMatchObject({ message: expect.any(String), against: expect.any(Array) });
  });

  it('list_conditions narrows to a place', async () => {
    const there = await call(view, 'list_conditions', { place: 'x1002c0s5', severity: 'critical' });
    expect(there.total).toBeGreaterThan(3);
    for (const row of there.data) expect(row['subject']).toMatch(/^x1002c0s5b/);
  });

  it('get_condition shows evidence that can be cited, neighbours that are well, and what began near it', async () => {
    const panic = view.findings.find((f) => f.kind === 'kernel_panic');
    const [whole] = (await call(view, 'get_condition', { id: panic?.id as string })).data;
    expect(whole).toMatchObject({
      evidence: [{ ref: expect.stringMatching(/^console_logs#\/conditions\/\d+\/values$/), quote: expect.stringContaining('panic') }],
      neighbours: expect.arrayContaining([expect.objectContaining({ place: 'rack x1000', same_kind: 1, nodes_there: 24 })]),
      same_subject: expect.arrayContaining([expect.objectContaining({ kind: expect.stringMatching(/^node_down/) })]),
      near_in_time: expect.arrayContaining([expect.objectContaining({ when: expect.stringMatching(/before|after|same/) })]),
      hint: expect.any(String),
    });
  });

  it('get_node joins every source under every name of the node', async () => {
    const byAlias = await call(view, 'get_node', { node: 'nid000005' });
    expect(byAlias.about).toMatchObject({ node: 'x1000c0s1b0n0', place: { rack: 'x1000', chassis: 'x1000c0' } });
    const sources = byAlias.data.flatMap((d) => (d['ref'] === undefined ? [] : [d['source']]));
    expect(sources).toEqual(expect.arrayContaining(['hpcm_inventory', 'pbs_state']));
    expect(byAlias.data).toContainEqual(expect.objectContaining({ expected: 'compute' }));
    const known = await call(view, 'get_node', { node: 'x1000c0s4b1n1' });
    expect(known.data).toContainEqual(expect.objectContaining({ known_down: expect.any(String), owner: 'hw-team' }));
  });

  it('what counts and groups show can be asked for as it is shown', async () => {
    const groups = (await call(view, 'count_conditions', { by: 'group' })).data;
    expect(groups.length).toBeGreaterThan(3);
    for (const { group, kind, count, place, subjects } of groups) {
      const shown = await call(view, 'get_condition', { id: group });
      expect(shown.data[0]).toMatchObject({ group, kind });
      expect(shown.data[1]).toMatchObject({ kind });
      expect(shown).toMatchObject({
        next: null,
        about: { all_members: `list_conditions with kind ${String(kind)} and node ${String(subjects)}` },
      });
      expect((await call(view, 'list_conditions', { kind, node: subjects, limit: 1 })).total).toBe(count);
      expect((await call(view, 'list_conditions', { kind, place, limit: 1 })).total).toBe(count);
    }
    for (const { kind, subjects, count } of (await call(view, 'count_conditions', {})).data) {
      if (!String(subjects).endsWith('…'))
        expect({ kind, total: (await call(view, 'list_conditions', { kind, node: subjects, limit: 1 })).total }).toEqual({
          kind,
          total: count,
        });
    }
  });

  it('get_node finds other things by their type, or by their name alone', async () => {
    expect((await call(view, 'get_node', { node: 'scratch' })).data.map((d) => d['source'])).toContain('weka_state');
    expect((await call(view, 'get_node', { node: 'scratch', type: 'filesystem' })).data.map((d) => d['source'])).toContain('weka_state');
  });

  it('get_telemetry shows a node its board, and siblings beside it', async () => {
    const shown = await call(view, 'get_telemetry', { subject: 'x1001c0s3b0', type: 'bmc' });
    expect(shown.data[0]).toMatchObject({ subject: 'x1001c0s3b0', ref: 'kafka_telemetry#/facts/bmc:x1001c0s3b0' });
    expect(shown.data).toContainEqual(expect.objectContaining({ sibling: 'x1001c0s3b1' }));
    const node = await call(view, 'get_telemetry', { subject: 'x1001c0s3b0n0' });
    expect(node.data.map((d) => d['subject'] ?? d['sibling'])).toContain('x1001c0s3b0');
  });

  it('get_summary, get_trend and get_ground_truth lead on from what they show', async () => {
    const summary = await call(view, 'get_summary', { source: 'weka_state' });
    const section = String((summary.about as { sections: string[] }).sections[0]);
    expect((await call(view, 'get_summary', { source: 'weka_state', section })).about).toMatchObject({
      ref: `weka_state#/summary/${section}`,
    });
    const [number] = (await call(view, 'get_trend', { source: 'weka_state' })).data;
    const trend = await call(view, 'get_trend', { source: 'weka_state', name: number?.['name'] as string });
    expect(trend.about).toMatchObject({ points: 1, last: number?.['last'], ref: expect.stringContaining('weka_state#/series/') });
    expect((await call(view, 'get_ground_truth', {})).data).toContainEqual(
      expect.objectContaining({ says: 'known down', nodes: 'x1000c0s4b1n1' }),
    );
  });

  it('no tool passes 6 kB, whatever it is asked', async () => {
    const some = view.findings.filter((_, i) => i % 4 === 0);
    const args: Record<string, object[]> = {
      count_conditions: ['kind', 'severity', 'source', 'state', 'rack', 'chassis', 'switch', 'pdu', 'cdu', 'group'].map((by) => ({ by })),
      list_conditions: [{}, { limit: 100 }, { state: 'resolved' }],
      get_condition: some.map((f) => ({ id: f.id })),
      get_node: some.map((f) => ({ node: f.subject.id })),
      get_summary: view.sources.map((s) => ({ source: s.source })),
      get_trend: view.sources.map((s) => ({ source: s.source })),
      get_telemetry: [{ subject: 'x1001c0s3b0' }, { subject: 'x1002m0' }],
    };
    for (const tool of tools) {
      for (const one of args[tool.name] ?? [{}]) {
        const { auditEntry } = await invoke(view, tool.name, one);
        expect({ tool: tool.name, fits: auditEntry.bytes <= MAX_RESULT_BYTES }).toEqual({ tool: tool.name, fits: true });
      }
    }
  }, 60_000);
});
