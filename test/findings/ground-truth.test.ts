import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { parseGroundTruth } from '../../lib/findings/ground-truth.ts';
import { lintGroundTruth } from '../../lib/findings/lint.ts';
import { NOON } from './build.ts';

const options = { file: 'fleet.yaml', now: NOON };
const parse = (text: string) => parseGroundTruth(text, options);
const lint = (text: string, inventory?: Set<string>): string[] => lintGroundTruth(text, { ...options, ...(inventory && { inventory }) });

const GOOD = `fleet:
  - { nodes: "n[1-4]", role: compute }
roles: { compute: { image: i1 } }
topology: { switch: { sw1: "n[1-2]" } }
known_down:
  - { nodes: n1, reason: r, owner: o, created: 2026-11-20, expires: 2026-12-15, ticket: T-1 }
silences:
  - { kind: oom, nodes: "n[1-2]", reason: r, owner: o, expires: 2026-12-15 }
`;

describe('a ground truth file', () => {
  it('is read into node sets and times', () => {
    const { groundTruth, mistakes } = parse(GOOD);
    expect(mistakes).toEqual([]);
    expect(groundTruth).toMatchObject({
      fleet: [{ nodes: 'n[1-4]', role: 'compute' }],
      topology: { switch: { sw1: 'n[1-2]' } },
      known_down: [{ nodes: 'n1', expires: Date.parse('2026-12-15T23:59:59.999Z'), created: Date.parse('2026-11-20T23:59:59.999Z') }],
      faulty: [],
    });
  });

  it('is understood once, and judged by the time at which it is asked', () => {
    const text =
      'fleet: [{ nodes: n1, role: c }, { nodes: "n[" }]\nsilences: [{ kind: oom, reason: r, owner: o, expires: 2027-12-20 }]\nrolls: {}\n';
    const at = (now: number) => parseGroundTruth(text, { file: 'fleet.yaml', now });
    const [early, late] = [at(NOON), at(NOON + 30 * 864e5)];
    expect(late.groundTruth?.fleet).toBe(early.groundTruth?.fleet);
    expect(early.groundTruth?.silences).toEqual([]);
    expect(late.groundTruth?.silences).toHaveLength(1);
    expect(early.mistakes.map((m) => m.split(':')[2])).toEqual([' rolls', ' fleet.1.nodes', ' fleet.1.role', ' silences.0']);
    expect(late.mistakes.map((m) => m.split(':')[2])).toEqual([' rolls', ' fleet.1.nodes', ' fleet.1.role']);
    expect([early.groundTruth?.faulty, late.groundTruth?.faulty]).toEqual([
      ['rolls', 'fleet', 'silences'],
      ['rolls', 'fleet'],
    ]);
  });

  it('names nodes as sources do: lower case, without the domains of the site', () => {
    const { groundTruth } = parseGroundTruth('fleet: [{ nodes: "N[1-2].hsn.test,n3", role: c }]', {
      ...options,
      nodeDomains: ['hsn.test'],
    });
    expect(groundTruth?.fleet[0]?.nodes).toBe('n[1-3]');
  });

  it('leaves out a wrong entry, names it with its line, and keeps the others', () => {
    const text = `fleet:
  - { nodes: "n[1-", role: compute }
  - { nodes: n5, role: compute }
topology:
  switch:
    sw1: "n[2-1]"
    sw2: n5
roles: { a: { image: 3 }, b: { image: i2 } }
known_down:
  - { nodes: n5, reason: r, owner: o }
`;
    const { groundTruth, mistakes } = parse(text);
    expect(groundTruth).toMatchObject({
      fleet: [{ nodes: 'n5' }],
      topology: { switch: { sw2: 'n5' } },
      roles: { b: { image: 'i2' } },
      known_down: [],
    });
    expect(groundTruth?.topology['switch']).not.toHaveProperty('sw1');
    expect([...(groundTruth?.faulty ?? [])].sort()).toEqual(['fleet', 'known_down', 'roles', 'topology']);
    expect(mistakes.map((m) => m.split(': ').slice(0, 2).join(': '))).toEqual(
      expect.arrayContaining(['fleet.yaml:2: fleet.0.nodes', 'fleet.yaml:6: topology.switch.sw1', 'fleet.yaml:10: known_down.0.expires']),
    );
  });

  it('is nothing where it is no mapping at all, and says so', () => {
    for (const text of ['fleet: [', '- a', 'just text']) {
      const { groundTruth, mistakes } = parse(text);
      expect(groundTruth).toBeNull();
      expect(mistakes[0]).toMatch(/^fleet\.yaml:\d+: /);
    }
    expect(parse('').groundTruth).toMatchObject({ fleet: [], faulty: [] });
  });

  it.each([
    ['matches everything', '{ reason: r, owner: o, expires: 2026-12-15 }', 'matches everything is refused'],
    ['matches every node', '{ nodes: "n[1-9]", reason: r, owner: o, expires: 2026-12-15 }', 'matches every node is refused'],
    ['matches everything by a pattern', '{ nodes: ".*", reason: r, owner: o, expires: 2026-12-15 }', 'wildcards are not read'],
    ['has no end', '{ kind: oom, reason: r, owner: o }', 'silences.0.expires'],
    ['never ends', '{ kind: oom, reason: r, owner: o, expires: 2099-01-01 }', 'never ends is refused'],
    ['has no owner', '{ kind: oom, reason: r, expires: 2026-12-15 }', 'silences.0.owner'],
    ['has an empty node set', '{ nodes: " ", reason: r, owner: o, expires: 2026-12-15 }', 'without a node'],
  ])('refuses a silence that %s', (_, silence, why) => {
    const { groundTruth, mistakes } = parse(`fleet: [{ nodes: "n[1-4]", role: c }]\nsilences: [${silence}]\n`);
    expect(groundTruth?.silences).toEqual([]);
    expect(mistakes).toEqual([expect.stringContaining(why)]);
  });

  it('names every key that is there twice, wherever it stands', () => {
    const twice = (text: string): readonly string[] => {
      const { groundTruth, mistakes } = parse(text);
      expect(groundTruth).toBeNull();
      return mistakes;
    };
    const why = 'Map keys must be unique';
    expect(twice('roles:\n  a: {}\n  b: {}\n  a: {}\nfleet: []\nfleet: []\n')).toEqual([`fleet.yaml:4: ${why}`, `fleet.yaml:6: ${why}`]);
    expect(twice('topology:\n  switch: { sw1: n1, sw2: n2, "sw1": n3 }\n')).toEqual([`fleet.yaml:2: ${why}`]);
    expect(parse('roles: { "1": {}, "01": {}, a: {} }\ntopology: { switch: { a: n1 }, pdu: { a: n1 } }\n').mistakes).toEqual([]);
  });

  it('takes prototype-like names as names', () => {
    const { groundTruth, mistakes } = parse(
      'topology: { __proto__: { constructor: n1 }, switch: { __proto__: n2 } }\nroles: { __proto__: { image: i } }\n',
    );
    expect(mistakes).toEqual([]);
    expect(Object.hasOwn(groundTruth?.topology['switch'] ?? {}, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>)['image']).toBeUndefined();
  });

  it('never throws, whatever the text', () => {
    const text = fc.oneof(fc.string(), fc.json(), fc.stringMatching(/^(fleet|silences|topology|known_down|x): [[{}\]a-z0-9,:\n -]{0,60}$/));
    fc.assert(
      fc.property(text, (t) => {
        expect(Array.isArray(parse(t).mistakes)).toBe(true);
        expect(Array.isArray(lint(t))).toBe(true);
      }),
    );
  });
});

