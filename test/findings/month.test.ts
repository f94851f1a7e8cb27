import { describe, expect, it } from 'vitest';
import type { Judged } from '../../lib/findings/judge.ts';
import { occasionOf } from '../../lib/findings/occasion.ts';
import type { SourceView } from '../../lib/findings/observe.ts';
import type { ConditionDraft } from '../../lib/model/condition.ts';
import type { Snapshot } from '../../lib/model/snapshot.ts';
import { toIso } from '../../lib/model/time.ts';
import { expand, fold } from '../../lib/nodeset.ts';
import { type Notified } from '../../lib/report/notified.ts';
import { planNotices } from '../../lib/report/plan.ts';
import { report } from '../report/build.ts';
import { DAY, HOUR, inventory, MINUTE, scheduler, snapshot, tickOf } from './build.ts';

/*
 * November: 30 days of 24 ticks at 72 nodes, with outages, repairs, flaps, maintenance, silences and wrong entries.
 * EXPECTED was worked out by hand from the script below and the rules of the design, before it was run.
 */

const ALL = expand('x[1000-1002]c0s[0-5]b[0-1]n[0-1]');
const KNOWN = 'x1000c0s4b1n1';
const RETIRED = 'x1002c0s0b0n1';

/** `02T03` is three o'clock on the second. */
function at(hour: string): number {
  const [day, h] = hour.split('T').map(Number) as [number, number];
  return Date.UTC(2026, 10, day, h);
}

interface Fault {
  kind: string;
  on: readonly string[];
  /** Seen by the collects from one hour to another, which no longer sees it. */
  from: string;
  to: string;
}

const one = (kind: string, name: string, from: string, to: string): Fault => ({ kind, on: [name], from, to });
const FAULTS: readonly Fault[] = [
  one('node_down', 'x1000c0s0b0n0', '02T03', '02T09'),
  one('kernel_panic', 'x1000c0s0b0n1', '03T10', '03T14'),
  // PBS cannot be read from 04T05 to 04T11: the repair at 04T07 is seen at 04T12.
  one('node_down', 'x1000c0s0b1n0', '04T02', '04T07'),
  one('oom', 'x1000c0s0b1n1', '05T06', '05T07'),
  // Maintenance from 07T08 to 07T16 on cabinet x1002; one node stays down.
  { kind: 'node_down', on: expand('x1002c0s[0-5]b[0-1]n[0-1]').filter((n) => n !== 'x1002c0s5b1n1'), from: '07T09', to: '07T15' },
  one('node_down', 'x1002c0s5b1n1', '07T09', '07T20'),
  ...Array.from({ length: 12 }, (_, i) => one('node_down', 'x1000c0s1b0n0', `09T${2 * i}`, `09T${2 * i + 1}`)),
  one('storage_degraded', 'test', '12T00', '14T05'),
  one('fs_full', 'scratch', '15T02', '15T06'),
  { kind: 'node_down', on: expand('x1001c0s[0-5]b[0-1]n[0-1]'), from: '16T04', to: '16T06' },
  one('missing', 'x1000c0s2b0n0', '18T01', '18T05'),
  // Known to be down, by an entry to the 20th, and by another from 22T08 to 25T15; repaired at 25T10.
  one('node_down', KNOWN, '01T00', '25T10'),
  one('node_off', KNOWN, '01T00', '25T10'),
  // Silenced to the 24th.
  one('node_down', 'x1000c0s3b0n0', '23T05', '23T09'),
  one('kernel_panic', 'x1000c0s3b0n0', '23T07', '23T09'),
  // Retired at 24T12, with a panic on its console.
  one('kernel_panic', RETIRED, '24T10', '24T12'),
  // No tick from 28T02 to 28T04.
  one('node_down', 'x1000c0s5b0n0', '28T02', '28T04'),
];
const OUTAGES: readonly { source: string; from: string; to: string }[] = [
  { source: 'pbs_state', from: '04T05', to: '04T12' },
  ...['pbs_state', 'console_logs', 'weka_state', 'hpcm_inventory'].map((source) => ({ source, from: '27T10', to: '27T13' })),
];
const INCOMPLETE = { from: '18T02', to: '18T04' };
const NO_TICK = { from: '28T02', to: '28T05' };

