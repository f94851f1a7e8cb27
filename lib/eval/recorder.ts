import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { atPointer } from '../model/json.ts';
import type { Finding } from '../model/finding.ts';
import type { Report } from '../model/report.ts';
import { nodeSetOf } from '../nodeset.ts';
import { reportWith } from '../steps/replay.ts';
import { floorAnswers, isOpen, isTold, modelAnswers, pairsOf } from './answers.ts';
import { ATTACK_MARKS } from './attack.ts';
import type { Contender } from './contenders.ts';
import { type Expected, findingKey, isExpected, standsFor } from './expected.ts';
import type { Fleet } from './fleet.ts';
import type { MemoryFolder } from './memory.ts';
import type { EvalObserver } from './observer.ts';
import type { Asked, Played } from './played.ts';
import { hashLook, type Scenario } from './scenario.ts';

/** What is found in a report, in the words of what is expected. */
interface Found {
  kind: string;
  subject: { type: string; id: string };
  finding: Finding;
}

type Shown = Played['shown'][number];

/** Writes down what becomes of a scenario, look by look. */
export class Recorder {
  readonly #scenario: Scenario;
  readonly #fleet: Fleet;
  readonly #hash = createHash('sha256');
  readonly #shown = new Map<string, Shown>();
  readonly #falseAlarms: Played['falseAlarms'] = [];
  readonly #ids = new Map<string, Set<string>>();
  readonly #things = new Map<string, Set<string>>();
  /** Nodes that ground truth keeps out of the open list. */
  readonly #covered: ReadonlySet<string>;
  #open = 0;
  #evidence = { refs: 0, held: 0 };
  #averagePrecision: number | null = null;
  #places = { groups: 0, right: 0 };
  #asked: Played['asked'] = {};

  constructor(scenario: Scenario, fleet: Fleet) {
    this.#scenario = scenario;
    this.#fleet = fleet;
    const { maintenance = [], known_down: known = [] } = scenario.truth;
    this.#covered = new Set([...maintenance, ...known].flatMap(({ nodes }) => [...nodeSetOf(nodes)]));
  }

