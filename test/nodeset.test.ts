import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareNames } from '../lib/model/text.ts';
import { expand, fold, foldShared, NodeSetError, nodeSetOf } from '../lib/nodeset.ts';

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort(compareNames);

/** The places of a machine: every combination of numbers in a pattern such as `x{1000-1002}c0s{0-7}b0n{0-1}`. */
function machine(pattern: string): string[] {
  const [head, first, last, tail] = /^(.*?)\{(\d+)-(\d+)\}(.*)$/.exec(pattern)?.slice(1) ?? [];
  if (head === undefined || first === undefined) return [pattern];
  const numbers = Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => String(Number(first) + i).padStart(first.length, '0'));
  return numbers.flatMap((number) => machine(`${head}${number}${tail}`));
}

// Few letters and few numbers, so that names meet in one family and collide in padding.
const nodeName = fc
  .array(
    fc.tuple(fc.constantFrom('n', 'x', 'c', '-', '.', ' '), fc.constantFrom('', '0', '1', '2', '3', '9', '10', '01', '02', '09', '010')),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((parts) => parts.flat().join(''));
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...Array.from('[],%!&^@*?#- \t\n/0123a٣\u200b\ud83d\u{1f600}é')) }),
  fc.constantFrom(
    '',
    'all',
    '-',
    '%',
    '%61ll',
    '[',
    ']',
    ',',
    '@all',
    '__proto__',
    'constructor',
    '..',
    'a,b',
    'n[1-3]',
    '\ud800',
    '\udc00x',
  ),
  fc.tuple(fc.constantFrom('', 'sn', 'a ', '%'), fc.bigInt({ min: 0n, max: 10n ** 120n })).map(([text, n]) => text + n),
);
const names = fc.array(fc.oneof(nodeName, anyText), { maxLength: 40 });