const EXPECTED = `
02T03 new node_down x1000c0s0b0n0
02T09 resolved node_down x1000c0s0b0n0
03T10 new kernel_panic x1000c0s0b0n1
03T14 resolved kernel_panic x1000c0s0b0n1
04T02 new node_down x1000c0s0b1n0
04T12 resolved node_down x1000c0s0b1n0
05T06 new oom x1000c0s0b1n1
06T07 resolved oom x1000c0s0b1n1
07T16 new node_down x1002c0s5b1n1
07T20 resolved node_down x1002c0s5b1n1
09T00 new node_down x1000c0s1b0n0
09T01 resolved node_down x1000c0s1b0n0
09T02 new node_down x1000c0s1b0n0
09T03 resolved node_down x1000c0s1b0n0
09T04 new node_down x1000c0s1b0n0
09T05 resolved node_down x1000c0s1b0n0
09T06 flapping node_down x1000c0s1b0n0
10T14 resolved node_down x1000c0s1b0n0
12T00 new storage_degraded test
13T00 escalated storage_degraded test
14T05 resolved storage_degraded test
15T02 new fs_full scratch
15T08 resolved fs_full scratch
16T04 new node_down x1001c0s[0-5]b[0-1]n[0-1]
16T06 resolved node_down x1001c0s[0-5]b[0-1]n[0-1]
18T01 new node_missing x1000c0s2b0n0
18T05 resolved node_missing x1000c0s2b0n0
21T00 new known_down_expired x1000c0s4b1n1
21T00 new node_down x1000c0s4b1n1
21T00 new node_off x1000c0s4b1n1
22T08 resolved known_down_expired x1000c0s4b1n1
24T10 new kernel_panic x1002c0s0b0n1
24T12 resolved kernel_panic x1002c0s0b0n1
25T10 new known_down_but_up x1000c0s4b1n1
25T10 resolved node_down x1000c0s4b1n1
25T10 resolved node_off x1000c0s4b1n1
25T15 resolved known_down_but_up x1000c0s4b1n1
28T05 resolved node_down x1000c0s5b0n0
`
  .trim()
  .split('\n');

/** What a webhook is told beside that: what is open once more a day, and that something is not seen. */
const BESIDE = `
04T05 blind source_blind pbs_state
04T12 resolved source_blind pbs_state
06T06 repeat oom x1000c0s0b1n1
10T06 repeat node_down x1000c0s1b0n0
14T00 repeat storage_degraded test
22T00 repeat known_down_expired x1000c0s4b1n1
22T00 repeat node_down x1000c0s4b1n1
22T00 repeat node_off x1000c0s4b1n1
27T10 blind observer_blind test
27T13 resolved observer_blind test
`
  .trim()
  .split('\n');
/** What it is not told: a thing of severity info, and one that had come and gone when there was a tick again. */
const UNTOLD = ['25T10 new known_down_but_up', '25T15 resolved known_down_but_up', '28T05 resolved node_down'];
const NOTIFIED = [
  ...EXPECTED.filter((line) => !UNTOLD.some((untold) => line.startsWith(untold))).map((line) =>
    line.replace(/ (?:new|flapping) /, ' first '),
  ),
  ...BESIDE,
].sort();

const within = (now: number, { from, to }: { from: string; to: string }): boolean => at(from) <= now && now < at(to);
const hit = (kind: string, now: number): string[] => FAULTS.filter((f) => f.kind === kind && within(now, f)).flatMap((f) => f.on);
const nodesAt = (now: number): string[] => ALL.filter((n) => n !== RETIRED || now < at('24T12'));

