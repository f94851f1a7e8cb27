import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import pkg from '../package.json' with { type: 'json' };
import { collectors } from '../lib/collectors/registry.ts';
import { VERSION } from '../lib/version.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Module {
  path: string;
  text: string;
  /** Modules of ours that it imports, from the root. */
  ours: string[];
  /** Packages and `node:` modules that it imports. */
  others: string[];
}

function modulesBelow(folder: string): Module[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => {
      const path = join(folder, name);
      const text = readFileSync(join(ROOT, path), 'utf8');
      // Types are gone at run time: they may come from anywhere.
      const imports = /^(?:import|export)\s(?!type\s)(?:[\w*{}\s,$]+\sfrom\s)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;
      const specifiers = [...text.matchAll(imports)].map((m) => (m[1] ?? m[2]) as string);
      const ours = specifiers.filter((s) => s.startsWith('.')).map((s) => relative(ROOT, join(ROOT, dirname(path), s)));
      return { path, text, ours, others: specifiers.filter((s) => !s.startsWith('.')) };
    });
}

const modules = new Map([...modulesBelow('lib'), ...modulesBelow('functions')].map((m) => [m.path, m]));

function reachable(from: (path: string) => boolean): Module[] {
  const seen = new Set<string>();
  const queue = [...modules.keys()].filter(from);
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const module = modules.get(path);
    expect(module, `${path} does not exist`).toBeDefined();
    queue.push(...(module?.ours ?? []));
  }
  return [...seen].map((path) => modules.get(path) as Module);
}

const within =
  (...folders: string[]) =>
  (path: string): boolean =>
    folders.some((folder) => path.startsWith(folder));
/** Packages that compute, and do no I/O. */
const PURE = new Set(['zod', '@noble/hashes/sha2.js', '@noble/hashes/utils.js', 'yaml']);

