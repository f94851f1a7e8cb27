import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { observation } from '../../lib/diff/observed.ts';
import type { Judged, LifecycleState } from '../../lib/findings/judge.ts';
import { kinds } from '../../lib/findings/kinds.ts';
import type { SourceView } from '../../lib/findings/observe.ts';
import { compareSeverity, type ConditionDraft, type Severity } from '../../lib/model/condition.ts';
import { conditionId, groupId } from '../../lib/model/identity.ts';
import type { Kind } from '../../lib/model/kind.ts';
import type { Snapshot } from '../../lib/model/snapshot.ts';
import { parseDuration, toIso, toTimeId } from '../../lib/model/time.ts';
import { HOUR, MINUTE, NOON, snapshot, tickOf, truth as parsed } from './build.ts';

/*
 * Random histories of a small cluster are driven through the lifecycle, and what it says is held against what was
 * true and seen: by rules of this file's own, which know nothing of how judge() works.
 */

const NODES = Array.from({ length: 24 }, (_, n) => `n${n + 1}`);
const MAX_AGE = 15 * MINUTE;

/** One thing that can be wrong: kinds that end in each of the ways, are confirmed, resolve late, or are critical. */
const FAULTS: readonly { source: string; kind: string; part?: string; severity: Severity }[] = [
  { source: 'pbs_state', kind: 'node_down', severity: 'warning' },
  { source: 'pbs_state', kind: 'power_contradiction', part: 'a and b', severity: 'warning' },
  { source: 'weka_state', kind: 'drive_wear', severity: 'warning' },
  { source: 'console_logs', kind: 'kernel_panic', severity: 'critical' },
  { source: 'console_logs', kind: 'oom', part: 'global', severity: 'warning' },
];
const SOURCES = [...new Set(FAULTS.map((f) => f.source))];

type Command =
  | { do: 'break' | 'mend' | 'worsen' | 'ease'; fault: number; node: number }
  /** Eight nodes at once, or one over and over. */
  | { do: 'break eight' | 'flap'; fault: number; node: number }
  /** A collect: sees nodes by the bits of a number, with data so old. */
  | { do: 'collect'; source: number; sees: number; age: number }
  | { do: 'fail'; source: number }
  | { do: 'wait'; minutes: number }
  | { do: 'jump'; hours: number }
  | { do: 'tick'; crash: boolean }
  | { do: 'truth'; file: number };

const ALL = 2 ** NODES.length - 1;
const fault = fc.nat(FAULTS.length - 1);
const node = fc.oneof(fc.nat(3), fc.nat(NODES.length - 1));
const source = fc.nat(SOURCES.length - 1);
const sees = fc.oneof({ weight: 3, arbitrary: fc.constant(ALL) }, fc.nat(ALL));
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('break' as const, 'mend' as const), fault, node }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('worsen' as const, 'ease' as const), fault, node }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('break eight' as const, 'flap' as const), fault, node: fc.constantFrom(0, 8, 16) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('collect' as const), source, sees, age: fc.constantFrom(0, 0, 0, MINUTE, 2 * HOUR) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), source }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(1, 5, 5, 20, 60, 600) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('jump' as const), hours: fc.constantFrom(-48, -1, 1, 30) }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant('tick' as const), crash: fc.nat(5).map((n) => n === 0) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('truth' as const), file: fc.nat(5) }) },
);

const FLEET = 'fleet: [{ nodes: "n[1-24]", role: compute }]\n';
const TRUTHS = [
  FLEET,
  `${FLEET}topology: { switch: { sw1: "n[1-8]", sw2: "n[9-16]" } }\n`,
  `${FLEET}topology: { pdu: { p1: "n[1-8]" } }\n`,
  `${FLEET}known_down: [{ nodes: "n[1-2]", reason: r, owner: o, expires: 2026-12-01 }]\n`,
  `${FLEET}silences: [{ kind: node_down, reason: r, owner: o, expires: 2026-12-15 }, { kind: drive_wear, nodes: n1, reason: r, owner: o, expires: 2026-12-01 }]\n`,
  'fleet: [',
].map((yaml) => parsed(yaml));

interface Truth {
  severity: Severity;
  lastSeen: number;
}

class World {
  now = NOON;
  #lastId = 0;
  #truth = new Map<string, Truth>();
  #cleared = new Map<string, Snapshot['cleared']>();
  #snapshots = new Map<string, Snapshot[]>();
  #failed = new Set<string>();
  #ground = TRUTHS[0] as (typeof TRUTHS)[number];
  #before: LifecycleState | null = null;
  /** What committed ticks said. */
  readonly said: { judged: Judged; sources: SourceView[]; now: number; before: LifecycleState | null }[] = [];

