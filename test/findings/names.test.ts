import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Identity, Names } from '../../lib/findings/names.ts';
import { HOUR, inventory, NOON, scheduler, snapshot, tickOf, view } from './build.ts';

const names = (hpcm: Identity[], oneview: Identity[] = []): Names =>
  new Names(
    new Map([
      ['hpcm_inventory', hpcm],
      ['oneview_inventory', oneview],
    ]),
  );
const A: Identity = {
  name: 'x1000c0s0b0n0',
  aliases: ['nid000001'],
  serial: 'CZ3AAA',
  bmc: '10.0.0.1',
  bmcMac: '02:00:00:00:00:01',
  macs: ['02:00:00:00:01:01'],
};
const B: Identity = {
  name: 'x1000c0s0b0n1',
  aliases: ['nid000002'],
  serial: 'CZ3BBB',
  bmc: '10.0.0.2',
  bmcMac: '02:00:00:00:00:02',
  macs: ['02:00:00:00:01:02'],
};

describe('one identity for each node', () => {
  it('has the names that the inventory gives it', () => {
    const joined = names([A, B]);
    expect(joined.canonical('nid000001')).toBe(A.name);
    expect(joined.of('nid000001')).toEqual([A.name, 'nid000001']);
    expect(joined.of('stranger')).toEqual(['stranger']);
  });

  it.each([
    ['serial number', { serial: 'cz3aaa' }],
    ['BMC address', { serial: 'other', bmc: '10.0.0.1' }],
    ['BMC MAC address', { bmcMac: '02:00:00:00:00:01' }],
    ['MAC address', { macs: ['02:00:00:00:99:99', '02:00:00:00:01:01'] }],
    ['name', { aliases: ['nid000001'] }],
  ])('is found by %s', (_, key) => {
    expect(names([A, B], [{ name: 'encl1, bay 3', ...key }]).canonical('encl1, bay 3')).toBe(A.name);
  });

  it('believes the serial number before the address, and the address before the name', () => {
    expect(names([A, B], [{ name: 'ilo-a', serial: 'CZ3BBB', bmc: '10.0.0.1', aliases: ['nid000001'] }]).canonical('ilo-a')).toBe(B.name);
    expect(names([A, B], [{ name: 'ilo-a', bmc: '10.0.0.2', aliases: ['nid000001'] }]).canonical('ilo-a')).toBe(B.name);
  });

  it('takes placeholders for no key', () => {
    const joined = names(
      [
        { ...A, serial: 'Not Specified' },
        { ...B, serial: 'Not Specified' },
      ],
      [{ name: 'ilo', serial: 'Not Specified' }],
    );
    expect(joined.canonical('ilo')).toBe('ilo');
    expect(joined.ambiguous).toEqual([]);
  });

  it('joins nothing by what two claim, and tells it', () => {
    const twins = names([A, { ...B, serial: A.serial as string }], [{ name: 'ilo', serial: A.serial as string }]);
    expect(twins.canonical('ilo')).toBe('ilo');
    expect(twins.ambiguous).toEqual([{ key: 'serial number', value: 'CZ3AAA', names: [A.name, B.name] }]);
    const claimed = names(
      [A, B],
      [
        { name: 'ilo-1', bmc: '10.0.0.1' },
        { name: 'ilo-2', bmcMac: '02:00:00:00:00:01' },
      ],
    );
    expect([claimed.canonical('ilo-1'), claimed.canonical('ilo-2')]).toEqual(['ilo-1', 'ilo-2']);
    expect(claimed.ambiguous).toEqual([{ key: 'name', value: A.name, names: ['ilo-1', 'ilo-2'] }]);
    const alias = names([A, { ...B, aliases: ['nid000001'] }]);
    expect(alias.canonical('nid000001')).toBe('nid000001');
  });

  it('leaves a record with another node its name, and tells it', () => {
    const moved = names([A, B], [{ name: B.name, serial: A.serial as string }]);
    expect(moved.canonical(B.name)).toBe(B.name);
    expect(moved.ambiguous).toEqual([{ key: 'name', value: B.name, names: [B.name, A.name] }]);
  });

  it('is the same whatever the order of sources and records, and never moves a name of the inventory', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', '__proto__');
    const record = fc.record({
      name,
      aliases: fc.array(name, { maxLength: 2 }),
      serial: fc.constantFrom('S01', 'S02', 'S03', 'NA'),
      bmc: fc.constantFrom('10.0.0.1', '10.0.0.2'),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(record, { selector: (r) => r.name }),
        fc.uniqueArray(record, { selector: (r) => r.name }),
        (hpcm, oneview) => {
          const [one, other] = [
            names(hpcm, oneview),
            new Names(
              new Map([
                ['oneview_inventory', oneview.toReversed()],
                ['hpcm_inventory', hpcm.toReversed()],
              ]),
            ),
          ];
          for (const n of ['a', 'b', 'c', 'd', 'e', '__proto__']) {
            expect(other.canonical(n)).toBe(one.canonical(n));
            expect(one.of(n)).toContain(n);
            expect(one.canonical(one.canonical(n))).toBe(one.canonical(n));
          }
          for (const { name: own } of hpcm) expect(one.canonical(own)).toBe(own);
          expect(other.ambiguous).toEqual(one.ambiguous);
        },
      ),
    );
  });

  it("tells the inventory's ambiguities key by key, each where the second of its nodes stands in order", () => {
    const record = fc.record({
      aliases: fc.array(fc.constantFrom('a', 'b', 'n3'), { maxLength: 2 }),
      serial: fc.constantFrom('S01', 'S02', 'S03'),
      bmc: fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3'),
      macs: fc.uniqueArray(fc.constantFrom('m1', 'm2', 'm3'), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 12 }), fc.nat(), (some, turn) => {
        const records = some.map((r, i) => ({ ...r, name: `n${i + 1}` }));
        const keys: [string, (r: (typeof records)[number]) => string[]][] = [
          ['name', (r) => r.aliases.filter((alias) => !records.some((other) => other.name === alias))],
          ['serial number', (r) => [r.serial]],
          ['BMC address', (r) => [r.bmc]],
          ['MAC address', (r) => r.macs],
        ];
        const expected = keys.flatMap(([key, valuesOf]) => {
          const claims = new Map<string, string[]>();
          const seconds: string[] = [];
          for (const r of records) {
            for (const value of new Set(valuesOf(r))) {
              claims.set(value, [...(claims.get(value) ?? []), r.name]);
              if (claims.get(value)?.length === 2) seconds.push(value);
            }
          }
          return seconds.map((value) => ({ key, value, names: claims.get(value) }));
        });
        const at = records.length === 0 ? 0 : turn % records.length;
        expect(names([...records.slice(at), ...records.slice(0, at)]).ambiguous).toEqual(expected);
      }),
    );
  });
});

