import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULTS } from '../../lib/eval/faults/index.ts';
import { Fleet } from '../../lib/eval/fleet.ts';
import { FolderSink } from '../../lib/eval/folder.ts';
import { advance, generate, openFleet } from '../../lib/eval/generate.ts';
import { fleetSpec, HOUR, parseFault, SpecError } from '../../lib/eval/spec.ts';
import { parseGroundTruth } from '../../lib/findings/ground-truth.ts';
import { expand } from '../../lib/nodeset.ts';
import { run } from '../../lib/steps/run.ts';
import { badDay, CLUSTER_KINDS } from '../bench/fleets.ts';
import { MemorySink, mistakes, observerOf, spec, temporaryFolder, worrying, writeSite, writtenFleet } from '../eval/fleets.ts';

/** The source files of a folder, with their bytes and times. */
function sourcesIn(folder: string): Map<string, string> {
  return new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.parentPath !== folder)
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length), `${statSync(path).mtimeMs} ${readFileSync(path, 'utf8')}`]),
  );
}

function lookAt(fleet: Fleet, ...times: number[]): MemorySink['files'] {
  const sink = new MemorySink();
  for (const at of times) fleet.write(at, sink);
  return sink.files;
}

/** Kinds of faults that are laid on the cluster, not on a source of it, and that name the findings they make. */
const CLUSTER_FAULTS = FAULTS.filter((f) => f.class !== 'source' && f.author !== 'blind').map(({ kind }) => kind);

describe('a generated fleet', () => {
  it('is the same to the byte for the same seed, and another for another', () => {
    const of = (seed: number): MemorySink['files'] => {
      const specification = spec(64, ['kernel_panic', 'pdu_dead'], { seed });
      return lookAt(new Fleet(specification), specification.start + 6 * HOUR);
    };
    expect(of(1)).toEqual(of(1));
    expect(of(1).get('telemetry/hpcm-crayex.ndjson')?.text).not.toBe(of(2).get('telemetry/hpcm-crayex.ndjson')?.text);
  });

  it('is the same whether it is looked at once or at every tick', () => {
    const specification = spec(64, ['kernel_panic=3h..8h', 'hsn_link_flap=2h..4h', 'node_off=1h..5h', 'image_drift=4h..9h']);
    const { start } = specification;
    const once = lookAt(new Fleet(specification), start + 12 * HOUR);
    const stepped = lookAt(new Fleet(specification), ...Array.from({ length: 13 }, (_, i) => start + i * HOUR));
    expect([...stepped.keys()].sort()).toEqual([...once.keys()].sort());
    for (const [path, { text }] of once) expect(stepped.get(path)?.text, path).toBe(text);
  });

  it('gives a node the same luck in a larger fleet', () => {
    const [small, large] = [64, 300].map((nodes) => {
      const specification = spec(nodes);
      return lookAt(new Fleet(specification), specification.start + 24 * HOUR);
    }) as [MemorySink['files'], MemorySink['files']];
    const consoles = [...small.keys()].filter((path) => path.startsWith('consoles/'));
    expect(consoles).toHaveLength(64);
    for (const path of consoles) expect(large.get(path)?.text, path).toBe(small.get(path)?.text);
  });

  it('has as many nodes as it is asked for, with a ground truth that knows them all', () => {
    for (const nodes of [64, 65, 300]) {
      const fleet = new Fleet(spec(nodes));
      const { groundTruth, mistakes: wrong } = parseGroundTruth(fleet.groundTruth(), { file: 'fleet.yaml', now: fleet.timeOf(24) });
      expect(wrong).toEqual([]);
      const compute = groundTruth?.fleet.find((entry) => entry.role === 'compute')?.nodes ?? '';
      expect(expand(compute)).toHaveLength(nodes);
      const behindSwitches = Object.values(groundTruth?.topology['switch'] ?? {}).flatMap((set) => expand(set));
      expect(new Set(behindSwitches).size).toBe(nodes);
    }
  });

  it('is built up to the largest size, every name once', () => {
    const { topology } = new Fleet(spec(40_000)).plan;
    expect(topology.byName.size).toBe(40_000);
    expect(new Set(topology.nodes.map((n) => n.alias)).size).toBe(40_000);
    expect(topology.nodes.filter((n) => n.cooling === 'air')).toHaveLength(5000);
  });

  it('refuses what it cannot make, and says what it could', () => {
    expect(() => fleetSpec({ nodes: 63, seed: 1 })).toThrow(SpecError);
    expect(() => fleetSpec({ nodes: 40_001, seed: 1 })).toThrow(/64 to 40000/);
    expect(() => new Fleet(spec(64, ['boom']))).toThrow(/no fault boom; known: kernel_panic/);
    expect(() => new Fleet(spec(64, ['leak@x9']))).toThrow(/laid on a CDU, such as d0/);
    expect(() => spec(64, ['leak=9h..8h'])).toThrow(/ends before it begins/);
    expect(() => spec(64, ['leak=soon'])).toThrow(/soon is no time/);
    expect(parseFault('fs_full@home=2026-12-01T00:00:00Z..2h', { start: Date.parse('2026-11-30T23:00:00Z'), end: 0 })).toEqual({
      kind: 'fs_full',
      where: 'home',
      from: Date.parse('2026-12-01T00:00:00Z'),
      until: Date.parse('2026-12-01T01:00:00Z'),
    });
  });
});