describe('fold', () => {
  it.each([
    [[], ''],
    [['n1'], 'n1'],
    [['n1', 'n2', 'n3', 'n5'], 'n[1-3,5]'],
    [['login2', 'login1', 'admin'], 'admin,login[1-2]'],
    [['1', '2'], '[1-2]'],
    [['n9', 'n10', 'n11'], 'n[9-11]'],
    [['n1-ib', 'n2-ib'], 'n[1-2]-ib'],
    [['/dev/nvme0n1', '/dev/nvme1n1'], '/dev/nvme[0-1]n1'],
  ])('%j → %s', (list, text) => expect(fold(list)).toBe(text));

  it('folds every number of a name', () => {
    expect(fold(machine('x{1000-1003}c{0-7}s{0-7}b{0-1}n{0-1}'))).toBe('x[1000-1003]c[0-7]s[0-7]b[0-1]n[0-1]');
    const allButOne = machine('x{1000-1003}c0s{0-7}b0n{0-1}').filter((name) => name !== 'x1002c0s3b0n1');
    expect(fold(allButOne)).toBe('x[1000-1001,1003]c0s[0-7]b0n[0-1],x1002c0s[0-2,4-7]b0n[0-1],x1002c0s3b0n0');
  });

  it('folds the last varying number alone where that is asked', () => {
    expect(fold(machine('x1000c0s{0-1}b0n{0-1}'), { dims: 1 })).toBe('x1000c0s0b0n[0-1],x1000c0s1b0n[0-1]');
    expect(fold(machine('x1000c0s{0-7}b0n0'), { dims: 1 })).toBe('x1000c0s[0-7]b0n0');
    expect(fold(machine('nid{000001-000072}'), { dims: 1 })).toBe('nid[000001-000072]');
  });

  it('keeps paddings apart', () => {
    expect(fold(['n1', 'n01', 'n001', 'n2', 'n02'])).toBe('n001,n[01-02],n[1-2]');
    expect(fold(['n08', 'n09', 'n10', 'n11', 'n100'])).toBe('n[08-11],n100');
    expect(fold(['n0', 'n00'])).toBe('n0,n00');
    expect(fold(['x01c1', 'x02c1', 'x1c1', 'x01c01'])).toBe('x01c01,x[01-02]c1,x1c1');
  });

  it('escapes what the syntax reserves and leaves plain names plain', () => {
    expect(fold(['Encl1, bay 3', 'Encl1, bay 4'])).toBe('Encl1%2C%20bay%20[3-4]');
    expect(fold(['a[1]', '50%', 'a@b', '-n', 'n-1', 'a\tb', 'é1'])).toBe('%2Dn,50%25,a%5B1%5D,a%09b,a%40b,n-1,é1');
    expect(fold(['__proto__', 'constructor', '..', 'a:b/c.d_e+f~g=h'])).toBe('..,__proto__,a:b/c.d_e+f~g=h,constructor');
    expect(fold(['\u0663', '\ud800', '\u00a0'])).toBe('%C2%A0,%D9%A3,%ED%A0%80');
    expect(fold([''])).toBe('%');
  });

  it('never writes the bare word that coverage uses as its marker', () => {
    expect(fold(['all'])).toBe('%61ll');
    expect(fold(['all', 'n1']).split(',')).not.toContain('all');
    expect(expand(fold(['all', 'all1', 'All']))).toEqual(['All', 'all', 'all1']);
  });

  it('folds numbers behind an escape that ends in a digit by their length, as ClusterShell would misread them otherwise', () => {
    expect(fold(machine('bay {8-11}'))).toBe('bay%20[8-9],bay%20[10-11]');
  });

  it('takes numbers too long to count with for text', () => {
    expect(fold(['sn123456789012345', 'sn123456789012346'])).toBe('sn[123456789012345-123456789012346]');
    expect(fold(['sn1234567890123456', 'sn1234567890123457'])).toBe('sn1234567890123456,sn1234567890123457');
    for (const part of fold(['9'.repeat(400)]).match(/\d+/g) ?? []) expect(part.length).toBeLessThan(100);
  });

  it('is one text for one set, whatever the order and repetition', () => {
    fc.assert(
      fc.property(
        names.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray([...list, ...list], { minLength: list.length * 2 }))),
        fc.constantFrom({}, { dims: 1 as const }),
        ([list, shuffled], options) => {
          expect(fold(shuffled, options)).toBe(fold(list, options));
          expect(fold(expand(fold(list, options)), options)).toBe(fold(list, options));
        },
      ),
    );
  });

  it('tells vectors apart that no one number can stand for', () => {
    const wide = Array.from({ length: 3000 }, (_, i) => [i, i + 5000].map((last) => `${`${i}a`.repeat(7)}${last}`)).flat();
    expect(expand(fold(wide))).toEqual(sorted(wide));
  });

  it('holds each name in one term only', () => {
    fc.assert(
      fc.property(fc.uniqueArray(nodeName, { maxLength: 60 }), (list) => {
        const counted = terms(fold(list)).reduce((sum, term) => sum + expand(term).length, 0);
        expect(counted).toBe(list.length);
      }),
    );
  });

  it('writes one line of printable characters without white space', () => {
    fc.assert(
      fc.property(names, (list) => {
        expect(fold(list)).toMatch(/^[^\s\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]*$/u);
      }),
    );
  });

  // A merge that compared boxes pairwise would take hours here.
  it('is not undone by many names that do not fold', () => {
    let seed = 1;
    const random = (below: number): number => {
      seed = (seed * 48271) % 2147483647;
      return seed % below;
    };
    const scattered = Array.from({ length: 15_000 }, () => `x${random(5000)}c${random(50)}s${random(50)}b${random(50)}`);
    expect(expand(fold(scattered))).toHaveLength(new Set(scattered).size);
    const words = Array.from({ length: 10_000 }, () => random(2 ** 31).toString(36) + random(2 ** 31).toString(36));
    expect(expand(fold(words))).toHaveLength(new Set(words).size);
    const long = Array.from({ length: 100 }, () => Array.from({ length: 200 }, () => random(3)).join('a'));
    expect(expand(fold(long))).toEqual(sorted(long));
  }, 30_000);
});