describe('joined names', () => {
  const identities = new Map([['hpcm_inventory', [A, B]]]);
  const FLEET = 'fleet: [{ nodes: "nid[000001-000002]", role: compute }]\n';

  it('let a site name its nodes as it likes', () => {
    const yaml = `${FLEET}known_down: [{ nodes: nid000001, reason: r, owner: o, expires: 2026-12-15 }]\n`;
    const sources = [
      view(inventory(NOON, 'x1000c0s0b0n[0-1]', { aliases: 'nid[000001-000002]', off: [A.name], count: 2 }), { maxAge: 24 * HOUR }),
      view(scheduler(NOON, 'nid[000001-000002]', { down: ['nid000001', 'nid000002'] })),
    ];
    const tick = tickOf({ now: NOON, yaml, sources, identities });
    expect(tick.findings).toMatchObject([{ kind: 'node_down', subject: { id: 'nid000002' }, knownAs: B.name }]);
    expect(tick.suppressed).toMatchObject([
      { subjects: 'nid000001,x1000c0s0b0n0', findings: [{ kind: 'node_down' }, { kind: 'node_off' }] },
    ]);
  });

  it('never change an id', () => {
    const sources = [view(scheduler(NOON, 'nid[000001-000002]', { down: ['nid000002'] }))];
    const [joined, plain] = [tickOf({ now: NOON, sources, identities }), tickOf({ now: NOON, sources })];
    expect(joined.findings[0]?.id).toBe(plain.findings[0]?.id);
  });

  it('that are ambiguous are told of, one condition for each key', () => {
    const twins = new Map([['hpcm_inventory', [A, { ...B, serial: A.serial as string, bmc: A.bmc as string }]]]);
    const { findings } = tickOf({ now: NOON, sources: [view(snapshot({ source: 'pbs_state', at: NOON }))], identities: twins });
    expect(findings.map((f) => `${f.kind} ${f.part} ${f.severity}`).sort()).toEqual([
      'identity_ambiguous BMC address info',
      'identity_ambiguous serial number info',
    ]);
    expect(findings.find((f) => f.part === 'serial number')?.conditions[0]?.message).toBe(
      'a serial number is claimed by more than one node: CZ3AAA by x1000c0s0b0n[0-1]',
    );
  });
});