  run(c: Command): void {
    switch (c.do) {
      case 'break eight':
        for (let n = c.node; n < c.node + 8; n++) this.run({ do: 'break', fault: c.fault, node: n });
        return;
      case 'flap':
        for (let n = 0; n < 8; n++) {
          this.run({ do: n % 2 === 0 ? 'break' : 'mend', fault: c.fault, node: c.node });
          this.run({ do: 'collect', source: SOURCES.indexOf(FAULTS[c.fault]?.source ?? ''), sees: ALL, age: 0 });
        }
        return;
      case 'break':
        return void this.#truth.set(`${c.fault}/${c.node}`, { severity: FAULTS[c.fault]?.severity ?? 'warning', lastSeen: this.now });
      case 'mend':
        return this.#mend(c.fault, c.node);
      case 'worsen':
      case 'ease': {
        const truth = this.#truth.get(`${c.fault}/${c.node}`);
        if (truth) truth.severity = c.do === 'worsen' ? 'critical' : 'info';
        return;
      }
      case 'collect':
        return this.#collect(SOURCES[c.source] as string, c.sees, c.age);
      case 'fail':
        return void this.#failed.add(SOURCES[c.source] as string);
      case 'wait':
        this.now += c.minutes * MINUTE;
        return;
      case 'jump':
        this.now += c.hours * HOUR;
        return;
      case 'truth':
        this.#ground = TRUTHS[c.file] as (typeof TRUTHS)[number];
        return;
      case 'tick':
        this.#tick(c.crash);
    }
  }

  #mend(index: number, n: number): void {
    const { source: name, kind, part } = FAULTS[index] as (typeof FAULTS)[number];
    // An event is over when its time is; that it happened stays true.
    if (!this.#truth.has(`${index}/${n}`) || (kinds.get(kind) as Kind).clears.by === 'expiry') return;
    this.#truth.delete(`${index}/${n}`);
    const cleared = {
      id: conditionId({ cluster: 'test', kind, subject: { type: 'node', id: NODES[n] as string }, part }),
      by: 'boot' as const,
      at: toIso(this.now),
    };
    if (kind === 'kernel_panic') this.#cleared.set(name, [...(this.#cleared.get(name) ?? []), cleared]);
  }

