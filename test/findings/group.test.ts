import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BOUND, logChance } from '../../lib/findings/enrichment.ts';
import type { Group } from '../../lib/model/finding.ts';
import type { ConditionDraft } from '../../lib/model/condition.ts';
import { HOUR, NOON, snapshot, tickOf, toIso, view } from './build.ts';

function choose(n: number, k: number): bigint {
  if (k < 0 || k > n) return 0n;
  let c = 1n;
  for (let i = 1; i <= k; i++) c = (c * BigInt(n - k + i)) / BigInt(i);
  return c;
}

/** Sum over exact binomials, for numbers small enough. */
function exactTail(population: number, affected: number, inPlace: number, members: number): number {
  let sum = 0n;
  for (let i = members; i <= Math.min(inPlace, affected); i++) sum += choose(inPlace, i) * choose(population - inPlace, affected - i);
  return Number((sum * 10n ** 18n) / choose(population, affected)) / 1e18;
}

describe('the chance of a gathering', () => {
  it('is that of the hypergeometric distribution', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 60 }), fc.nat(60), fc.nat(60), fc.nat(60), (population, a, b, c) => {
        const [affected, inPlace] = [a % (population + 1), b % (population + 1)];
        const members = c % (Math.min(affected, inPlace) + 1);
        expect(Math.exp(logChance({ population, affected, inPlace, members }))).toBeCloseTo(
          exactTail(population, affected, inPlace, members),
          9,
        );
      }),
    );
  });

  it('is certain where there is no other way, and impossible where there is none at all', () => {
    expect(logChance({ population: 10, affected: 10, inPlace: 4, members: 4 })).toBeCloseTo(0, 12);
    expect(logChance({ population: 10, affected: 3, inPlace: 4, members: 4 })).toBe(Number.NEGATIVE_INFINITY);
  });

  it('stays exact where it is tiny', () => {
    const ways = choose(10_000, 64).toString();
    const log10 = ways.length - 1 + Math.log10(Number(`${ways[0]}.${ways.slice(1, 16)}`));
    expect(logChance({ population: 10_000, affected: 64, inPlace: 64, members: 64 }) / Math.LN10).toBeCloseTo(-log10, 8);
  });
});

/** 1,024 nodes in 4 cabinets of 8 chassis of 8 slots of 4 nodes; 16 switches with 64 nodes each, two chassis. */
const NODES = 'x[1000-1003]c[0-7]s[0-7]b[0-1]n[0-1]';
const nodesOf = (cabinet: number, chassis: number): string[] =>
  Array.from({ length: 32 }, (_, i) => `x${1000 + cabinet}c${chassis}s${i >> 2}b${(i >> 1) & 1}n${i & 1}`);
const SWITCHES = Array.from(
  { length: 16 },
  (_, i) => `    sw${i}: "x${1000 + (i >> 2)}c[${2 * (i & 3)}-${2 * (i & 3) + 1}]s[0-7]b[0-1]n[0-1]"`,
).join('\n');
const FLEET = `fleet: [{ nodes: "${NODES}", role: compute }]\ntopology:\n  switch:\n${SWITCHES}\n`;
const ALL = Array.from({ length: 32 }, (_, i) => nodesOf(i >> 3, i & 7)).flat();

const down = (id: string): ConditionDraft => ({ kind: 'node_down', subject: { type: 'node', id }, message: `${id} is down` });
const pbs = (now: number, nodes: readonly string[], kind = 'node_down') =>
  view(snapshot({ source: 'pbs_state', at: now, observed: { node: NODES }, conditions: nodes.map((id) => ({ ...down(id), kind })) }));
const groups = (nodes: readonly string[], yaml = FLEET): Group[] => tickOf({ now: NOON, yaml, sources: [pbs(NOON, nodes)] }).groups;

