import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conditionId, groupId, hashId, sha256Hex, subjectId } from '../../lib/model/identity.ts';

const DOMAINS = ['hsn.cm.demo.test', 'demo.test'];

/** Texts that would run together if parts were merely joined. */
const part = fc.oneof(
  fc.string({
    unit: fc.constantFrom('"', ',', '\\', '[', ']', ':', '/', '#', '@', '0', 'n', 'N', ' ', '\u0301', 'e', 'é'),
    minLength: 1,
    maxLength: 6,
  }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }),
  fc.constantFrom('v1', 'g1', 'null', '__proto__', 'node', '\ud800', '\\ud800'),
);

describe('ids', () => {
  // A changed id reopens every finding at every site and orphans every silence: these never change.
  it('are what they always were', () => {
    const cluster = 'democluster';
    expect(conditionId({ cluster, kind: 'kernel_panic', subject: { type: 'node', id: 'x1000c0s0b0n0' } })).toBe(
      '974c6a477f3e5a8010522321d609bbd2',
    );
    expect(conditionId({ cluster, kind: 'gpu_xid', subject: { type: 'node', id: 'x1001c0s1b0n0' }, part: '79' })).toBe(
      '2a94813664f5a1d05dcb21c13e70f074',
    );
    expect(conditionId({ cluster, kind: 'capacity_high', subject: { type: 'filesystem', id: 'projéts' } })).toBe(
      '77c8a0bfe188249b193ebf089720f398',
    );
    expect(groupId(cluster, 'node_off', { type: 'rack', id: 'x1002' })).toBe('f5d8dca5445133926263711591208c2a');
  });

  it('are of typed parts alone', () => {
    const condition = { cluster: 'c', kind: 'oom', subject: { type: 'node', id: 'n1' } };
    const told = { ...condition, severity: 'critical', message: 'told otherwise', values: { count: 4 }, since: '2026-11-30T08:45:00.000Z' };
    expect(conditionId(told)).toBe(conditionId(condition));
    expect(conditionId({ ...condition, part: undefined })).toBe(conditionId(condition));
  });

  it('refuse an empty part', () => {
    const condition = { cluster: 'c', kind: 'k', subject: { type: 'node', id: 'n1' } };
    expect(() => conditionId({ ...condition, part: '' })).toThrow('no empty part');
    expect(() => conditionId({ ...condition, cluster: '' })).toThrow('no empty part');
    expect(() => conditionId({ ...condition, subject: { type: 'node', id: '' } })).toThrow('no empty part');
    expect(() => groupId('c', '', { type: 'rack', id: 'x1' })).toThrow('no empty part');
  });

  it('differ wherever the parts differ', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.array(part, { maxLength: 6 }), (a, b) => {
        const same = a.length === b.length && a.every((one, i) => one === b[i]);
        expect(hashId(a) === hashId(b)).toBe(same);
      }),
      { numRuns: 1000 },
    );
  });

  it('differ however a text is cut into parts', () => {
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 2, maxLength: 6 }),
        fc.nat(),
        fc.constantFrom('', ',', '","', ':', '\u0000'),
        (parts, n, joint) => {
          const at = n % (parts.length - 1);
          const joined = [...parts.slice(0, at), `${parts[at]}${joint}${parts[at + 1]}`, ...parts.slice(at + 2)];
          expect(hashId(joined)).not.toBe(hashId(parts));
        },
      ),
    );
  });

  it('do not collide among 100,000 neighbours', () => {
    const ids = new Set<string>();
    let made = 0;
    for (const cluster of ['a', 'A', 'a,b']) {
      for (const kind of ['node_down', 'node_down_', 'oom']) {
        for (const type of ['node', 'bmc', 'drive']) {
          for (let n = 0; n < 1235; n++) {
            for (const id of [`x${n}`, `x0${n}`, `x00${n}`]) {
              ids.add(conditionId({ cluster, kind, subject: { type, id } }));
              made++;
            }
          }
        }
      }
    }
    expect(made).toBeGreaterThan(100_000);
    expect(ids.size).toBe(made);
  }, 60_000);

  it('are hex of fixed length', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        expect(hashId(parts)).toMatch(/^[0-9a-f]{32}$/);
      }),
    );
  });

  it('sha256Hex is SHA-256', () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(sha256Hex('abc')).toBe(abc);
    expect(sha256Hex(new TextEncoder().encode('abc'))).toBe(abc);
  });
});

