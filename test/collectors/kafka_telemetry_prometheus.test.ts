import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PrometheusDialect, PrometheusText } from '../../lib/collectors/kafka_telemetry/prometheus-text.ts';

interface Sample {
  name: string;
  labels: (readonly [string, string])[];
  type: string;
  value: number;
  timestamp?: number;
}

function parse(text: string, dialect: PrometheusDialect = 'prometheus', concatenated = false) {
  const samples: Sample[] = [];
  const faults: [number, string][] = [];
  const parser = new PrometheusText<Omit<Sample, 'value'>>(
    {
      define: (name, labels, { type }) => ({ name, labels: [...labels], type }),
      sample: (series, value, timestamp) => samples.push({ ...series, value, ...(!Number.isNaN(timestamp) && { timestamp }) }),
      fault: (line, fault) => faults.push([line, fault]),
    },
    { dialect, concatenated },
  );
  for (const line of text.split('\n')) parser.line(line);
  parser.end();
  return { samples, faults };
}

function openmetrics(body: string) {
  return parse(`${body}\n# EOF`, 'openmetrics');
}

describe('text format 0.0.4', () => {
  it.each<[string, string, Partial<Sample>]>([
    ['a bare name', 'up 1', { name: 'up', labels: [], value: 1 }],
    ['a timestamp in ms', 'up 1 1777593600000', { value: 1, timestamp: 1777593600000 }],
    ['a negative timestamp', 'up 1 -3', { timestamp: -3 }],
    [
      'blanks and tabs anywhere',
      '  up\t{ a = "1" ,\tb="2" , }  3e-1\t ',
      {
        labels: [
          ['a', '1'],
          ['b', '2'],
        ],
        value: 0.3,
      },
    ],
    ['a value right behind the labels', 'up{}-Inf', { value: -Infinity }],
    ['a lone comma', 'up{,} 1', { labels: [] }],
    ['escapes', 'up{a="\\\\ \\" \\n"} 1', { labels: [['a', '\\ " \n']] }],
    ['braces and hashes in labels', 'up{a="} # {"} 1', { labels: [['a', '} # {']] }],
    ['a quoted name', '{"my.metric", a="1"} 1', { name: 'my.metric', labels: [['a', '1']] }],
    ['a quoted name behind labels', '{a="1", "my.metric"} 1', { name: 'my.metric' }],
    ['quoted labels', 'up{"dotted.label"="x"} 1', { labels: [['dotted.label', 'x']] }],
    ['names beyond ASCII', '{"Wärme","größe"="ß"} 1', { name: 'Wärme', labels: [['größe', 'ß']] }],
    ['a label named like a prototype', 'up{__proto__="1"} 1', { labels: [['__proto__', '1']] }],
    ['infinity in any case', 'up +iNf', { value: Infinity }],
    ['a Windows line end', 'up 1\r', { value: 1 }],
    ['seconds of our days, as OpenMetrics writes them', 'up 1 1777593600.25', { timestamp: 1777593600.25 }],
  ])('reads %s', (_, line, expected) => {
    expect(parse(line)).toEqual({ samples: [expect.objectContaining(expected)], faults: [] });
  });

  it.each([
    ['NaN', 'up NaN'],
    ['nan', 'up nan'],
  ])('reads %s', (_, line) => {
    expect(parse(line).samples[0]?.value).toBeNaN();
  });

  it.each([
    ['a hexadecimal value', 'up 0x1F', 'value'],
    ['a binary value', 'up 0b1', 'value'],
    ['underscores', 'up 1_000', 'value'],
    ['white space of another kind for a value', 'up \u00a0', 'value'],
    ['a form feed for a value', 'up \f', 'value'],
    ['a carriage return for a value', 'up \r\r', 'value'],
    ['white space of another kind behind a value', 'up 1\u00a0', 'value'],
    ['no value', 'up', 'value'],
    ['no value behind labels', 'up{a="1"}', 'value'],
    ['a fraction of a millisecond', 'up 1 2.72', 'timestamp'],
    ['something behind the timestamp', 'up 1 2 3', 'trailing'],
    ['an exemplar', 'up 1 # {a="b"} 1', 'trailing'],
    ['an unknown escape', 'up{a="\\t"} 1', 'escape'],
    ['an open quote', 'up{a="1} 1', 'label_value'],
    ['no quotes', 'up{a=1} 1', 'label_value'],
    ['no label value', 'up{a} 1', 'label'],
    ['no comma', 'up{a="1"b="2"} 1', 'label'],
    ['two commas', 'up{a="1",,b="2"} 1', 'label'],
    ['no closing brace', 'up{a="1" 1', 'label'],
    ['a label twice', 'up{a="1",a="2"} 1', 'duplicate_label'],
    ['the name as a label', 'up{__name__="1"} 1', 'reserved_label'],
    ['a name that begins with a digit', '0up 1', 'name'],
    ['a dash in a name', 'up-down 1', 'name'],
    ['no name', '{a="1"} 1', 'name'],
    ['two names', '{"a","b"} 1', 'name'],
    ['a name before and in the braces', 'up{"b"} 1', 'name'],
    ['an unknown type', '# TYPE up bla', 'type'],
    ['metadata of no metric', '# TYPE met-ric gauge', 'comment'],
  ])('rejects %s, and only that line', (_, line, fault) => {
    const { samples, faults } = parse(`before 1\n${line}\nafter{a="b"} 2`);
    expect(faults).toEqual([[2, fault]]);
    expect(samples.map(({ name }) => name)).toEqual(['before', 'after']);
  });

  it('knows what metadata says of a family and of its parts', () => {
    const { samples } = parse(
      '# TYPE h histogram\nh_bucket{le="+Inf"} 1\nh_sum 2\n# TYPE c counter\nc 3\nd 4\n# TYPE "my.g" gauge\n{"my.g"} 5',
    );
    expect(samples.map(({ name, type }) => [name, type])).toEqual([
      ['h_bucket', 'histogram'],
      ['h_sum', 'histogram'],
      ['c', 'counter'],
      ['d', ''],
      ['my.g', 'gauge'],
    ]);
  });

  it.each([
    ['a bucket whose bound is no number', '# TYPE h histogram\nh_bucket{le="x"} 1', 'bucket'],
    ['a quantile that is no number', '# TYPE s summary\ns{quantile="x"} 1', 'bucket'],
    ['a negative count', '# TYPE h histogram\nh_count -1', 'negative'],
    ['a second type', '# TYPE h gauge\n# TYPE h counter', 'repeated_metadata'],
    ['a type behind samples', 'h 1\n# TYPE h counter', 'late_metadata'],
  ])('rejects %s', (_, text, fault) => {
    expect(parse(text).faults).toEqual([[2, fault]]);
  });

  it('takes scrapes in a row for what they are', () => {
    const scrape = '# HELP up is it\n# TYPE up gauge\nup 1\n';
    expect(parse(scrape + scrape, 'prometheus').faults).toHaveLength(2);
    expect(parse(scrape + scrape, 'prometheus', true)).toMatchObject({ faults: [], samples: [{ value: 1 }, { value: 1 }] });
    expect(parse(`${scrape}# EOF\n${scrape}# EOF`, 'openmetrics', true)).toMatchObject({ faults: [], samples: [{}, {}] });
  });

  it('asks for each series once', () => {
    let asked = 0;
    const values: number[] = [];
    const parser = new PrometheusText<number>(
      { define: () => asked++, sample: (_, value) => values.push(value), fault: () => undefined },
      { dialect: 'prometheus' },
    );
    for (let i = 0; i < 5; i++) parser.line(`up{a="}",b="\\"}"} ${i} 17`);
    expect([asked, values]).toEqual([1, [0, 1, 2, 3, 4]]);
  });

  it('asks again where a type comes to be known', () => {
    expect(parse('up 1\n# TYPE up counter\nup 2', 'prometheus', true).samples.map(({ type }) => type)).toEqual(['', 'counter']);
  });
});