describe('groups', () => {
  const behind = [...nodesOf(0, 0), ...nodesOf(0, 1)];

  it('make one finding of the 64 nodes behind a switch that failed', () => {
    const [group, ...others] = groups(behind);
    expect(others).toEqual([]);
    expect(group).toMatchObject({
      kind: 'node_down',
      place: { type: 'switch', id: 'sw0' },
      state: 'new',
      message: '64 of 64 nodes behind switch sw0, none elsewhere among 960',
      subjects: 'x1000c[0-1]s[0-7]b[0-1]n[0-1]',
      counterEvidence: [],
    });
    expect(group?.findings).toHaveLength(64);
    expect(group?.pValue).toBeLessThan(1e-90);
  });

  it('are none for 64 nodes that fail scattered, but in one case of a thousand', () => {
    // A linear congruential generator, so that the cases are the same everywhere.
    let seed = 1;
    const random = (below: number): number => {
      seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const PLACES = 4 + 32 + 256 + 16;
    let grouped = 0;
    for (let n = 0; n < 1000; n++) {
      const left = ALL.map((_, i) => i);
      const some = Array.from({ length: 64 }, () => left.splice(random(left.length), 1)[0] as number);
      if (n < 5) {
        const scattered = some.map((i) => ALL[i] as string);
        expect(groups(scattered), `case ${n}`).toEqual([]);
      }
      // The other cases are put to the test alone: slots, chassis, switches and cabinets are runs of 4, 32, 64 and 256.
      const chances = [4, 32, 64, 256].map((inPlace) => {
        const counts = new Map<number, number>();
        for (const i of some) counts.set(Math.floor(i / inPlace), (counts.get(Math.floor(i / inPlace)) ?? 0) + 1);
        const members = [...counts.values()].reduce((a, b) => Math.max(a, b));
        return members < 3 ? 0 : logChance({ population: 1024, affected: 64, inPlace, members });
      });
      if (Math.min(...chances) + Math.log(PLACES) <= Math.log(BOUND)) grouped++;
    }
    expect(grouped).toBeLessThanOrEqual(1);
  });

  it('say what speaks against the place: healthy ones there, and others elsewhere', () => {
    const some = [...behind.slice(0, 60), 'x1003c7s7b1n1'];
    expect(groups(some)[0]).toMatchObject({
      place: { type: 'switch', id: 'sw0' },
      message: '60 of 64 nodes behind switch sw0, 1 elsewhere among 960',
      counterEvidence: ['4 of 64 nodes there do not show it: x1000c1s7b[0-1]n[0-1]', 'one node elsewhere shows it too: x1003c7s7b1n1'],
    });
  });

  it('find one place after the other', () => {
    const chassis = nodesOf(2, 5);
    const found = groups([...behind, ...chassis]);
    expect(found.map((g) => [g.place.id, g.findings.length])).toEqual([
      ['sw0', 64],
      ['x1002c5', 32],
    ]);
    const ids = found.flatMap((g) => g.findings);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('are of three nodes at least, whatever the chance', () => {
    expect(groups(['x1000c0s0b0n0', 'x1000c0s0b0n1'])).toEqual([]);
    expect(groups(nodesOf(0, 0).slice(0, 4))).toMatchObject([{ place: { type: 'slot', id: 'x1000c0s0' } }]);
  });

  it('are none where the place is not known, or the nodes are not', () => {
    const named = Array.from({ length: 64 }, (_, i) => `n${i}`);
    expect(groups(named, 'fleet: [{ nodes: "n[0-1023]", role: compute }]\n')).toEqual([]);
    expect(groups(behind, '')).toEqual([]);
  });

  it('choose the likelier cause where two places hold the same nodes, and name the other', () => {
    const yaml = `fleet: [{ nodes: "${NODES}", role: compute }]\ntopology: { switch: { sw: "x1000c0s[0-7]b[0-1]n[0-1]" }, pdu: { p: "x1000c0s[0-7]b[0-1]n[0-1]" } }\n`;
    const found = (source: string, kind: string): Group | undefined =>
      tickOf({ now: NOON, yaml, sources: [{ ...pbs(NOON, nodesOf(0, 0), kind), source }] }).groups[0];
    expect(found('pbs_state', 'node_down')).toMatchObject({
      place: { type: 'switch' },
      message: expect.stringContaining('(the same nodes: chassis x1000c0, pdu p)'),
    });
    expect(found('pbs_state', 'node_off')).toMatchObject({ place: { type: 'pdu', id: 'p' } });
  });

  it('keep their id while members join and leave, and are new only with a member', () => {
    const ticks = [behind.slice(0, 40), behind.slice(0, 64), behind.slice(10, 60)].reduce<ReturnType<typeof tickOf>[]>((done, nodes, n) => {
      const now = NOON + n * HOUR;
      return [...done, tickOf({ now, yaml: FLEET, before: done.at(-1)?.state ?? null, sources: [pbs(now, nodes)] })];
    }, []);
    expect(new Set(ticks.map((t) => t.groups[0]?.id)).size).toBe(1);
    expect(ticks.map((t) => t.groups[0]?.state)).toEqual(['new', 'new', 'ongoing']);
    const id = (t: (typeof ticks)[number]): string | undefined => t.findings.find((f) => f.subject.id === 'x1000c0s3b0n0')?.id;
    expect(new Set(ticks.map(id)).size).toBe(1);
  });

  it('tell what changed there last: first of all on the place itself', () => {
    const sources = (kind: string, since = NOON - HOUR) => [
      pbs(NOON, behind),
      view(
        snapshot({
          source: 'oneview_alerts',
          at: NOON,
          observed: { switch: 'all' },
          conditions: [{ kind, subject: { type: 'switch', id: 'sw0' }, part: '1', message: 'sw0', since: toIso(since) }],
        }),
      ),
    ];
    expect(tickOf({ now: NOON, yaml: FLEET, sources: sources('hw_network') }).groups[0]?.changedThere).toMatch(
      /^.+ on switch sw0 since 2026-11-30T11:00:00\.000Z$/,
    );
    expect(tickOf({ now: NOON, yaml: FLEET, sources: sources('hw_network', NOON - 30 * HOUR) }).groups[0]?.changedThere).toBeUndefined();
    const work = `${FLEET}maintenance: [{ nodes: "x1000c1s0b0n0", reason: recable, owner: ops, from: 2026-11-30T08:00Z, until: 2026-11-30T11:30Z }]\n`;
    expect(tickOf({ now: NOON, yaml: work, sources: [pbs(NOON, behind)] }).groups[0]?.changedThere).toBe(
      'maintenance ended there at 2026-11-30T11:30:00.000Z (recable; ops)',
    );
  });
});
