import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Transition } from '../../lib/model/finding.ts';
import { hasUnsafe } from '../../lib/model/text.ts';
import { entryOf, History, keepEntry, readHistory, type TickEntry } from '../../lib/report/chronicle.ts';
import { historyText, sparkline } from '../../lib/report/chronicle-text.ts';
import { memoryDriver } from '../../lib/store/drivers/memory.ts';
import { appendSeries } from '../../lib/store/series.ts';
import { Store } from '../../lib/store/store.ts';
import { toIso, toTimeId } from '../../lib/model/time.ts';
import { ATTACKS, hostileReport } from './attacks.ts';
import { ago, finding, HOUR, MINUTE, NOW, report, source } from './build.ts';

const DAY = 24 * HOUR;
const query = { now: NOW, cluster: 'democluster', ticks: 24, days: 7, sources: ['weka_state'] };
type Moved = Transition & { findingId: string };
const move = (of: { id: string }, over: Partial<Transition> = {}): Moved => ({
  findingId: of.id,
  tick: toTimeId(NOW),
  at: toIso(NOW),
  episode: 1,
  from: null,
  to: 'new',
  reason: 'seen for the first time',
  ...over,
});

describe('what is kept of a tick', () => {
  it('counts what is open by severity, and what moved', () => {
    const findings = [
      finding({ node: 'n1' }),
      finding({ node: 'n2', state: 'stale' }),
      finding({ node: 'n3', severity: 'warning', state: 'ongoing', flapping: { changes: 8, since: ago(HOUR) } }),
      finding({ node: 'n4', severity: 'info', state: 'ongoing' }),
      finding({ node: 'n5', state: 'resolved', resolvedAt: ago(0) }),
      finding({ node: 'n6', state: 'resolved', resolvedAt: ago(HOUR) }),
      finding({ node: 'n7', state: 'candidate' }),
    ];
    const sources = [
      source('weka_state'),
      source('pbs_state', NOW, { fresh: false }),
      source('hpcm_inventory', NOW, { status: 'skipped', fresh: false }),
    ];
    expect(entryOf(report({ findings, sources }), []).counts).toEqual({
      critical: 2,
      warning: 1,
      info: 1,
      new: 1,
      resolved: 1,
      stale: 1,
      flapping: 1,
      suppressed: 0,
      sources: 2,
      sources_fresh: 1,
    });
  });

  it('holds moves, the worst first, but none of what is held back, waits to be confirmed, or only grew older', () => {
    const [critical, warning, candidate, old] = [
      finding({ node: 'n1' }),
      finding({ node: 'n2', severity: 'warning' }),
      finding({ node: 'n3', state: 'candidate' }),
      finding({ node: 'n4', state: 'ongoing' }),
    ] as const;
    const moves = [
      move(warning),
      move(critical),
      move(candidate, { to: 'candidate' }),
      move(old, { from: 'new', to: 'ongoing' }),
      move({ id: 'of what is held back' }),
    ];
    expect(entryOf(report({ findings: [critical, warning, candidate, old] }), moves).moves.map((m) => m.subject.id)).toEqual(['n1', 'n2']);
  });

  it('stays small at a first sight of thousands', () => {
    const findings = Array.from({ length: 3000 }, (_, n) => finding({ node: `n${n}`, severity: n === 2999 ? 'critical' : 'warning' }));
    const entry = entryOf(
      report({ findings }),
      findings.map((f) => move(f)),
    );
    expect(entry.moves).toHaveLength(100);
    expect(entry.moves[0]?.subject.id).toBe('n2999');
    expect(entry.more).toBe(2900);
  });
});

async function filled(ticks: number): Promise<Store> {
  const store = new Store(memoryDriver());
  for (let n = ticks - 1; n >= 0; n--) {
    const at = NOW - n * 5 * MINUTE;
    const one = finding({ node: `n${n}`, at });
    const made = report({ at, findings: n % 2 === 0 ? [one] : [], verdict: n % 2 === 0 ? 'critical' : 'ok' });
    await keepEntry(store, entryOf(made, n % 2 === 0 ? [move(one, { tick: made.tick, at: made.generatedAt })] : []));
    await appendSeries(store, 'weka_state', { at: toIso(at), values: { used_share: 0.9 - n / 1000, total_bytes: 2 ** 40, zero: 0 } });
  }
  return store;
}