describe('subjectId', () => {
  it.each(['node', 'service_node', 'bmc', 'switch', 'chassis', 'pdu', 'cdu', 'rack', 'leader', 'admin', 'dpu'])(
    'of %s is a host name: lower case, without the site’s domains',
    (type) => {
      expect(subjectId(type, ' X1000C0s0b0n0 ', DOMAINS)).toBe('x1000c0s0b0n0');
      expect(subjectId(type, 'Login1.HSN.cm.demo.test', DOMAINS)).toBe('login1');
      expect(subjectId(type, 'login1.hsn.cm.demo.test.', DOMAINS)).toBe('login1');
      expect(subjectId(type, 'login1.other.test', DOMAINS)).toBe('login1.other.test');
    },
  );

  it.each(['drive', 'filesystem', 'container', 'cluster', 'queue', 'image', 'sensor'])('of %s is its own name, as it stands', (type) => {
    expect(subjectId(type, ' Scratch.demo.test ', DOMAINS)).toBe('Scratch.demo.test');
  });

  it('takes the longest domain, in whatever order they are configured', () => {
    const name = 'n1.hsn.cm.demo.test';
    expect(subjectId('node', name, DOMAINS)).toBe('n1');
    expect(subjectId('node', name, DOMAINS.toReversed())).toBe('n1');
    expect(subjectId('node', 'n1.hsn.cm.demo.test', ['demo.test'])).toBe('n1.hsn.cm');
  });

  it('leaves a name that is nothing but the domain, and one that only ends like it', () => {
    expect(subjectId('node', 'demo.test', ['demo.test'])).toBe('demo.test');
    expect(subjectId('node', '.demo.test', ['demo.test'])).toBe('.demo.test');
    expect(subjectId('node', 'n1xdemo.test', ['demo.test'])).toBe('n1xdemo.test');
  });

  it('keeps zeros and everything else that tells names apart', () => {
    const ids = ['n1', 'n01', 'n001', 'n-1', 'n.1', 'n 1', 'n1 x'].map((name) => subjectId('node', name));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([null, undefined, 7, {}, '', '  ', 'a\nb', 'a\u0000', 'a\u200bb', 'a\u202eb', 'n'.repeat(254), '\ud800'])(
    'is null for %j',
    (raw) => expect(subjectId('node', raw, DOMAINS)).toBeNull(),
  );

  it.each(['__proto__', 'constructor', '..', '/', 'null', '0', 'n'.repeat(253)])('takes %s for a name like any other', (name) =>
    expect(subjectId('node', name)).toBe(name),
  );

  const rawName = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.string({
      unit: fc.constantFrom('N', 'n', '.', ' ', 'é', 'e\u0301', 'İ', 'Σ', 'ᾂ', '가', 'K', '.demo.test', 'ſ', 'ẞ', '\u00a0'),
      maxLength: 60,
    }),
  );
  const type = fc.constantFrom('node', 'drive');

  it('is the same for composed and decomposed, and for padded names', () => {
    fc.assert(
      fc.property(type, rawName, (kind, raw) => {
        const id = subjectId(kind, raw.normalize('NFC'), DOMAINS);
        expect(subjectId(kind, raw.normalize('NFD'), DOMAINS)).toBe(id);
        expect(subjectId(kind, `\t ${raw}\n`, DOMAINS)).toBe(id);
      }),
      { numRuns: 500 },
    );
    // Four code units in decomposed form, one in composed.
    expect(subjectId('drive', 'ᾂ'.repeat(84).normalize('NFD'))).toBe('ᾂ'.repeat(84));
  });

  it('is itself a name, in the form of an id', () => {
    fc.assert(
      fc.property(type, rawName, (kind, raw) => {
        const id = subjectId(kind, raw);
        expect(id === null ? null : subjectId(kind, id)).toBe(id);
        expect(id === null || (id === id.normalize('NFC') && id === id.trim() && id !== '')).toBe(true);
      }),
      { numRuns: 500, examples: [['node', 'İ'.repeat(126)]] },
    );
  });

  it('of a node is the same in any case, of anything else it is not', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9.-]{1,20}$/), (raw) => {
        expect(subjectId('node', raw.toUpperCase())).toBe(subjectId('node', raw.toLowerCase()));
        expect(subjectId('drive', raw)).toBe(raw);
      }),
    );
  });
});