describe('what the observer says of a generated fleet', { timeout: 120_000 }, () => {
  it('nothing on a healthy day', async () => {
    const { folder, at } = writtenFleet(spec(200));
    const { results, report } = await run(observerOf(folder, at));
    expect(results.map((r) => [r.source, r.status, r.coverage?.rejected, r.coverage?.problems])).toEqual(
      results.map((r) => [r.source, 'ok', 0, []]),
    );
    expect(worrying(report)).toEqual([]);
    expect(report.verdict).toBe('ok');
    // Ordinary noise is there, and is seen.
    expect(report.findings.length).toBeGreaterThan(0);
    expect(report.suppressed.map((s) => s.reason)).toContain('known down');
  });

  it('exactly the faults laid, one of every kind', async () => {
    // Heat and links judged by what is so now have begun lately; the rest stands since noon.
    const faults = CLUSTER_FAULTS.map((kind) => (kind === 'hsn_link_flap' ? `${kind}=22h` : kind));
    const { fleet, folder, at } = writtenFleet(spec(160, faults));
    const { report } = await run(observerOf(folder, at));
    const expected = fleet.expected(at);
    expect(mistakes(report, expected)).toEqual({ missing: [], unexpected: [] });
    expect(expected.must.size).toBeGreaterThan(100);
    expect(report.verdict).toBe('critical');
  });

  it('exactly the faults laid, some of every kind among a thousand nodes, by whoever wrote them', async () => {
    const folder = temporaryFolder();
    const fleet = new Fleet(fleetSpec({ nodes: 1000, seed: 3, faults: badDay(1000, CLUSTER_KINDS) }));
    // Before they begin: what a thing showed then tells what it has lost.
    const before = fleet.timeOf(5);
    writeSite(folder, { 'config.yaml': fleet.configuration(before), 'fleet.yaml': fleet.groundTruth() });
    const observer = observerOf(folder, before);
    for (const at of [before, fleet.timeOf(24), fleet.timeOf(25)]) {
      fleet.write(at, new FolderSink(folder));
      observer.now = at;
      const { report } = await run(observer);
      expect(mistakes(report, fleet.expected(at))).toEqual({ missing: [], unexpected: [] });
    }
    expect(fleet.expected(fleet.timeOf(25)).must.size).toBeGreaterThan(1000);
  });

  it('each fault alone makes what it says, and nothing else', async () => {
    for (const kind of ['mom_down', 'coolant_warm', 'psu_failed']) {
      const { fleet, folder, at } = writtenFleet(spec(64, [kind]));
      const { report } = await run(observerOf(folder, at));
      const { must } = fleet.expected(at);
      expect(must.size, kind).toBeGreaterThan(0);
      expect(mistakes(report, fleet.expected(at)), kind).toEqual({ missing: [], unexpected: [] });
    }
  });

  it('tick after tick, while faults come and go and sources fail', async () => {
    const specification = spec(64, [
      'kernel_panic=1h..3h',
      'gpu_xid=1h..4h',
      'pdu_dead=2h..4h',
      'drive_failed=1h..3h',
      'leak=2h..3h',
      'source_late@pbs_state=3h..5h',
      'source_partial@oneview_inventory=1h..2h',
      'source_missing@weka_state=4h..5h',
    ]);
    const folder = temporaryFolder();
    const fleet = new Fleet(specification);
    writeSite(folder, { 'config.yaml': fleet.configuration(specification.start), 'fleet.yaml': fleet.groundTruth() });
    const observer = observerOf(folder, specification.start);
    const sink = new FolderSink(folder);
    for (let tick = 0; tick <= 6; tick++) {
      const at = fleet.timeOf(tick);
      fleet.write(at, sink);
      observer.now = at;
      const { report } = await run(observer);
      const expected = fleet.expected(at);
      expect(mistakes(report, expected), `tick ${tick}`).toEqual({ missing: [], unexpected: [] });
      const unwell = report.sources.filter((s) => s.status !== 'ok' || !s.fresh).map((s) => s.source);
      expect(
        unwell.filter((source) => !expected.sources.has(source)),
        `tick ${tick}`,
      ).toEqual([]);
    }
  });
});

describe('eval generate', () => {
  it('writes a folder that can be advanced, as if it had been written tick by tick', () => {
    const request = { nodes: 64, seed: 3, days: 0.25, tickMinutes: 60, faults: ['kernel_panic=4h'] };
    const [folder, longer] = [temporaryFolder(), temporaryFolder()];
    expect(generate({ ...request, out: folder })).toMatchObject({
      tick: 6,
      clock: '2026-11-30T06:00:00.000Z',
      faults: [{ kind: 'kernel_panic' }],
    });
    expect(openFleet(folder).tick).toBe(6);
    expect(advance(folder, 2)).toMatchObject({ tick: 8, clock: '2026-11-30T08:00:00.000Z' });
    generate({ ...request, days: 8 / 24, faults: ['kernel_panic=4h'], out: longer });
    expect(sourcesIn(folder)).toEqual(sourcesIn(longer));
  });

  it('leaves a folder alone that holds something', () => {
    const { folder } = writtenFleet(spec(64), 0);
    expect(() => generate({ nodes: 64, seed: 1, days: 1, tickMinutes: 60, faults: [], out: folder })).toThrow(/not empty/);
    expect(() => openFleet(temporaryFolder())).toThrow(/holds no generated fleet/);
  });
});