  #collect(name: string, bits: number, age: number): void {
    const visible = NODES.map((_, n) => Math.floor(bits / 2 ** n) % 2 === 1);
    const asOf = this.now - age;
    const conditions: ConditionDraft[] = [...this.#truth].flatMap(([key, { severity, lastSeen }]) => {
      const [f, n] = key.split('/').map(Number) as [number, number];
      const { source: of, kind, part } = FAULTS[f] as (typeof FAULTS)[number];
      if (of !== name || !visible[n]) return [];
      const isEvent = (kinds.get(kind) as Kind).clears.by === 'expiry';
      return [
        {
          kind,
          subject: { type: 'node', id: NODES[n] as string },
          part,
          severity,
          message: kind,
          ...(isEvent && { lastSeen: toIso(lastSeen) }),
        },
      ];
    });
    this.#lastId = Math.max(this.now, this.#lastId + 1);
    const made: Snapshot = {
      ...snapshot({ source: name, at: this.#lastId, asOf, conditions, observed: { node: NODES.filter((_, n) => visible[n]).join(',') } }),
      collectedAt: toIso(this.now),
      cleared: this.#cleared.get(name) ?? [],
    };
    this.#cleared.delete(name);
    this.#failed.delete(name);
    this.#snapshots.set(name, [...(this.#snapshots.get(name) ?? []), made]);
  }

  #tick(crash: boolean): void {
    const before = this.#before;
    const sources = SOURCES.map((name): SourceView => {
      const all = this.#snapshots.get(name) ?? [];
      const latest = all.at(-1) ?? null;
      const status = this.#failed.has(name) ? ('failed' as const) : ('ok' as const);
      const since = all.filter((s) => s.id > (before?.judged[name] ?? ''));
      return {
        source: name,
        maxAge: MAX_AGE,
        attempt: latest && { source: name, startedAt: latest.collectedAt, endedAt: latest.collectedAt, status },
        snapshot: latest,
        since,
      };
    });
    const last = this.said.at(-1)?.now ?? 0;
    const judged = tickOf({ now: this.now, tick: toTimeId(Math.max(this.now, last + 1)), sources, ground: this.#ground, before });
    if (crash) return;
    this.said.push({ judged, sources, now: this.now, before });
    this.#before = judged.state;
    this.now += 1;
  }
}

function history(commands: readonly Command[]): World['said'] {
  const world = new World();
  for (const c of commands) world.run(c);
  return world.said;
}

/** Good looks at a finding since it was last seen, among the fresh snapshots that a tick was given. */
function goodLooks(id: string, subject: { type: string; id: string }, { sources, now }: World['said'][number]): number {
  let good = 0;
  for (const { snapshot: latest, since, attempt } of sources) {
    for (const s of since) {
      const age = (s === latest ? now : Date.parse(s.collectedAt)) - Date.parse(s.asOf);
      const isFresh = age <= MAX_AGE && age >= -5 * MINUTE && !(s === latest && attempt?.status === 'failed');
      const cleared = s.cleared.some((c) => c.id === id);
      const unseen = isFresh && observation(s.coverage.observed)(subject) && !s.conditions.some((c) => c.id === id);
      if (s.conditions.some((c) => c.id === id)) good = 0;
      else if (cleared || unseen) good++;
    }
  }
  return good;
}

/** What must hold of every history. */
const LAWS: Record<string, (said: World['said']) => void> = {
  'nothing resolves without fresh good evidence of that very subject': (said) => {
    // Good looks may be spread over ticks.
    const good = new Map<string, number>();
    for (const tick of said) {
      for (const { condition, state, lastSeen, reason } of tick.judged.state.tracked) {
        const { id, subject, kind } = condition;
        if (!SOURCES.includes(tick.judged.state.tracked.find((t) => t.condition.id === id)?.source ?? '')) continue;
        const present = tick.sources.some((s) => s.since.some((x) => x.conditions.some((c) => c.id === id)));
        good.set(id, (present ? 0 : (good.get(id) ?? 0)) + goodLooks(id, subject, tick));
        const was = tick.before?.tracked.find((t) => t.condition.id === id)?.state;
        if (state !== 'resolved' || was === undefined || was === 'resolved' || was === 'candidate') continue;
        const declared = kinds.get(kind) as Kind;
        const isOver = declared.clears.by === 'expiry' && tick.now - Date.parse(lastSeen) > parseDuration(declared.clears.after);
        if (!isOver) expect(good.get(id), `${kind} ${subject.id}: ${reason}`).toBeGreaterThanOrEqual(declared.resolveAfter ?? 1);
      }
    }
  },
  'nothing is new twice in an episode, and episodes only count up': (said) => {
    const seen = new Set<string>();
    const last = new Map<string, number>();
    for (const { judged } of said) {
      for (const f of judged.findings) {
        expect(f.episode).toBeGreaterThanOrEqual(last.get(f.id) ?? 1);
        last.set(f.id, f.episode);
        if (f.state !== 'new') continue;
        const key = `${f.id} ${f.episode}`;
        expect(seen.has(key), key).toBe(false);
        seen.add(key);
      }
    }
  },
  'resolved is said only of what was in an open list': (said) => {
    const open = new Set<string>();
    for (const { judged } of said) {
      for (const f of judged.findings) {
        if (f.state !== 'resolved' && f.state !== 'candidate') open.add(`${f.id} ${f.episode}`);
        // What came and went between two ticks is told once, as that.
        if (f.reason.startsWith('came and went since the last tick')) open.add(`${f.id} ${f.episode}`);
        if (f.state === 'resolved') expect(open.has(`${f.id} ${f.episode}`), `${f.kind} ${f.subject.id}`).toBe(true);
      }
    }
  },
  'no critical is ever absent, nor less severe than its source has it': (said) => {
    for (const { judged, sources, now } of said) {
      const listed = new Map(
        [
          ...judged.findings.filter((f) => f.state !== 'resolved' && f.state !== 'candidate'),
          ...judged.suppressed.flatMap((s) => s.findings),
        ].map((f) => [f.id, f.severity]),
      );
      for (const { snapshot: latest } of sources) {
        for (const c of latest?.conditions ?? []) {
          const { clears } = kinds.get(c.kind) as Kind;
          if (c.severity !== 'critical' || (clears.by === 'expiry' && now - Date.parse(c.lastSeen) > parseDuration(clears.after))) continue;
          expect(listed.get(c.id), `${c.kind} ${c.subject.id}`).toBe('critical');
        }
      }
      const open = judged.findings.filter((f) => f.severity === 'critical' && f.state !== 'resolved' && f.state !== 'candidate');
      if (open.length > 0) expect(['critical', 'blind']).toContain(judged.verdict);
    }
  },
  'what was open is open, resolved or held back in the next report, and says why': (said) => {
    for (const [i, { judged }] of said.entries()) {
      const now = new Set([...judged.findings.map((f) => f.id), ...judged.suppressed.flatMap((s) => s.findings.map((f) => f.id))]);
      const before = said[i - 1]?.judged.findings ?? [];
      for (const f of before)
        if (f.state !== 'resolved' && f.state !== 'candidate') expect(now.has(f.id), `${f.kind} ${f.subject.id}`).toBe(true);
      for (const f of judged.findings) expect(f.reason).not.toBe('');
    }
  },
  'identities neither collide nor drift, whatever is grouped, silenced or renamed': (said) => {
    for (const { judged } of said) {
      const ids = [...judged.findings.map((f) => f.id), ...judged.suppressed.flatMap((s) => s.findings.map((f) => f.id))];
      expect(new Set(ids).size).toBe(ids.length);
      for (const { id, kind, subject, part } of judged.findings) expect(id).toBe(conditionId({ cluster: 'test', kind, subject, part }));
      const open = new Set(judged.findings.filter((f) => f.state !== 'resolved' && f.state !== 'candidate').map((f) => f.id));
      const grouped = judged.groups.flatMap((g) => g.findings);
      expect(new Set(grouped).size).toBe(grouped.length);
      for (const id of grouped) expect(open.has(id)).toBe(true);
      for (const g of judged.groups) expect(g.id).toBe(groupId('test', g.kind, g.place));
    }
  },
  'a verdict is ok only of sources that are well, and of nothing open at warning or above': (said) => {
    for (const { judged, sources, now } of said) {
      if (judged.verdict !== 'ok') continue;
      for (const { snapshot: latest, attempt } of sources) {
        expect(attempt?.status).toBe('ok');
        expect(now - Date.parse(latest?.asOf ?? '')).toBeLessThanOrEqual(MAX_AGE);
      }
      for (const f of judged.findings)
        if (f.state !== 'resolved' && f.state !== 'candidate') expect(compareSeverity(f.severity, 'info')).toBe(0);
    }
  },
  'transitions tell the whole story: every state follows from the one before': (said) => {
    const known = new Map<string, string>();
    for (const { judged } of said) {
      for (const t of judged.transitions) {
        expect(t.from ?? 'none').toBe(known.get(t.findingId) ?? 'none');
        known.set(t.findingId, t.to);
      }
      for (const { condition, state } of judged.state.tracked) expect(known.get(condition.id)).toBe(state);
      const left = new Set([...judged.state.tracked.map((t) => t.condition.id), ...judged.state.past.map((p) => p.id)]);
      for (const id of known.keys()) if (!left.has(id)) known.delete(id);
    }
  },
};

it('keeps every law, whatever happens', { timeout: 300_000 }, () => {
  fc.assert(
    fc.property(fc.array(command, { minLength: 10, maxLength: 60, size: 'max' }), (commands) => {
      const said = history(commands);
      for (const [law, check] of Object.entries(LAWS)) {
        try {
          check(said);
        } catch (error) {
          throw new Error(`broken: ${law}`, { cause: error });
        }
      }
    }),
    { numRuns: 100 },
  );
});

it('has commands that reach every state, groups, suppression and flapping', { timeout: 120_000 }, () => {
  const reached = new Set<string>();
  for (const commands of fc.sample(fc.array(command, { minLength: 40, maxLength: 120, size: 'max' }), { numRuns: 25, seed: 1 })) {
    for (const { judged } of history(commands)) {
      for (const f of judged.findings)
        reached
          .add(f.state)
          .add(f.flapping ? 'flapping' : f.state)
          .add(f.escalated ? 'escalated' : f.state);
      if (judged.groups.length > 0) reached.add('group');
      if (judged.suppressed.length > 0) reached.add('suppressed');
      reached.add(judged.verdict);
    }
  }
  expect([...reached].sort()).toEqual(
    [
      'blind',
      'candidate',
      'critical',
      'degraded',
      'escalated',
      'flapping',
      'group',
      'new',
      'ok',
      'ongoing',
      'resolved',
      'stale',
      'suppressed',
    ].sort(),
  );
});
