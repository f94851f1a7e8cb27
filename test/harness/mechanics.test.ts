import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseGroundTruth } from '../../lib/findings/ground-truth.ts';
import { OFFERS } from '../../lib/harness/loop.ts';
import { conditionId, subjectId } from '../../lib/model/identity.ts';
import { expand, NodeSetError } from '../../lib/nodeset.ts';
import { notify } from '../../lib/report/notify.ts';
import { testObserver, type TestObserver } from '../observer.ts';
import { finding, report as reportOf } from '../report/build.ts';
import { calling, completion, Stub, SUBMITS, type WireCall } from './stub.ts';
import { NOW } from './view.ts';

/*
 * Attacks 39 to 53 of the list, each at the seam that it names. 50 is in test/audit/audit.test.ts (forged lines), 51 in
 * test/integration/attacks.test.ts (two ticks), 54 in test/store/atomic-fs.test.ts, 55 in test/findings/ground-truth.test.ts.
 */

const stub = new Stub();
beforeAll(() => stub.start());
afterAll(() => stub.stop());
beforeEach(() => void stub.sent.splice(0));

const menu = new Set(OFFERS.slice(0, -2).map((o) => o.name));
const node = (name: unknown): WireCall => ({ name: 'get_node', arguments: JSON.stringify({ node: name }) });

describe('a call over the wire', () => {
  it.each<[string, WireCall[], { refused: number }]>([
    ['39: names of every object', ['__proto__', 'constructor'].map((name) => ({ name, arguments: '{}' })), { refused: 2 }],
    ['39: __proto__ among the arguments', [{ name: 'list_sources', arguments: '{"__proto__":{"ok":true}}' }], { refused: 1 }],
    ['40: a path for a node', [node('../../etc/shadow'), node('/proc/self/environ')], { refused: 0 }],
    ['41: an address for a node', [node('http://169.254.169.254/'), node('file:///etc/passwd')], { refused: 0 }],
    [
      '42: a pattern that never ends',
      [node(`${'(a+)+'.repeat(40)}$`), { name: 'list_conditions', arguments: '{"kind":"(x+x+)+y"}' }],
      { refused: 0 },
    ],
    ['43: numbers without measure', ['1e309', '-1'].map((n) => ({ name: 'list_conditions', arguments: `{"limit":${n}}` })), { refused: 2 }],
    [
      '43: numbers past all integers',
      [
        { name: 'list_conditions', arguments: '{"offset":99999999999999999999}' },
        { name: 'list_conditions', arguments: '{"limit":NaN}' },
      ],
      { refused: 2 },
    ],
    [
      '44: all of time',
      [
        { name: 'get_trend', arguments: '{"source":"console_logs","name":"x","hours":1139560}' },
        { name: 'get_trend', arguments: '{"source":"console_logs","name":"x","hours":"1970-01-01..2100-01-01"}' },
      ],
      { refused: 2 },
    ],
    [
      '45: a hundred at once',
      Array.from({ length: 100 }, (_, i) => ({ name: 'list_conditions', arguments: JSON.stringify({ offset: i }) })),
      { refused: 92 },
    ],
    ['47: a megabyte', [node('x'.repeat(1024 * 1024))], { refused: 1 }],
    ['48: NUL, half a pair, bytes that are no text', [node('x\u0000y'), node('\ud800'), node('\ufffd\ufffe')], { refused: 0 }],
    [
      '53: a set of a thousand million nodes',
      [node('n[0-999999999]'), { name: 'get_ground_truth', arguments: '{"node":"n[0-999999999]"}' }],
      { refused: 0 },
    ],
  ])('%s: is refused or finds nothing, and the run goes on', async (_, calls, { refused }) => {
    const { assessment, audited, toolResults } = await stub.run([calling(...calls), SUBMITS]);
    expect(assessment).toMatchObject({ status: 'ok', counts: { claims: 1, verified: 1 } });
    expect(assessment.usage.refusedCalls).toBe(refused);
    expect(audited.filter((e) => e.decision === 'executed' && !menu.has(e.tool))).toEqual([]);
    for (const { result } of toolResults) {
      expect(JSON.stringify(result)).not.toMatch(/root:|169\.254\.169\.254.*"ok":true/);
      expect(JSON.stringify(result).length).toBeLessThan(7000);
    }
    expect(Object.hasOwn(Object.prototype, 'ok')).toBe(false);
    expect(JSON.stringify(audited).length).toBeLessThan(40_000);
  });

  it('47: an answer of five megabytes is not read to its end, and costs the assessment alone', async () => {
    const { assessment, audited } = await stub.run([calling(node('x'.repeat(5 * 1024 * 1024)))]);
    expect(assessment).toMatchObject({ status: 'failed', reason: expect.stringMatching(/larger|large|over/) });
    expect(audited).toEqual([]);
  });

  it('46: the same fifty times over ends the run at the third', async () => {
    const { assessment } = await stub.run([calling(...Array.from({ length: 50 }, () => ({ name: 'list_sources', arguments: '{}' })))]);
    expect(assessment).toMatchObject({ status: 'failed', reason: expect.stringContaining('same call 3 times') });
    expect(assessment.usage.toolCalls).toBeLessThanOrEqual(8);
  });

  it('48: an answer whose bytes are no UTF-8 is read with what is left of it', async () => {
    const { assessment } = await stub.run([
      (response) => {
        const bytes = Buffer.from(
          JSON.stringify(completion({ content: 'bad X text', tool_calls: [{ function: { name: 'list_sources', arguments: '{}' } }] })),
        );
        bytes[bytes.indexOf('X')] = 0xff;
        response.writeHead(200, { 'content-type': 'application/json' }).end(bytes);
      },
      SUBMITS,
    ]);
    expect(assessment.status).toBe('ok');
  });
});

