import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NoJson, parseTolerantJson, repairJson } from '../../lib/collectors/pbs_state/tolerant-json.ts';

/** What the parser is to give for valid JSON: JSON.parse's value, but for whole numbers that no double holds. */
function expected(value: unknown): unknown {
  if (typeof value === 'number') {
    const printed = JSON.stringify(value);
    return /^-?\d{16,}$/.test(printed) && !Number.isSafeInteger(value) ? printed : Number(printed);
  }
  if (Array.isArray(value)) return value.map(expected);
  if (value === null || typeof value !== 'object') return value;
  const copy = {};
  for (const [key, inner] of Object.entries(value)) {
    Object.defineProperty(copy, key, { value: expected(inner), enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

/** How parsing ends; any error that is not the parser's own comes through. */
function outcome(text: string): string {
  try {
    return parseTolerantJson(text).end;
  } catch (error) {
    if (error instanceof NoJson) return error.name;
    throw error;
  }
}

const anyText = fc.string({ unit: 'binary', maxLength: 12 });
const field = fc.oneof(anyText, fc.integer(), fc.boolean(), fc.constantFrom('"', '\\', '\n', '\t"a":1,', '","b":"', '}', '},"n2":{'));
const record = fc.record(
  {
    state: fc.constantFrom('free', 'down,offline', 'job-exclusive'),
    comment: field,
    resources_available: fc.dictionary(anyText, field, { maxKeys: 3 }),
    Variable_List: fc.dictionary(anyText, field, { maxKeys: 3 }),
    jobs: fc.array(anyText, { maxLength: 3 }),
  },
  { requiredKeys: ['state'] },
);
const document = fc
  .array(record, { minLength: 2, maxLength: 12 })
  .map((records) => ({ timestamp: 1796028180, pbs_server: 'pbs01', nodes: Object.fromEntries(records.map((r, i) => [`n${i + 1}`, r])) }));
const indent = fc.constantFrom(0, 1, 4, '\t');

describe('valid JSON', () => {
  it('is parsed as JSON.parse does, by the repairing parser too', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }), indent, (value, space) => {
        const text = JSON.stringify(value, null, space);
        const careful = repairJson(text);
        expect(careful.value).toStrictEqual(expected(JSON.parse(text)));
        expect(careful).toMatchObject({ end: 'whole', rejected: { count: 0 } });
        expect(careful.repairs.filter((r) => r.kind !== 'long_number')).toEqual([]);
        expect(parseTolerantJson(text).value).toStrictEqual(expected(JSON.parse(text)));
      }),
      { numRuns: 200 },
    );
  });

  it('of the form that PBS prints passes the fences that hold broken records apart', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(document, indent, (value, space) => {
        const text = JSON.stringify(value, null, space);
        const careful = repairJson(text, { isBroken: true });
        expect(careful.value).toStrictEqual(expected(JSON.parse(text)));
        expect(careful).toMatchObject({ end: 'whole', rejected: { count: 0 }, repairs: [] });
      }),
      { numRuns: 300 },
    );
  });

  it.each(['5', '"x"', '[\n{"a":1}]', '{}', ' {"nodes": {}} \n', '\ufeff{"a":{"b":{}}}'])('keeps %j', (text) => {
    expect(repairJson(text).value).toStrictEqual(JSON.parse(text.replace('\ufeff', '')));
  });
});