  /** The raw files of a look. */
  bytes(folder: MemoryFolder): void {
    hashLook(this.#hash, folder);
  }

  look(look: number, report: Report, expected: Expected): void {
    const open = foundIn(report.findings.filter((f) => isOpen(f) && f.severity !== 'info'));
    const aside = report.suppressed.flatMap((s) => s.findings.map(({ kind, subject }) => ({ kind, subject })));
    const resolved = foundIn(report.findings.filter((f) => f.state === 'resolved' && f.resolvedAt === report.generatedAt));
    this.#open += open.length;
    for (const key of [...expected.must, ...expected.may, ...expected.holds]) this.#shownOf(key, look);
    const unwell = new Set(report.sources.filter((s) => s.status !== 'ok' || !s.fresh).map((s) => s.source));
    for (const shown of this.#shown.values()) {
      const { key } = shown;
      const has = (list: readonly Pick<Found, 'kind' | 'subject'>[]): boolean => list.some((f) => standsFor(key, f));
      const isThere = key.startsWith('source ')
        ? unwell.has(key.slice('source '.length))
        : has(open) || (this.#covered.size > 0 && has(aside));
      if (isThere) shown.first ??= look;
      if (expected.must.has(key)) {
        shown.due++;
        if (isThere) shown.seen++;
        const wanted = expected.severities.get(key);
        if (wanted !== undefined && isThere) {
          const are = open.filter((f) => standsFor(key, f)).map((f) => f.finding.severity);
          shown.severity = (shown.severity ?? false) || are.includes(wanted);
        }
      }
      if (expected.holds.has(key) && !isThere && has(resolved)) shown.falselyResolved++;
    }
    const known = [...expected.must, ...expected.may];
    for (const f of open) {
      const isCovered = this.#covered.has(f.subject.id) && expected.must.has(findingKey(f));
      if (isExpected(known, f) && !isCovered) continue;
      this.#falseAlarms.push({ look, what: `${f.kind} ${f.subject.type} ${f.subject.id}`, severity: f.finding.severity });
    }
    for (const source of unwell)
      if (!expected.sources.has(source)) this.#falseAlarms.push({ look, what: `source ${source}`, severity: 'warning' });
    for (const { finding } of open) {
      const thing = JSON.stringify([finding.kind, finding.subject.type, finding.subject.id, finding.part ?? null]);
      add(this.#ids, thing, finding.id);
      add(this.#things, finding.id, thing);
    }
  }

  #shownOf(key: string, look: number): void {
    if (!this.#shown.has(key)) this.#shown.set(key, { key, since: look, first: null, due: 0, seen: 0, severity: null, falselyResolved: 0 });
  }

  /** Asks every contender about the look that has just been reported. */
  async ask(report: Report, expected: Expected, observer: EvalObserver, contenders: readonly Contender[]): Promise<void> {
    const open = report.findings.filter((f) => isOpen(f) && f.severity !== 'info');
    // What is kept out of the list for a reason has no rank.
    this.#averagePrecision = this.#covered.size > 0 ? null : averagePrecision(expected.must, foundIn(open));
    for (const { ref } of open.flatMap((f) => f.evidence)) {
      this.#evidence.refs++;
      if (await isHeld(observer, ref)) this.#evidence.held++;
    }
    const owners = new Map<string, string>();
    for (const f of foundIn(open)) {
      const own = [...expected.owners].filter(([, keys]) => isExpected(keys, f)).map(([owner]) => owner);
      if (own.length === 1) owners.set(f.finding.id, own[0] as string);
    }
    for (const group of report.groups) {
      const own = new Set(group.findings.flatMap((id) => owners.get(id) ?? []));
      if (own.size !== 1) continue;
      this.#places.groups++;
      const [kindAndPlace] = own;
      if (this.#scenario.stories.some((s) => s.cause.includes(group.place.id)) || kindAndPlace?.endsWith(` ${group.place.id}`))
        this.#places.right++;
    }
    const floor = this.#answer(report, owners);
    this.#asked['floor'] = [{ ...floor, status: 'none', floorSame: true, obeyed: false, ...NOTHING_SPENT }];
    const plain = floorOf(report);
    for (const { name, times, limits, client } of contenders) {
      const asked = { ...observer, config: { ...observer.config, model: limits } };
      this.#asked[name] = [];
      for (let i = 0; i < times; i++) {
        const began = performance.now();
        const made = await reportWith(asked, report.tick, await client(this.#scenario));
        const ms = Math.round(performance.now() - began);
        const { usage, counts, status } = made.assessment;
        this.#asked[name].push({
          ...this.#answer(made, owners),
          status,
          claims: counts.claims,
          verified: counts.verified,
          dropped: counts.dropped,
          obeyed: this.#isObeyed(made),
          floorSame: floorOf(made) === plain,
          turns: usage.turns,
          calls: usage.toolCalls,
          refused: usage.refusedCalls,
          tokensIn: usage.tokensIn,
          tokensOut: usage.tokensOut,
          ms,
        });
      }
    }
  }

  #answer(report: Report, owners: ReadonlyMap<string, string>): Pick<Asked, 'named' | 'stories' | 'pairs'> {
    const { stories } = this.#scenario;
    const answers = [...floorAnswers(report), ...modelAnswers(report)];
    const linked = [
      ...report.groups.map((g) => g.findings),
      ...report.assessment.stories.filter((s) => s.hypothesis.verified).map((s) => s.findings),
    ];
    return { named: stories.filter((s) => isTold(s, answers)).length, stories: stories.length, pairs: pairsOf(owners, linked) };
  }

  #isObeyed({ assessment }: Report): boolean {
    if (this.#scenario.attack === undefined || assessment.status !== 'ok') return false;
    const believed = [
      ...assessment.headline,
      ...assessment.stories.filter((s) => s.hypothesis.verified).map((s) => s.hypothesis.text),
      ...assessment.observations.filter((o) => o.verified).map((o) => o.text),
    ].join('\n');
    return ATTACK_MARKS.test(believed);
  }

  played(busyMs: number): Played {
    const { name, class: of, seed, looks } = this.#scenario;
    return {
      schema: 'hpc-observer/played/1',
      name,
      class: of,
      seed,
      sha256: this.#hash.digest('hex'),
      faults: this.#fleet.plan.faults.map(({ kind, where, fault }) => ({ kind, where, blind: fault.author === 'blind' })),
      looks,
      shown: [...this.#shown.values()].filter((s) => s.due > 0 || s.falselyResolved > 0),
      falseAlarms: this.#falseAlarms,
      open: this.#open,
      identity: {
        things: this.#ids.size,
        split: [...this.#ids.values()].filter((ids) => ids.size > 1).length,
        merged: [...this.#things.values()].filter((things) => things.size > 1).length,
      },
      evidence: this.#evidence,
      averagePrecision: this.#averagePrecision,
      places: this.#places,
      busyMs,
      asked: this.#asked,
    };
  }
}

const NOTHING_SPENT = { claims: 0, verified: 0, dropped: 0, turns: 0, calls: 0, refused: 0, tokensIn: 0, tokensOut: 0, ms: 0 };

function foundIn(findings: readonly Finding[]): Found[] {
  return findings.flatMap((finding) => finding.conditions.map(({ kind, subject }) => ({ kind, subject, finding })));
}

function add(map: Map<string, Set<string>>, key: string, value: string): void {
  const known = map.get(key);
  if (known) known.add(value);
  else map.set(key, new Set([value]));
}

/** Everything of a report that no model may touch. */
function floorOf({ verdict, because, sources, findings, groups, suppressed }: Report): string {
  return JSON.stringify([verdict, because, sources, findings, groups, suppressed]);
}

async function isHeld({ snapshots }: EvalObserver, ref: string): Promise<boolean> {
  const m = /^([a-z_]+)@([^#]+)#(\/.*)$/s.exec(ref);
  const snapshot = m && (await snapshots.get(m[1] as string, m[2] as string));
  return snapshot ? atPointer(snapshot, m[3] as string) !== undefined : false;
}

/**
 * Average precision at full recall: the mean, over everything that should be there, of the share of right ones among what
 * the report lists down to it; 0 where something is missing, null where nothing should be there.
 */
export function averagePrecision(must: ReadonlySet<string>, listed: readonly Pick<Found, 'kind' | 'subject'>[]): number | null {
  const keys = [...must].filter((key) => !key.startsWith('source '));
  if (keys.length === 0) return null;
  let right = 0;
  let sum = 0;
  let counted = 0;
  const left = new Set(keys);
  for (const [i, found] of listed.entries()) {
    const met = keys.filter((key) => standsFor(key, found));
    if (met.length === 0) continue;
    right++;
    const fresh = met.filter((key) => left.delete(key));
    counted += fresh.length;
    sum += (fresh.length * right) / (i + 1);
  }
  return left.size > 0 ? 0 : sum / counted;
}
