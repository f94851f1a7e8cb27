import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wekaState } from '../../lib/collectors/weka_state/index.ts';
import { UnusableInput, textOf } from '../../lib/model/collector.ts';
import type { Json } from '../../lib/model/json.ts';
import { hasUnsafe } from '../../lib/model/text.ts';
import { expand } from '../../lib/nodeset.ts';
import { collect, fixtures, input, type Result, status } from './weka-inputs.ts';

/** The kinds that this source may make: its own, and the one that all sources share. */
const DECLARED = new Map<string, readonly string[]>([
  ...wekaState.kinds.map((k) => [k.kind, k.subjects] as const),
  ['clock_skew', ['cluster']],
]);

async function attempt(inputs: Parameters<typeof collect>[0]): Promise<Result | null> {
  try {
    return await collect(inputs);
  } catch (error) {
    if (error instanceof UnusableInput) return null;
    throw error;
  }
}

/** What holds of any result, whatever the input was: the rules that this one breaks. */
function broken(result: Result | null): string[] {
  if (result === null) return [];
  const sets = Object.entries(result.coverage.observed).filter(([, set]) => set !== 'all');
  const series = Object.entries(result.series ?? {});
  const rules: [boolean, string][] = [
    [JSON.stringify(result.summary).length < 6500, `the summary has ${JSON.stringify(result.summary).length} bytes`],
    [series.length <= 50, 'too many series'],
    [series.every(([, n]) => Number.isFinite(n)), 'a series is no number'],
    [wekaState.carry.safeParse(result.carry).success, 'the carry is not what its schema says'],
    [sets.every(([, set]) => expand(set).length > 0), 'a set of observed names is empty'],
    ...result.conditions.flatMap((draft): [boolean, string][] => [
      [DECLARED.get(draft.kind)?.includes(draft.subject.type) ?? false, `${draft.kind} is not declared of ${draft.subject.type}`],
      [draft.part === undefined, `${draft.kind} has a part`],
      [!hasUnsafe(draft.message) && draft.message.length < 1200, `a message is not one bounded line: ${draft.message}`],
      [
        Object.values(draft.values ?? {}).every((v) => v === null || ['string', 'number', 'boolean'].includes(typeof v)),
        `${draft.kind} has values that are none`,
      ],
    ]),
  ];
  return rules.filter(([holds]) => !holds).map(([, rule]) => rule);
}