describe('lint', () => {
  it('has nothing to say of a good file', () => {
    expect(lint(GOOD)).toEqual([]);
    const demo = readFileSync(new URL('../../fixtures/democluster/fleet.yaml', import.meta.url), 'utf8');
    expect(lintGroundTruth(demo, { file: 'fleet.yaml', now: Date.parse('2026-11-30T08:45:00Z') })).toEqual([]);
  });

  it('says of every mistake where it is', () => {
    expect(lint('fleet: [{ nodes: "n[", role: c }]')[0]).toMatch(/^fleet\.yaml:1: fleet\.0\.nodes: /);
    expect(lint('fleet: [')[0]).toMatch(/^fleet\.yaml:1: /);
    expect(lint('flet: []')).toEqual([
      'fleet.yaml:1: flet: unknown section; known: fleet, known_down, maintenance, silences, acknowledgements, roles, topology',
    ]);
  });

  it.each([
    [
      'what has run out',
      'known_down:\n  - { nodes: n1, reason: r, owner: o, expires: 2026-11-29 }',
      'fleet.yaml:2: known_down.0: has run out 12h ago, at 2026-11-29T23:59:59.999Z: renew or remove it',
    ],
    [
      'a silence that has run out',
      'silences:\n  - { kind: oom, reason: r, owner: o, expires: 2026-11-29 }',
      'fleet.yaml:2: silences.0: has run out 12h ago, at 2026-11-29T23:59:59.999Z: remove it',
    ],
    [
      'maintenance that is over',
      'maintenance:\n  - { nodes: n1, reason: r, owner: o, from: 2026-11-01, until: 2026-11-02 }',
      'maintenance.0: has run out',
    ],
    [
      'an acknowledgement that has run out',
      `acknowledgements: [{ id: ${'a'.repeat(32)}, by: kim, reason: r, until: 2026-11-29 }]`,
      'acknowledgements.0: has run out',
    ],
    [
      'an exception that lasts for ever',
      'known_down: [{ nodes: n1, reason: r, owner: o, expires: 2027-11-30 }]',
      'known_down.0: lasts for another 365d',
    ],
    [
      'a date in the future',
      'silences: [{ kind: oom, reason: r, owner: o, created: 2026-12-10, expires: 2026-12-15 }]',
      'silences.0: was created in the future',
    ],
    [
      'maintenance that ends before it begins',
      'maintenance: [{ nodes: n1, reason: r, owner: o, from: 2026-12-02, until: 2026-12-01 }]',
      'ends before it begins',
    ],
    [
      'entries that overlap',
      'known_down: [{ nodes: "n[1-3]", reason: r, owner: o, expires: 2026-12-15 }, { nodes: "n[2-4]", reason: s, owner: o, expires: 2026-12-15 }]',
      'known_down.1: names n[2-3] again',
    ],
    ['a node in two roles', 'fleet: [{ nodes: "n[1-3]", role: a }, { nodes: "n[3-4]", role: b }]', 'fleet.1: names n3 again'],
    [
      'nodes that nobody knows',
      'fleet: [{ nodes: "n[1-3]", role: a }]\nknown_down: [{ nodes: "n[3-9]", reason: r, owner: o, expires: 2026-12-15 }]',
      'known_down.0: names n[4-9], which fleet does not have',
    ],
    [
      'places with nodes that nobody knows',
      'fleet: [{ nodes: "n[1-3]", role: a }]\ntopology: { switch: { sw1: "n[1-4]" } }',
      'topology.switch.sw1: names n4, which fleet does not have',
    ],
    [
      'a kind that there is not',
      'silences: [{ kind: ooom, reason: r, owner: o, expires: 2026-12-15 }]',
      'silences.0: no kind of finding is called ooom: it silences nothing',
    ],
    [
      'a role that there is not',
      'fleet: [{ nodes: n1, role: compte }]\nroles: { compute: {} }',
      'fleet.0: roles does not have compte; it has compute',
    ],
  ])('explains %s', (_, text, said) => {
    expect(lint(text).join('\n')).toContain(said);
  });

  it('asks the inventory where there is one', () => {
    const text =
      'fleet: [{ nodes: "n[1-3]", role: a }]\nmaintenance: [{ nodes: "n[8-9]", reason: r, owner: o, from: 2026-12-01, until: 2026-12-02 }]\n';
    expect(lint(text, new Set(['n1', 'n2', 'n8']))).toEqual([
      'fleet.yaml:2: maintenance.0: names n9, which neither fleet nor the inventory has',
      'fleet.yaml:1: fleet.0: expects n3, which the inventory does not have',
    ]);
  });
});