describe('what PBS prints and JSON has not', () => {
  const job = (fields: string): string =>
    `{\n    "timestamp":1764489600,\n    "Jobs":{\n        "1.p":{\n            ${fields}\n        },\n        "2.p":{\n            "job_state":"Q"\n        }\n    }\n}\n`;
  const parsed = (text: string): { first: unknown; repairs: [string, number][]; rejected: number; second: unknown } => {
    const { value, repairs, rejected } = parseTolerantJson(text);
    const jobs = (value as { Jobs: Record<string, unknown> }).Jobs;
    return { first: jobs['1.p'], second: jobs['2.p'], repairs: repairs.map((r) => [r.kind, r.count]), rejected: rejected.count };
  };

  it.each([
    [
      'openpbs#830: bare quotes',
      '"comment":"reboot "planned share" (Sep 04)",\n "a":"True"',
      { comment: 'reboot "planned share" (Sep 04)', a: 'True' },
      [['bare_quote', 2]],
    ],
    ['bare quotes at both ends', '"comment":""no", he said "yes""', { comment: '"no", he said "yes"' }, [['bare_quote', 4]]],
    [
      'openpbs#2049: escapes of PBS',
      String.raw`"Variable_List":{"MYVAR":"ab\,c","Q":"\'\"asads\"\'"}`,
      { Variable_List: { MYVAR: 'ab,c', Q: '\'"asads"\'' } },
      [['bad_escape', 3]],
    ],
    ['an escape that is cut', String.raw`"V":"a\u00zz\q"`, { V: 'au00zzq' }, [['bad_escape', 2]]],
    [
      'openpbs#2541: functions of bash',
      '"BASH_FUNC_x":"() {  eval `a`\n}",\n "b":1',
      { BASH_FUNC_x: '() {  eval `a`\n}', b: 1 },
      [['raw_control', 1]],
    ],
    ['raw tabs and escapes of terminals', '"c":"a\tb\u001b[31m"', { c: 'a\tb\u001b[31m' }, [['raw_control', 2]]],
    [
      'openpbs#1255: leading zeros',
      '"foo":005,"SHA":0000000000000000000000000000000000000000,"n":0',
      { foo: '005', SHA: '0'.repeat(40), n: 0 },
      [['bare_number', 2]],
    ],
    // PBS since 2022 prints the text 0022 as the number 22; before, as it is, which is no JSON.
    ['a umask', '"umask":0022,"Hold_Types":"n"', { umask: '0022', Hold_Types: 'n' }, [['bare_number', 1]]],
    ['a umask as a number', '"umask":22,"b":0022', { umask: 22, b: '0022' }, [['bare_number', 1]]],
    [
      'openpbs#2603: other numbers of strtod',
      '"a":.123,"b":123.,"c":-00,"d":00.123,"e":+5,"f":0x1F,"g":inf,"h":NaN',
      { a: '.123', b: '123.', c: '-00', d: '00.123', e: '+5', f: '0x1F', g: 'inf', h: 'NaN' },
      [['bare_number', 8]],
    ],
    [
      'a hash of digits alone',
      '"sha":1234567890123456789012345678901234567890,"n":12',
      { sha: '1234567890123456789012345678901234567890', n: 12 },
      [['long_number', 1]],
    ],
    [
      'openpbs#2677: a key again',
      '"m":"[o:PBS_ALL=10]","m":"[u:PBS_GENERIC=2]","m":"[u:tom=15]"',
      { m: '[u:tom=15]' },
      [['duplicate_key', 2]],
    ],
    ['__proto__ is a name', '"__proto__":"x","a":05', JSON.parse('{"__proto__":"x","a":"05"}'), [['bare_number', 1]]],
  ] as const)('%s', (_, fields, first, repairs) => {
    const result = parsed(job(fields));
    expect(result).toStrictEqual({ first, second: { job_state: 'Q' }, repairs, rejected: 0 });
    expect(parsed(job(fields).replaceAll(/\n {4,}/g, '')).first).toStrictEqual(first);
  });

  it('says where it repaired first', () => {
    expect(parseTolerantJson(job('"a":1,\n            "b":007')).repairs).toEqual([
      { kind: 'bare_number', count: 1, place: 'line 6 column 17' },
    ]);
  });

  it('openpbs#2675: a listing before the document', () => {
    const result = parseTolerantJson(
      'VMa: \nJob ID  S Time\n------- - -----\n2000.VMa R 25:26\n{\n\t"timestamp":\t1749572608,\n\t"pbs_server":\t"VMa"\n}\n',
    );
    expect(result.value).toEqual({ timestamp: 1749572608, pbs_server: 'VMa' });
    expect(result.repairs).toEqual([{ kind: 'text_before', count: 1, place: 'line 1 column 1' }]);
  });

  it('says that something stands behind the document', () => {
    expect(parseTolerantJson('{"a":{"b":{}}}\nqstat: Unknown Job Id')).toMatchObject({ trailing: 'line 2 column 1', end: 'whole' });
  });

  it('refuses what is no JSON, with the place', () => {
    expect(() => parseTolerantJson('')).toThrow('empty');
    expect(() => parseTolerantJson('qstat: cannot connect')).toThrow(NoJson);
    expect(() => parseTolerantJson('{"timestamp":x')).toThrow(expect.objectContaining({ place: 'line 1 column 14' }));
  });
});