function truthAt(now: number): string {
  const until = now < at('22T08') ? '2026-11-20' : now < at('25T15') ? '2026-11-29' : null;
  return `
fleet: [{ nodes: "${fold(nodesAt(now))}", role: compute }]
topology: { switch: { x1001c0r1: "x1001c0s[0-5]b[0-1]n[0-1]" } }
${until === null ? '' : `known_down: [{ nodes: ${KNOWN}, reason: bad DIMM, owner: hw-team, expires: ${until} }]`}
maintenance: [{ nodes: "x1002c0s[0-5]b[0-1]n[0-1]", reason: recable, owner: ops, from: 2026-11-07T08:00Z, until: 2026-11-07T16:00Z }]
silences: [{ nodes: x1000c0s3b0n0, reason: burn-in, owner: ops, expires: 2026-11-24 }]
`;
}

/** What every source would say at an hour. */
function collected(now: number): Snapshot[] {
  const nodes = fold(nodesAt(now));
  const on = (kind: string, type: string, more: Partial<ConditionDraft> = {}): ConditionDraft[] =>
    hit(kind, now).map((id) => ({ kind, subject: { type, id }, message: `${id}: ${kind}`, ...more }));
  const oom = FAULTS.find((f) => f.kind === 'oom') as Fault;
  const isTold = at(oom.from) <= now && now < at(oom.from) + 30 * HOUR;
  const panics = FAULTS.filter((f) => f.kind === 'kernel_panic' && at(f.to) === now && f.on[0] !== RETIRED);
  const hosts = nodesAt(now).filter((n) => !hit('missing', now).includes(n));
  return [
    inventory(now, fold(hosts), { off: hit('node_off', now), count: hosts.length, complete: !within(now, INCOMPLETE) }),
    scheduler(now, nodes, { down: hit('node_down', now) }),
    snapshot({
      source: 'console_logs',
      at: now,
      observed: { node: nodes },
      conditions: [
        ...on('kernel_panic', 'node'),
        ...(isTold
          ? [
              {
                kind: 'oom',
                subject: { type: 'node', id: oom.on[0] as string },
                part: 'global',
                message: 'oom',
                lastSeen: toIso(at(oom.from)),
              },
            ]
          : []),
      ],
      cleared: panics.map((f) => ({ kind: f.kind, subject: { type: 'node', id: f.on[0] as string }, by: 'boot' as const, at: toIso(now) })),
    }),
    snapshot({
      source: 'weka_state',
      at: now,
      observed: { cluster: 'test', filesystem: 'all' },
      conditions: [...on('storage_degraded', 'cluster'), ...on('fs_full', 'filesystem')],
    }),
  ];
}

interface Hour {
  now: number;
  judged: Judged;
}

function november(): Hour[] {
  const hours: Hour[] = [];
  const history = new Map<string, Snapshot[]>();
  for (let now = at('01T00'); now < at('01T00') + 30 * DAY; now += HOUR) {
    const attempts = new Map<string, SourceView['attempt']>();
    for (const made of collected(now)) {
      const { source } = made;
      const isOut = OUTAGES.some((o) => o.source === source && within(now, o));
      if (!isOut) history.set(source, [...(history.get(source) ?? []), made]);
      attempts.set(source, { source, startedAt: toIso(now), endedAt: toIso(now), status: isOut ? 'failed' : 'ok' });
    }
    if (within(now, NO_TICK)) continue;
    const before = hours.at(-1)?.judged.state ?? null;
    const sources = [...history].map(([source, all]): SourceView => {
      const judged = before?.judged[source] ?? '';
      return {
        source,
        maxAge: source === 'hpcm_inventory' ? DAY : 15 * MINUTE,
        attempt: attempts.get(source) ?? null,
        snapshot: all.at(-1) ?? null,
        since: all.filter((s) => s.id > judged),
      };
    });
    hours.push({ now, judged: tickOf({ now, sources, yaml: truthAt(now), before }) });
  }
  return hours;
}