describe('history', () => {
  it('is of the last ticks, newest first, and says how many there are', async () => {
    const history = await readHistory(await filled(30), { ...query, ticks: 3 });
    expect(history).toMatchObject({ total: 30, ticks: [{ at: ago(0) }, { at: ago(5 * MINUTE) }, { at: ago(10 * MINUTE) }] });
    expect(history.ticks.map((t) => t.verdict)).toEqual(['critical', 'ok', 'critical']);
    expect(History.safeParse(JSON.parse(JSON.stringify(history))).success).toBe(true);
  });

  it('holds the same tick once, as it was written last', async () => {
    const store = new Store(memoryDriver());
    await keepEntry(store, entryOf(report({ verdict: 'ok' }), []));
    await keepEntry(store, entryOf(report({ verdict: 'critical' }), []));
    expect(await readHistory(store, query)).toMatchObject({ total: 1, ticks: [{ verdict: 'critical' }] });
  });

  it('shows numbers over the time for which there are any', async () => {
    const { trends, trendsFrom, left } = await readHistory(await filled(48), query);
    expect(trendsFrom).toBe(ago(47 * 5 * MINUTE));
    const used = trends.find((t) => t.name === 'used_share');
    expect(used).toMatchObject({ source: 'weka_state', first: 0.853, last: 0.9, min: 0.853, max: 0.9 });
    expect(used?.points).toHaveLength(48);
    expect(used?.points.filter((p) => p !== null).length).toBeGreaterThan(45);
    expect(trends.some((t) => t.name === 'zero')).toBe(false);
    expect(left['weka_state']).toBe(1);
    expect(trends.find((t) => t.source === 'observer' && t.name === 'critical')).toMatchObject({ min: 0, max: 1 });
  });

  it('shows all numbers of a source that is asked for', async () => {
    const { trends } = await readHistory(await filled(3), { ...query, source: 'weka_state' });
    expect(trends.map((t) => t.name)).toEqual(['used_share', 'total_bytes', 'zero']);
  });

  it('is bounded, however much is stored', async () => {
    const store = new Store(memoryDriver());
    const values = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`n${n}`, n + 1]));
    for (let day = 0; day < 40; day++) await appendSeries(store, 'weka_state', { at: ago(day * DAY), values });
    for (let n = 0; n < 600; n++) await store.put(`ticks/${toTimeId(NOW - n * 1000)}/entry`, entryOf(report({ at: NOW - n * 1000 }), []));
    const history = await readHistory(store, { ...query, ticks: 100_000, days: 100_000 });
    expect(history.ticks).toHaveLength(500);
    expect(history.trends).toHaveLength(16);
    expect(history.left['weka_state']).toBe(34);
    expect(Date.parse(history.trendsFrom)).toBeGreaterThanOrEqual(NOW - 31 * DAY);
  });

  it('goes on without what is damaged', async () => {
    const store = await filled(3);
    await store.putText(`ticks/${toTimeId(NOW)}/entry`, '{"tick":');
    await store.putText('series/weka_state/2026-11-30', 'x');
    const history = await readHistory(store, query);
    expect(history.ticks).toHaveLength(2);
    expect(history.trends.map((t) => t.source)).not.toContain('weka_state');
  });
});

describe('history as text', () => {
  it('shows verdicts, moves and numbers', async () => {
    const text = historyText(await readHistory(await filled(4), query), { width: 120 });
    expect(text).toContain('democluster: 4 of 4 ticks, 08:30Z to 08:45Z (15m)');
    expect(text).toContain('verdict   .X.X  critical');
    expect(text).toContain('critical  ▁█▁█  1 (0 to 1)');
    expect(text).toMatch(/20261130t084500\.000z +critical +1 +0 +0 +1 +0 +0 +0 +0 +1\/1/);
    expect(text).toContain('08:45Z  new       critical  kernel panic: n0');
    expect(text).toMatch(/used_share +▁ +▃ +▆ +█ {2}90 % \(89\.7 % to 90 %\)/);
    expect(text).toContain('unchanged: total_bytes 1 TiB');
  });

  it('folds what moved alike in one tick', () => {
    const findings = [1, 2, 3].map((n) => finding({ node: `n${n}` }));
    const entry = entryOf(
      report({ findings }),
      findings.map((f) => move(f)),
    );
    expect(textOf([entry])).toContain('new       critical  kernel panic: n[1-3] (3)');
  });

  it('says so when there is nothing', () => {
    expect(textOf([])).toBe('democluster: no tick is stored yet\n');
    expect(textOf([entryOf(report(), [])])).toContain('WHAT MOVED\nnothing\n');
  });

  it.each(Object.entries(ATTACKS))('shows %s and does nothing of it', (_, attack) => {
    const made = hostileReport(attack);
    const entry = entryOf(
      made,
      made.findings.map((f) => move(f, { reason: attack })),
    );
    const trend = { source: 'weka_state', name: attack, points: [1, 2], first: 1, last: 2, min: 1, max: 2 };
    const text = textOf([entry], [trend, { ...trend, name: `fs/${attack}/used_bytes`, max: 1 }]);
    expect(text.split('\n').filter(hasUnsafe)).toEqual([]);
  });

  function textOf(ticks: TickEntry[], trends: History['trends'] = []): string {
    return historyText(
      { cluster: 'democluster', at: toIso(NOW), trendsFrom: ago(DAY), ticks, total: ticks.length, trends, left: {} },
      { width: 120 },
    );
  }
});

it('a sparkline has one bar a value, the least lowest and the greatest highest', () => {
  expect(sparkline([0, null, 7, 3.5])).toBe('▁ █▅');
  expect(sparkline([4, 4])).toBe('▁▁');
  fc.assert(
    fc.property(fc.array(fc.option(fc.double({ noNaN: true, min: -1e9, max: 1e9 })), { maxLength: 60 }), (values) => {
      const bars = sparkline(values);
      expect(bars).toHaveLength(values.length);
      expect(values.every((v, i) => (v === null) === (bars[i] === ' '))).toBe(true);
    }),
    { numRuns: 100 },
  );
});