function terms(set: string): string[] {
  return set === '' ? [] : set.split(/,(?![^[]*\])/);
}

describe('expand', () => {
  it.each([
    ['', []],
    ['  ', []],
    ['n1', ['n1']],
    ['n[1-3,5]', ['n1', 'n2', 'n3', 'n5']],
    ['n2, n1 ,n1', ['n1', 'n2']],
    ['n[0-6/2]', ['n0', 'n2', 'n4', 'n6']],
    ['n[0-7/3]', ['n0', 'n3', 'n6']],
    ['n[08-11]', ['n08', 'n09', 'n10', 'n11']],
    ['n[1,01,001]', ['n001', 'n01', 'n1']],
    ['n[ 1 , 3 - 4 ]', ['n1', 'n3', 'n4']],
    ['x[1-2]c[0-1]', ['x1c0', 'x1c1', 'x2c0', 'x2c1']],
    ['n1[9-10]', ['n19', 'n110']],
    ['[1-2]', ['1', '2']],
    ['n[2]', ['n2']],
    ['n[123456789012345678901234567890]', ['n123456789012345678901234567890']],
    ['a%2Cb,%61ll,caf%C3%A9,%', ['', 'a,b', 'all', 'café']],
    ['a%[20-21]b', ['a b', 'a!b']],
    ['all', ['all']],
  ])('%j', (set, list) => expect(expand(set)).toEqual(list));

  it('is in order and has each name once, however the set was written', () => {
    const literal = fc.constantFrom('', 'n', 'x', '1', '0', 'c2', '5', '-', '%20');
    const item = fc.constantFrom('1', '01', '5', '05', '6', '10', '1-3', '9-10', '08-10', '0-6/2');
    const bracket = fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => `[${items.join()}]`);
    const term = fc.array(fc.oneof(fc.tuple(literal, bracket), fc.tuple(literal, fc.constant('n'))), { minLength: 1, maxLength: 3 });
    const set = fc.array(term, { minLength: 1, maxLength: 3 }).map((written) => written.map((parts) => parts.flat().join('')).join());
    fc.assert(
      fc.property(set, (written) => {
        fc.pre(!written.includes(']['));
        const list = expand(written);
        expect(list).toEqual(sorted(list));
      }),
      { numRuns: 500 },
    );
  });

  it('gives back what was folded, sorted and once each', () => {
    fc.assert(
      fc.property(names, fc.constantFrom({}, { dims: 1 as const }), (list, options) => {
        expect(expand(fold(list, options))).toEqual(sorted(list));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['n[1-3', 1, 'the bracket is not closed'],
    ['n[', 1, 'the bracket is not closed'],
    ['n1,x[1-3,', 4, 'the bracket is not closed'],
    ['n]', 1, '] without a [ before it'],
    ['n[1]]', 4, '] without a [ before it'],
    ['n[]', 2, 'expected a number or a range'],
    ['n[a-b]', 2, 'expected a number or a range'],
    ['n[1,]', 4, 'expected a number or a range'],
    ['n[-3]', 2, 'expected a number or a range'],
    ['n[1-2-3]', 5, 'expected a comma or ]'],
    ['n[1-3/]', 5, 'expected a comma or ]'],
    ['n[[1]]', 2, 'expected a number or a range'],
    ['n[1-2][3-4]', 6, 'two brackets without anything between them'],
    ['n[3-1]', 2, 'a range that ends before it begins'],
    ['n[1,01-100]', 4, 'a zero-padded range whose ends differ in length'],
    ['n[1-3/0]', 2, 'a step of 0'],
    ['n1,', 3, 'a name is missing'],
    [',n1', 0, 'a name is missing'],
    ['n1,,n2', 3, 'a name is missing'],
    ['n1 n2', 2, 'white space inside a name'],
    ['n1\nn2', 2, 'white space inside a name'],
    ['n1,@compute', 3, 'operators, groups and wildcards are not read'],
    ['n*', 1, 'operators, groups and wildcards are not read'],
    ['n[1-9]!n5', 6, 'operators, groups and wildcards are not read'],
    ['n1,50%', 3, '% begins no escape'],
    ['%ff', 0, '% begins no escape'],
    ['n[1-9999999999999999]', 2, 'a range over numbers of more than 15 digits'],
  ])('refuses %j at %i: %s', (set, offset, reason) => {
    const error = caught(() => expand(set));
    expect(error.offset).toBe(offset);
    expect(error.message).toContain(reason);
    expect(error.message).toContain(`at character ${offset + 1}: `);
  });

  it('shows the place in a long set, on one line', () => {
    const error = caught(() => expand(`${'n1,'.repeat(5000)}bad\u001b[2J\n]`));
    expect(error.message).toMatch(/^node set: [^\n\u001b]{1,250}$/);
    expect(error.message).toContain('bad');
  });

  it.each([
    'n[0-999999999]',
    'n[1-100001]',
    'n[0-999999999999999]',
    'a[1-1000]b[1-1000]',
    'a[1-99999],b[1-2]',
    'n[0-999999999999999/3]x[0-9]',
  ])('refuses %s before it makes any name', (set) => expect(caught(() => expand(set)).message).toContain('more than 100000 names'));

  it('refuses few names of much text', () => {
    expect(caught(() => expand(`${'a'.repeat(10_000)}[1-99999]`)).message).toContain('too much memory');
  });

  it('keeps to the limit that it is given', () => {
    expect(expand('n[1-3]', { limit: 3 })).toHaveLength(3);
    expect(caught(() => expand('n[1-4]', { limit: 3 })).message).toContain('more than 3 names');
    expect(expand('n[1-100000]')).toHaveLength(100_000);
    const odd = Array.from({ length: 20_000 }, (_, i) => `n${2 * i + 1}`);
    expect(expand(fold(odd))).toEqual(odd);
  });

  it('throws nothing but its own error, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: fc.constantFrom(...Array.from('n0123-,[]/% 2C@')) }), fc.string({ unit: 'binary' })),
        (set) => {
          const outcome = attempt(() => expand(set, { limit: 1000 }));
          expect(Array.isArray(outcome) || outcome instanceof NodeSetError).toBe(true);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

function caught(run: () => unknown): NodeSetError {
  const outcome = attempt(run);
  if (outcome instanceof NodeSetError) return outcome;
  throw new Error('expected a NodeSetError', { cause: outcome });
}

describe('nodeSetOf', () => {
  it('answers whether a name is in a set', () => {
    const set = nodeSetOf('x[1000-1001]c0,%5F_proto__');
    expect(set.has('x1001c0')).toBe(true);
    expect(set.has('x1002c0')).toBe(false);
    expect(set.has('__proto__')).toBe(true);
    expect(set.size).toBe(3);
  });
});

describe('foldShared', () => {
  it('folds as fold does, whatever was folded before', () => {
    const name = fc.oneof(
      fc.constantFrom('n1', 'n2', 'n10', 'n01', '', 'all', '__proto__', 'a","b', 'a', 'b', '\ud800', '\\ud800'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(name, { maxLength: 6 }), (some) => {
        for (let times = 0; times < 2; times++) expect(foldShared(some)).toBe(fold(some));
        expect(foldShared(new Set(some.toReversed()))).toBe(fold(some));
      }),
    );
  });

  it('forgets what is too much to keep, and folds it again', () => {
    const sets = Array.from({ length: 3 }, (_, k) =>
      Array.from({ length: 20_000 }, (__, i) => `a-long-name-that-is-not-of-any-range-${k}-${'z'.repeat(i % 7)}${i}`),
    );
    for (const some of [...sets, ...sets]) expect(foldShared(some).length).toBe(fold(some).length);
  });
});
