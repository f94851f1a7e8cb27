import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { Fleet } from '../../lib/eval/fleet.ts';
import { Random } from '../../lib/eval/random.ts';
import { type FleetSpec, HOUR, SPEC_DEFAULTS } from '../../lib/eval/spec.ts';
import type { Report } from '../../lib/model/report.ts';
import { run } from '../../lib/steps/run.ts';
import { MemorySink, observerOf, spec, temporaryFolder, writeSite } from '../eval/fleets.ts';

/*
 * Raw files of one and the same cluster, told otherwise: under other names, in another order, in other files, with more
 * healthy nodes beside, at another time. What the observer finds must not depend on any of these.
 */

const FAULTS = [
  'kernel_panic@x1000c0s4b0n1',
  'oom@x1000c0s2b1n0',
  'gpu_xid@x1000c1s2b0n0',
  'hsn_link_flap@x1000c0s1b1n1=22h',
  'image_drift@x1000c0s0b0n1',
  'temperature@x1000c1s1b1n0',
  'node_off@x3000c0s0b1n1',
  'leak@d0',
  'fan_degraded@login2',
  'drive_failed@DiskId<11>',
  'fs_full@scratch',
  'queue_stopped@debug',
];

interface Telling {
  /** Numbers of the cabinets and racks, in place of x1000 and x3000. */
  racks: readonly [string, string] | null;
  /** Shuffles rows with this. */
  rows: number | null;
  /** Names files anew with this, where the name tells nothing that the content does not. */
  files: number | null;
  moreNodes: number;
  /** Quarters of an hour. */
  later: number;
}

const AS_IT_IS: Telling = { racks: null, rows: null, files: null, moreNodes: 0, later: 0 };

type Files = Map<string, { text: string; mtime: number }>;

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const out = [...list];
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.int(0, i);
    [out[i], out[j]] = [out[j] as T, out[i] as T];
  }
  return out;
}

/** Shuffles every list of records and every member of an object by name, as deep as records go. */
function shuffledJson(value: unknown, random: Random, depth = 0): unknown {
  if (Array.isArray(value)) {
    const isRecords = value.every((v) => typeof v === 'object' && v !== null);
    return isRecords ? shuffled(value, random).map((v) => shuffledJson(v, random, depth + 1)) : value;
  }
  if (typeof value !== 'object' || value === null || depth > 3) return value;
  return Object.fromEntries(shuffled(Object.entries(value), random).map(([k, v]) => [k, shuffledJson(v, random, depth + 1)]));
}

function withRowsShuffled(path: string, text: string, random: Random): string {
  if (path.endsWith('.json')) return JSON.stringify(shuffledJson(JSON.parse(text), random));
  const lines = text.trimEnd().split('\n');
  if (path.endsWith('.ndjson') || /cm-power|cmdline/.test(path)) return `${shuffled(lines, random).join('\n')}\n`;
  return text;
}

/** Names that people and jobs might have given the same documents. */
function renamed(path: string, random: Random): string {
  const folder = dirname(path);
  if (folder === 'consoles') return path;
  const [, end] = /(\.\w+)$/.exec(path) ?? ['', ''];
  return `${folder}/${'abcdefgh'[random.int(0, 7)]}${random.int(100, 999)}-${basename(path, end)}${end}`;
}

/** Writes the fleet as told and runs the observer over it. */
async function reportOf(telling: Telling): Promise<Report> {
  const { racks, rows, files, moreNodes, later } = telling;
  const start = SPEC_DEFAULTS.start + later * 900_000;
  const specification: FleetSpec = spec(64 + moreNodes, FAULTS, { start });
  const fleet = new Fleet(specification);
  const at = start + 24 * HOUR;
  const sink = new MemorySink();
  fleet.write(at, sink);
  const name = (text: string): string =>
    racks ? text.replaceAll(/\bx(1000|3000)(?=[cm]|\b)/g, (_, n) => `x${racks[n === '1000' ? 0 : 1]}`) : text;
  let told: Files = new Map([...sink.files].map(([path, { text, mtime }]) => [name(path), { text: name(text), mtime }]));
  if (rows !== null) {
    const random = new Random(rows);
    told = new Map(
      shuffled([...told], random).map(([path, { text, mtime }]) => [path, { text: withRowsShuffled(path, text, random), mtime }]),
    );
  }
  if (files !== null) {
    const random = new Random(files);
    told = new Map([...told].map(([path, file]) => [renamed(path, random), file]));
  }
  const folder = temporaryFolder();
  writeSite(folder, { 'config.yaml': fleet.configuration(at), 'fleet.yaml': name(fleet.groundTruth()) });
  for (const [path, { text, mtime }] of told) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    utimesSync(join(folder, path), mtime / 1000, mtime / 1000);
  }
  return (await run(observerOf(folder, at))).report;
}

/** What was found, under the names that it has in the telling as it is. */
function found(report: Report, { racks }: Telling): string[] {
  const back = (text: string): string =>
    racks
      ? text.replaceAll(new RegExp(`\\bx(${racks.join('|')})(?=[cm]|\\b)`, 'g'), (_, n) => `x${n === racks[0] ? '1000' : '3000'}`)
      : text;
  return report.findings
    .flatMap((f) => f.conditions.map((c) => ({ f, c })))
    .filter(({ f }) => f.severity !== 'info')
    .map(({ f, c }) => `${f.kind} ${c.subject.type} ${back(c.subject.id)} ${back(c.part ?? '')} ${f.severity} ${f.state} ${c.count}`)
    .sort();
}

const tellings: fc.Arbitrary<Telling> = fc.record({
  racks: fc.option(
    fc.uniqueArray(fc.integer({ min: 1, max: 9999 }), { minLength: 2, maxLength: 2 }).map(([a, b]) => [String(a), String(b)] as const),
  ),
  rows: fc.option(fc.nat()),
  files: fc.option(fc.nat()),
  moreNodes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 })),
  later: fc.oneof(fc.constant(0), fc.integer({ min: -20_000, max: 20_000 })),
});

describe('the same cluster, told otherwise', { timeout: 240_000 }, () => {
  let asItIs: string[];
  beforeAll(async () => {
    asItIs = found(await reportOf(AS_IT_IS), AS_IT_IS);
  }, 60_000);

  it('has something to find', () => {
    expect(asItIs.length).toBeGreaterThan(15);
  });

  it('gives the same findings but for names and times', async () => {
    await fc.assert(
      fc.asyncProperty(tellings, async (telling) => {
        expect(found(await reportOf(telling), telling)).toEqual(asItIs);
      }),
      {
        numRuns: 8,
        endOnFailure: true,
        // The days on which the zone's clock is set back, and on.
        examples: [
          [{ ...AS_IT_IS, later: 6 }],
          [{ ...AS_IT_IS, later: -2784 }],
          [{ ...AS_IT_IS, later: 9984, rows: 1, files: 2, racks: ['7', '70'] }],
        ],
      },
    );
  });
});