describe('the walls of the layout', () => {
  it('finds modules at all', () => {
    expect(modules.size).toBeGreaterThan(80);
    expect(reachable(within('lib/tools/')).length).toBeGreaterThan(10);
  });

  it('collectors import the vocabulary, node sets and themselves alone', () => {
    const strays = [...modules.values()]
      .filter((m) => m.path.startsWith('lib/collectors/') && m.path !== 'lib/collectors/registry.ts')
      .flatMap((m) =>
        m.ours
          .filter((to) => !within('lib/model/', 'lib/nodeset', 'lib/collectors/')(to) || to === 'lib/collectors/registry.ts')
          .map((to) => `${m.path} → ${to}`),
      );
    expect(strays).toEqual([]);
  });

  it('the vocabulary imports nothing of ours but itself', () => {
    expect(
      [...modules.values()]
        .filter((m) => m.path.startsWith('lib/model/'))
        .flatMap((m) => m.ours.filter((to) => !to.startsWith('lib/model/'))),
    ).toEqual([]);
  });

  it('nothing that tools or collectors can reach does I/O, spawns or connects', () => {
    const reached = reachable(within('lib/tools/', 'lib/collectors/'));
    expect(reached.flatMap((m) => m.others.filter((o) => !PURE.has(o)).map((o) => `${m.path} → ${o}`))).toEqual([]);
    expect(
      reached
        .filter((m) =>
          /\b(fetch|XMLHttpRequest|WebSocket|eval)\(|\bprocess\.(env|argv|exit|kill|pid|cwd|std\w+|on|emit\w*)\b|new Function\(/.test(
            m.text.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, ''),
          ),
        )
        .map((m) => m.path),
    ).toEqual([]);
  });

  it('imports run downwards only', () => {
    const LAYERS = [
      'lib/model/',
      'lib/nodeset',
      'lib/deadline',
      'lib/collectors/',
      'lib/readers/',
      'lib/store/',
      'lib/diff/',
      'lib/findings/',
      'lib/audit/',
      'lib/tools/',
      'lib/harness/',
      'lib/report/',
      'lib/steps/',
      'lib/cli/',
      'functions/',
    ];
    const RANK: Record<string, number> = {
      'lib/model/': 0,
      'lib/nodeset': 0,
      'lib/deadline': 0,
      'lib/collectors/': 2,
      'lib/readers/': 2,
      'lib/store/': 2,
      'lib/diff/': 3,
      'lib/findings/': 3,
      'lib/audit/': 3,
      'lib/tools/': 3,
      'lib/harness/': 4,
      'lib/report/': 4,
      'lib/steps/': 5,
      'lib/cli/': 5,
      'functions/': 6,
    };
    const rank = (path: string): number | undefined => RANK[LAYERS.find((l) => path.startsWith(l)) ?? ''];
    const upwards = [...modules.values()].flatMap((m) =>
      m.ours.filter((to) => (rank(to) ?? 0) > (rank(m.path) ?? 9)).map((to) => `${m.path} → ${to}`),
    );
    expect(upwards).toEqual([]);
  });

  it('no deadline is of a kind that may be collected before it fires', () => {
    const code = (text: string): string => text.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '');
    const weak = [...modules.values()].filter((m) => /AbortSignal\.(?:any|timeout)\(/.test(code(m.text)));
    expect(weak.map((m) => m.path)).toEqual([]);
  });

  it('nobody starts a process', () => {
    const starters = [...modules.values()].filter((m) => m.others.some((o) => /^(node:)?(child_process|cluster)$/.test(o)));
    expect(starters.map((m) => m.path)).toEqual([]);
  });

  it('zod is imported as a namespace, so that no bundle holds every locale', () => {
    expect([...modules.values()].filter((m) => /import\s*(?!type)\{[^}]*\}\s*from 'zod'/.test(m.text)).map((m) => m.path)).toEqual([]);
  });

  it('only entries, drivers and readers of Node use node modules', () => {
    const allowed = new Set([
      'functions/node.ts',
      'functions/server.ts',
      'functions/steps.ts',
      'functions/steps-body.ts',
      'functions/cli.ts',
      'functions/exit.ts',
      'functions/units.ts',
      'functions/evaluation.ts',
      'functions/permissions.ts',
      'lib/steps/thread.ts',
      'lib/steps/thread-body.ts',
      'lib/readers/files.ts',
      'lib/readers/node-get.ts',
      'lib/harness/mocks/server.ts',
      'lib/store/drivers/atomic-fs.ts',
    ]);
    const users = [...modules.values()].filter((m) => m.others.some((o) => o.startsWith('node:'))).map((m) => m.path);
    expect(users.filter((path) => !allowed.has(path) && !path.startsWith('lib/eval/') && !path.startsWith('lib/readers/kafka'))).toEqual(
      [],
    );
  });
});

describe('the registry', () => {
  it('has a function of its own for every source', () => {
    expect(
      readdirSync(join(ROOT, 'functions/collect'))
        .filter((f) => f !== 'function.ts')
        .sort(),
    ).toEqual(collectors.map((c) => `${c.source}.ts`).sort());
  });

  it('names each kind once, but for those that sources share to the letter', () => {
    const byName = new Map<string, string>();
    for (const kind of collectors.flatMap((c) => c.kinds)) {
      const { subjects: _, hint: __, provenance: ___, ...rest } = kind;
      expect(JSON.stringify(rest), kind.kind).toBe(byName.get(kind.kind) ?? JSON.stringify(rest));
      byName.set(kind.kind, JSON.stringify(rest));
    }
  });

  it('every kind has a hint and says where it comes from', () => {
    for (const kind of collectors.flatMap((c) => c.kinds)) {
      expect(kind.hint.length, kind.kind).toBeGreaterThan(30);
      expect(kind.provenance.length, kind.kind).toBeGreaterThan(5);
    }
  });
});

it("the version is the package's", () => {
  expect(VERSION).toBe(pkg.version);
});