/** `02T03 new node_down x1000c0s0b0n0`: what happened to findings of one kind at one hour, as one line. */
function told({ now, judged }: Hour): string[] {
  const lines = new Map<string, string[]>();
  for (const finding of judged.findings) {
    const occasion = occasionOf(finding, toIso(now));
    if (occasion === null) continue;
    const key = `${toIso(now).slice(8, 13)} ${occasion} ${finding.kind}`;
    lines.set(key, [...(lines.get(key) ?? []), finding.subject.id]);
  }
  return [...lines].map(([key, names]) => `${key} ${fold(names)}`).sort();
}

/** What a webhook that never fails is told over all hours, tick by tick, each message as its lines. */
function notified(all: readonly Hour[]): string[][] {
  let log: Notified | null = null;
  return all.map(({ now, judged }) => {
    const { verdict, because, sources, findings, groups, suppressed } = judged;
    const made = planNotices(report({ at: now, cluster: 'test', verdict, because, sources, findings, groups, suppressed }), log, DAY);
    log = made.log;
    return made.notices.map(
      ({ reason, kind, matters }) => `${toIso(now).slice(8, 13)} ${reason} ${kind} ${fold(matters.map((m) => m.subject))}`,
    );
  });
}

describe('a month of hourly ticks', { timeout: 120_000 }, () => {
  const hours = november();
  const verdicts = new Map(hours.map(({ now, judged }) => [toIso(now).slice(8, 13), judged.verdict]));

  it(`tells ${EXPECTED.length} things in ${hours.length} ticks: those that were worked out by hand`, () => {
    expect(hours.flatMap(told)).toEqual(EXPECTED);
    expect(hours).toHaveLength(30 * 24 - 3);
  });

  const messages = notified(hours).filter((lines) => lines.length > 0);
  it(`sends a webhook 39 messages of ${NOTIFIED.length} lines: those that were worked out by hand`, () => {
    expect(messages.flat().sort()).toEqual(NOTIFIED);
    expect(messages).toHaveLength(39);
  });

  it('says nothing in any other tick', () => {
    const loud = new Set(hours.filter((h) => told(h).length > 0).map((h) => h.now));
    expect(loud.size).toBe(34);
  });

  it('has the verdict of each hour', () => {
    const hoursOf = (verdict: string): string[] => [...verdicts].filter(([, v]) => v === verdict).map(([hour]) => hour);
    expect(hoursOf('blind')).toEqual(['27T10', '27T11', '27T12']);
    const critical = ['03T10', '13T00', '14T04', '16T04', '16T05', '24T10', '24T11'];
    for (const hour of critical) expect(verdicts.get(hour), hour).toBe('critical');
    for (const hour of ['01T00', '07T12', '11T00', '23T08', '30T23']) expect(verdicts.get(hour), hour).toBe('ok');
    for (const hour of ['02T05', '04T08', '09T20', '10T13', '15T02', '18T03', '21T05']) expect(verdicts.get(hour), hour).toBe('degraded');
  });

  it('shows the switch as one group, and what is held back as such', () => {
    const [outage] = hours.filter((h) => h.now === at('16T04'));
    expect(outage?.judged.groups).toMatchObject([{ kind: 'node_down', place: { type: 'switch', id: 'x1001c0r1' }, severity: 'critical' }]);
    expect(outage?.judged.findings.find((f) => f.kind === 'node_down')?.escalated?.reason).toBe('24 of 72 compute nodes are lost (33.3 %)');
    const held = (hour: string): string[] =>
      hours
        .filter((h) => h.now === at(hour))
        .flatMap((h) => h.judged.suppressed.map((s) => `${s.reason} ${s.subjects} ${s.findings.length}`));
    expect(held('07T12')).toEqual(['known down x1000c0s4b1n1 2', 'maintenance x1002c0s[0-5]b[0-1]n[0-1] 24']);
    expect(held('23T07')).toEqual(['known down x1000c0s4b1n1 2', 'silence x1000c0s3b0n0 2']);
  });
});