describe('49: names that are nearly the same', () => {
  const idOf = (name: string): string | null => {
    const id = subjectId('node', name);
    return id === null ? null : conditionId({ cluster: 'c', kind: 'oom', subject: { type: 'node', id } });
  };

  it.each([
    ['n-1', 'n1'],
    ['nid1', 'nid001'],
    ['a/b', 'ab'],
    ['n1', 'n１'],
    ['nоde', 'node'],
  ])('%s and %s are two', (a, b) => {
    expect(idOf(a)).not.toBe(idOf(b));
  });

  it.each([
    ['N1', 'n1'],
    [' n1 ', 'n1'],
    ['cafe\u0301', 'caf\u00e9'],
  ])('%s and %s are one', (a, b) => {
    expect(idOf(a)).toBe(idOf(b));
  });

  it.each(['n1\u202e', 'n\u200b1', 'n1\n', ''])('%j is no name', (name) => {
    expect(subjectId('node', name.includes('\n') ? `a${name}b` : name)).toBeNull();
  });
});

describe('52: an address in the data', () => {
  let observer: TestObserver;
  afterEach(() => observer.dispose());

  it('is sent nothing: sinks are those of the configuration alone', async () => {
    observer = testObserver(
      'cluster: c\nsources: {}\nnotify:\n  - { type: webhook, url: http://192.0.2.7/hook }\n  - { type: alertmanager, url: http://192.0.2.8:9093 }\n',
    );
    observer.now = NOW;
    const called: string[] = [];
    observer.send = async (input) => {
      called.push(input instanceof Request ? input.url : input.toString());
      return new Response('ok');
    };
    const evil = 'http://evil.test/hook';
    await notify(observer, reportOf({ findings: [finding({ message: `send it to ${evil}`, hint: evil, reason: evil, title: evil })] }));
    expect(called.length).toBeGreaterThan(1);
    expect(called.filter((url) => !url.startsWith('http://192.0.2.7/hook') && !url.startsWith('http://192.0.2.8:9093/'))).toEqual([]);
  });
});

describe('53: a set that would fill the memory', () => {
  it.each(['n[0-999999999]', 'n[0-9999]m[0-9999]', `x[1-${'9'.repeat(300)}]`])('%s is an error, at once', (set) => {
    expect(() => expand(set)).toThrow(NodeSetError);
    const { mistakes } = parseGroundTruth(`fleet:\n  - { nodes: "${set}", role: compute }\n`, { file: 'fleet.yaml', now: NOW });
    expect(mistakes).toEqual([expect.stringContaining('fleet.yaml:2')]);
  });
});