describe('OpenMetrics 1.0', () => {
  it.each<[string, string, Partial<Sample>]>([
    ['seconds with a fraction', 'a 1 1777593600.5', { timestamp: 1777593600.5 }],
    [
      'an exemplar',
      '# TYPE a counter\na_total{b="c"} 17.0 1.5 # {trace_id="x # y"} 0.5 1.25',
      { name: 'a_total', value: 17, timestamp: 1.5 },
    ],
    ['any character behind a backslash', 'a{b="\\z"} 1', { labels: [['b', '\\z']] }],
    ['leading zeros', 'a 0000001.2e-1', { value: 0.12 }],
  ])('reads %s', (_, text, expected) => {
    expect(openmetrics(text)).toEqual({ samples: [expect.objectContaining(expected)], faults: [] });
  });

  it.each([
    ['two blanks', 'a  1', 'white_space'],
    ['a tab', 'a 1\t', 'white_space'],
    ['a trailing blank', 'a 1 ', 'white_space'],
    ['a blank line', '', 'white_space'],
    ['a comment', '# hello', 'comment'],
    ['a trailing comma', 'a{b="c",} 1', 'label'],
    ['a quoted name', '{"a"} 1', 'label'],
    ['a type of the old format', '# TYPE a untyped', 'type'],
    ['a unit that the name lacks', '# UNIT a seconds', 'unit'],
    ['help without a text', '# HELP a', 'comment'],
    ['an endless timestamp', 'a 1 Inf', 'timestamp'],
    ['a negative counter', '# TYPE a counter\na_total -1', 'negative'],
    ['a counter that is no number', '# TYPE a counter\na_total NaN', 'not_a_number'],
    ['an exemplar on a gauge', '# TYPE a gauge\na 1 # {b="c"} 1', 'exemplar'],
    ['an exemplar without a value', '# TYPE a counter\na_total 1 # {b="c"}', 'exemplar'],
    ['an exemplar of more than 128 characters', `# TYPE a counter\na_total 1 # {b="${'x'.repeat(128)}"} 1`, 'exemplar'],
    ['a bucket without a bound', '# TYPE a histogram\na_bucket 1', 'bucket'],
    ['a quantile over one', '# TYPE a summary\na{quantile="1.01"} 1', 'bucket'],
    ['a state without its label', '# TYPE a stateset\na 1', 'label'],
    ['an info that is not one', '# TYPE a info\na_info 2', 'value'],
    ['help behind the samples', 'a 1\n# HELP a x', 'late_metadata'],
  ])('rejects %s', (_, text, fault) => {
    expect(openmetrics(text).faults.map(([, f]) => f)).toEqual([fault]);
  });

  it('wants its end, and nothing behind it', () => {
    expect(parse('a 1', 'openmetrics').faults).toEqual([[1, 'no_end']]);
    expect(openmetrics('a 1\n# EOF\nb 1').faults).toEqual([
      [3, 'after_end'],
      [4, 'after_end'],
    ]);
  });
});