describe('any input', { timeout: 60_000 }, () => {
  it('gives the same result in any order of files and records', async () => {
    for (const day of ['healthy', 'faulty'] as const) {
      const inputs = await Promise.all(
        fixtures(day).map(async (i) => ({ name: i.name, mtime: i.mtime as string, value: JSON.parse(await textOf(i)) as Json })),
      );
      const plain = await collect(fixtures(day));
      await fc.assert(
        fc.asyncProperty(fc.infiniteStream(fc.nat()), fc.shuffledSubarray(inputs, { minLength: inputs.length }), async (numbers, files) => {
          const shuffle = (list: Json[]): Json[] =>
            list
              .map((value) => ({ value, at: numbers.next().value }))
              .sort((a, b) => a.at - b.at)
              .map(({ value }) => value);
          const shuffled = files.map(({ name, mtime, value }) => input(name, Array.isArray(value) ? shuffle(value) : value, { mtime }));
          expect(await collect(shuffled)).toEqual(plain);
        }),
        { numRuns: 10 },
      );
    }
  });

  it('of arbitrary bytes, text or JSON throws nothing but UnusableInput', async () => {
    const name = fc.constantFrom('status.json', 'alerts.json', 'drives.json', 'fs.json', 'obs.json', 'x');
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map((b) => Buffer.from(b).toString('latin1')),
      fc.string({ unit: 'binary' }),
      fc.json(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, content), { maxLength: 4 }), async (files) => {
        expect(broken(await attempt(files.map(([n, c], i) => input(`${i}/${n}`, c))))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('with any value in the place of any other keeps its bounds', async () => {
    const documents = await Promise.all(fixtures('faulty').map(async (i) => ({ name: i.name, text: await textOf(i) })));
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<Json>(
        null,
        -1,
        0,
        2 ** 53 + 2,
        2 ** 64,
        1e308,
        '',
        'NaN',
        '0x1F',
        [],
        {},
        '__proto__',
        '\u202e\n',
        'x'.repeat(300),
        '2026-13-01T00:00:00Z',
        '+275760-09-13T00:00:00Z',
        'DiskId<INVALID>',
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(), fc.array(fc.nat(), { minLength: 1, maxLength: 5 }), odd), { minLength: 1, maxLength: 12 }),
        async (edits) => {
          const values = documents.map(({ text }) => JSON.parse(text) as Json);
          for (const [file, path, value] of edits) put(values[file % values.length] as Json, path, value as Json);
          expect(broken(await attempt(documents.map(({ name }, i) => input(name, values[i]))))).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('keeps the conditions of good records whatever stands among them', async () => {
    const inputs = await Promise.all(fixtures('faulty').map(async (i) => ({ name: i.name, value: JSON.parse(await textOf(i)) as Json })));
    const plain = await collect(inputs.map(({ name, value }) => input(name, value)));
    const found = (result: Result): string[] =>
      result.conditions.filter((c) => c.kind !== 'storage_alert' && c.kind !== 'capacity_high').map((c) => JSON.stringify(c));
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.nat(),
            fc.nat(),
            fc.oneof(fc.jsonValue(), fc.constantFrom<Json>(null, {}, { type: 7 }, { disk_id: null }, { __proto__: null, name: '' })),
          ),
        ),
        async (extra) => {
          const values = structuredClone(inputs);
          for (const [file, at, value] of extra) {
            const target = values[file % values.length]?.value;
            if (Array.isArray(target)) target.splice(at % (target.length + 1), 0, value as Json);
          }
          const result = await collect(values.map(({ name, value }) => input(name, value)));
          expect(found(result)).toEqual(expect.arrayContaining(found(plain)));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('of any size keeps its summary small', async () => {
    const long = (n: number): string => `${'very-long-name-'.repeat(12)}${n}-${'x'.repeat(n % 7)}`;
    const many = Array.from({ length: 800 }, (_, n) => n);
    const result = await collect([
      input('status.json', status({ name: long(1), release: long(2) })),
      input(
        'drives.json',
        many.map((n) => ({
          disk_id: long(n),
          hostname: long(n),
          status: n % 2 ? 'FAILED' : `S${n}`,
          serial_number: long(n),
          percentage_used: 99,
        })),
      ),
      input(
        'containers.json',
        many.map((n) => ({
          host_id: long(n),
          hostname: long(n),
          status: `${n}`,
          state: n % 3 ? 'ACTIVE' : `${n}`,
          sw_release_string: long(n),
          mode: n % 2 ? 'backend' : 'client',
        })),
      ),
      input(
        'processes.json',
        many.map((n) => ({ node_id: long(n), hostname: long(n), status: `${n}`, is_blacklisted: true, missing_links: { missing: 3 } })),
      ),
      input(
        'servers.json',
        many.map((n) => ({ name: long(n), deployment_mode: `${n}`, status: `${n}` })),
      ),
      input(
        'fs.json',
        many.map((n) => ({
          fs_id: 'x',
          name: long(n),
          status: `${n}`,
          available_total: 1e15 + n,
          used_total: 1e15,
          obs_buckets: [{ name: long(n), status: 'DOWN' }],
        })),
      ),
      input(
        'alerts.json',
        many.map((n) => ({ type: long(n % 100), muted: n % 2 === 0, title: long(n), severity: 'MAJOR', params: { hostname: long(n) } })),
      ),
      input(
        'events.json',
        many.map((n) => ({ type: long(n), timestamp: '2026-11-30T08:00:00Z', severity: n % 2 ? 'MAJOR' : `${n}` })),
      ),
    ]);
    expect(broken(result)).toEqual([]);
    expect(result.conditions.length).toBeGreaterThan(3000);
  });
});

/** Puts a value where a path of numbers leads, each taken modulo the members that there are. */
function put(target: Json, path: readonly number[], value: Json): void {
  let at = target;
  for (const [depth, step] of path.entries()) {
    if (typeof at !== 'object' || at === null) return;
    const keys = Object.keys(at);
    const key = keys[step % Math.max(1, keys.length)];
    if (key === undefined) return;
    const holder = at as Record<string, Json>;
    const next = holder[key] as Json;
    if (depth === path.length - 1 || typeof next !== 'object' || next === null) {
      holder[key] = value;
      return;
    }
    at = next;
  }
}