describe('a broken record', () => {
  // Each stands in place of one record, and none can be read: a text without end, a brace too few or too many, no JSON.
  const broken = [
    '{"state":"free',
    '{"state":"free}',
    '{"state": fr ee}',
    '{"ra":{"x":1}',
    '{"state":"free"]',
    '{"a" 1}',
    '{,}',
    '{"a":"b" "c"',
    '\u0000',
    '{"a":[1,2}',
    '{"a":"x\\"}',
  ];

  it.each([0, 4, '\t'])('costs one record among 12,000, printed with indentation %j', { timeout: 60_000 }, (space) => {
    const nodes = Object.fromEntries(
      Array.from({ length: 12_000 }, (_, i) => [`n${i + 1}`, { state: 'free', resources_available: { ncpus: 64 } }]),
    );
    const text = JSON.stringify({ timestamp: 1, nodes }, null, space);
    const at = text.indexOf('"n6000"');
    const end = text.indexOf('"n6001"');
    const cut = `${text.slice(0, at)}"n6000":{"state":"free","comment":"lost${text.slice(text.lastIndexOf('}', end) + 1)}`;
    const result = parseTolerantJson(cut);
    expect(Object.keys((result.value as { nodes: object }).nodes)).toHaveLength(11_999);
    expect(result).toMatchObject({
      end: 'whole',
      rejected: { count: 1, samples: [{ pointer: '/nodes/n6000', message: 'a text without end' }] },
    });
    expect([...result.rejected.names]).toEqual(['n6000']);
  });

  it('never costs or changes another', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(document, fc.nat(), fc.constantFrom(...broken), indent, (value, pick, garbage, space) => {
        const names = Object.keys(value.nodes);
        const victim = names[pick % names.length] as string;
        const text = JSON.stringify({ ...value, nodes: { ...value.nodes, [victim]: 'VICTIM' } }, null, space).replace(
          '"VICTIM"',
          () => garbage,
        );
        const { nodes } = parseTolerantJson(text).value as { nodes: Record<string, unknown> };
        const { [victim]: _, ...others } = nodes;
        const { [victim]: __, ...were } = value.nodes;
        expect(others).toStrictEqual(expected(were));
      }),
      { numRuns: 200 },
    );
  });

  it('with a brace too many does not move the others away', () => {
    const text = '{"pbs_server":"p","nodes":{"n1":{"state":"free"}},"n2":{"state":"down"},"n3":{"state":"free"}}}';
    const result = parseTolerantJson(text);
    expect(Object.keys((result.value as { nodes: object }).nodes)).toEqual(['n1', 'n2', 'n3']);
    expect(result.rejected.count).toBe(1);
  });

  it('at the end of a cut text is the only one that is lost', () => {
    const text = JSON.stringify({ timestamp: 1, nodes: { n1: { state: 'free' }, n2: { state: 'down' }, n3: { state: 'free' } } }, null, 4);
    for (let length = text.indexOf('"n3"') + 3; length < text.length - 12; length++) {
      const result = parseTolerantJson(text.slice(0, length));
      expect(result.end).toBe('cut');
      expect(Object.keys((result.value as { nodes: object }).nodes).slice(0, 2)).toEqual(['n1', 'n2']);
    }
  });
});

describe('anything else', () => {
  it('throws nothing but NoJson', { timeout: 60_000 }, () => {
    const marks = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '\\',
      '\n',
      ' ',
      '\n    "a":{',
      '},"b":{',
      '"nodes":{',
      '01',
      'nan',
      'true',
      '\u0000',
      'é',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(marks, { maxLength: 60 }).map((m) => m.join('')),
          fc.string({ unit: 'binary' }),
        ),
        (text) => {
          expect(['whole', 'cut', 'given_up', 'NoJson']).toContain(outcome(text));
          expect(['whole', 'cut', 'given_up', 'NoJson']).toContain(outcome(`{"nodes":{${text}`));
        },
      ),
      { numRuns: 500 },
    );
  });

  // What costs its square at this length would not end before the test is given up.
  it.each([
    ['quotation marks', '"', 1],
    ['quoted commas', '","', 1],
    ['a text of line breaks', '\n', '{"a":"'],
    ['a text of backslashes', '\\', '{"a":"'],
    ['keys without values', ',"k":', '{"a":{"b":"'],
    ['records that break', '\n "a":{x', '{"n":{'],
    ['records that break, on one line', '"a":{x},', '{"n":{"a":{x},'],
    ['objects that never close', '"a":{"c":{},', '{"n":{'],
    ['objects that never close, on lines', '\n "a":{\n "b":{},', '{"n":{\n'],
    ['brackets', '[', ''],
    ['digits', '1', ''],
  ] as const)('ends in time on very much of %s', { timeout: 120_000 }, (_, unit, before) => {
    const text = `${before === 1 ? '' : before}${unit.repeat(Math.ceil(1e5 / unit.length))}`;
    expect(['whole', 'cut', 'given_up', 'NoJson']).toContain(outcome(text));
  });
});