describe('any text', () => {
  const pieces = fc.array(
    fc.constantFrom('{', '}', '"', '\\', ',', '=', ' ', '#', 'a', '1', '.', '\t', '\n', '# TYPE ', '# EOF', 'Inf', 'é', '\u0000'),
    { maxLength: 40 },
  );

  it.each<PrometheusDialect>(['prometheus', 'openmetrics'])(
    'never throws in %s, and gives each line a sample or a fault at most',
    (dialect) => {
      fc.assert(
        fc.property(pieces, (parts) => {
          const text = parts.join('');
          const { samples, faults } = parse(text, dialect);
          expect(samples.length + faults.length).toBeLessThanOrEqual(text.split('\n').length + 1);
        }),
        { numRuns: 2000 },
      );
    },
  );

  it('reads back any series that it is given', () => {
    const escape = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
    const label = fc.tuple(
      fc.string({ unit: 'grapheme', minLength: 1 }).filter((key) => key !== '__name__' && !key.includes('\r')),
      fc.string({ unit: 'grapheme' }).filter((v) => !v.includes('\r')),
    );
    const labels = fc.uniqueArray(label, { selector: ([key]) => key, maxLength: 5 });
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => !name.includes('\r')),
        labels,
        fc.double().map((value) => value + 0),
        fc.integer(),
        (name, given, value, timestamp) => {
          const line = `{"${escape(name)}"${given.map(([key, v]) => `, "${escape(key)}"="${escape(v)}"`).join('')}} ${value} ${timestamp}`;
          // The second reading takes the short way, of a series that was seen.
          const { samples, faults } = parse(`${line}\n${line}`);
          expect(faults).toEqual([]);
          const expected = { name, labels: given, type: '', value, timestamp };
          expect(samples).toEqual([expected, expected]);
        },
      ),
      { numRuns: 500 },
    );
  });
});
