import { describe, expect, it } from 'vitest';
import { readDocument } from '../../lib/collectors/oneview/document.ts';
import { gather } from '../../lib/collectors/oneview/gather.ts';
import { checkPages } from '../../lib/collectors/oneview/pages.ts';
import { ReadError, UnusableInput } from '../../lib/model/collector.ts';
import type { JsonObject } from '../../lib/model/json.ts';
import { brokenInput, input, page } from './oneview-inputs.ts';

const WANTED = { main: 'server-hardware', beside: ['enclosures'], nothing: 'no server' };

function servers(from: number, to: number): JsonObject[] {
  return Array.from({ length: to - from }, (_, i) => ({ uri: `/rest/server-hardware/${from + i + 1}`, name: `n${from + i + 1}` }));
}

function serverPage(from: number, to: number, more: Parameters<typeof page>[2] = {}): JsonObject {
  return page('server-hardware', servers(from, to), { start: from, ...more });
}

function check(...documents: JsonObject[]) {
  return checkPages(documents.flatMap((d, i) => readDocument(JSON.stringify(d), `p${i + 1}.json`, undefined).pages));
}

const next = (start: number): string => `/rest/server-hardware?start=${start}&count=2`;

describe('the total that OneView states', () => {
  it('is met by all pages together, in any order', () => {
    const pages = [
      serverPage(0, 2, { total: 5, next: next(2) }),
      serverPage(2, 4, { total: 5, next: next(4) }),
      serverPage(4, 5, { total: 5 }),
    ];
    for (const order of [pages, pages.toReversed()]) {
      expect(check(...order)).toMatchObject({ stated: 5, collected: 5, missing: 0, proven: true, problems: [] });
    }
  });

  it('shows a list that ends early without a link, as count=-1 does', () => {
    const result = check(serverPage(0, 25, { total: 31 }));
    expect(result).toMatchObject({ stated: 31, collected: 25, missing: 6, proven: false });
    expect(result.problems).toEqual([
      {
        effect: 'input',
        input: 'p1.json',
        message: expect.stringMatching(/^truncated: 25 of 31 records are here, 6 are missing/) as string,
      },
    ]);
  });

  it.each(['', null])('is met where the last page’s link is %j', (last) => {
    const pages = [serverPage(0, 2, { total: 3, next: next(2) }), { ...serverPage(2, 3, { total: 3 }), nextPageUri: last }];
    expect(check(...pages)).toMatchObject({ stated: 3, collected: 3, missing: 0, proven: true, problems: [] });
  });

  it('names the page that is not there', () => {
    const result = check(serverPage(0, 2, { total: 5, next: next(2) }), serverPage(4, 5, { total: 5 }));
    expect(result.problems[0]?.message).toContain('the page at 2 that p1.json names as the next one is not among the inputs');
  });

  it('names a page that links to itself, and takes it as whole where nothing is missing', () => {
    const loop = '/rest/server-hardware?start=0&count=2';
    expect(check(serverPage(0, 2, { total: 4, next: loop })).problems[0]?.message).toContain('names itself as the next one');
    expect(check(serverPage(0, 2, { total: 2, next: loop }))).toMatchObject({ proven: true, problems: [] });
  });

  it('counts a record once that a shifting list repeats on two pages, so that a skipped one is missed', () => {
    const shifted = page('server-hardware', [...servers(1, 2), ...servers(2, 3)], { start: 2, total: 4 });
    expect(check(serverPage(0, 2, { total: 4, next: next(2) }), shifted)).toMatchObject({ collected: 3, missing: 1, proven: false });
  });

  it('counts a page that was dumped twice once and says so', () => {
    const result = check(serverPage(0, 2, { total: 2 }), serverPage(0, 2, { total: 2 }));
    expect(result).toMatchObject({ stated: 2, collected: 2, proven: true });
    expect(result.problems).toEqual([
      { effect: 'note', input: 'p2.json', message: 'repeats the page at 0 that p1.json holds; its records count once' },
    ]);
  });

  it('is the highest one of a list that changed while it was read', () => {
    expect(check(serverPage(0, 2, { total: 4, next: next(2) }), serverPage(2, 4, { total: 5 }))).toMatchObject({
      missing: 1,
      proven: false,
    });
  });

  it('may come as text, and start as -1', () => {
    expect(check(serverPage(0, 2, { total: '3', start: -1 }))).toMatchObject({ stated: 3, missing: 1 });
  });

  it('places pages by their own address where they start at -1', () => {
    const pages = [0, 2].map((from) => serverPage(from, from + 2, { total: 4, start: -1, uri: next(from) }));
    expect(check(...pages)).toMatchObject({ collected: 4, proven: true, problems: [] });
  });

  it('is exceeded where pages of an earlier dump were left behind', () => {
    const result = check(serverPage(0, 2, { total: 3, next: next(2) }), serverPage(2, 4, { total: 3 }));
    expect(result).toMatchObject({ proven: true, missing: 0 });
    expect(result.problems[0]).toMatchObject({ effect: 'note' });
    expect(result.problems[0]?.message).toContain('4 different records of a stated total of 3');
  });

  it('counts refused members as read', () => {
    expect(check(page('server-hardware', [...servers(0, 1), null, 7], { total: 3 }))).toMatchObject({ collected: 3, proven: true });
  });
});

describe('pages without a total', () => {
  it('are whole where every link leads to a page at hand', () => {
    expect(check(serverPage(0, 2, { total: null, next: next(2) }), serverPage(2, 3, { total: null }))).toMatchObject({
      stated: null,
      proven: true,
      problems: [],
    });
  });

  it.each([
    ['the last is missing', [serverPage(0, 2, { total: null, next: next(2) })]],
    ['the first is missing', [serverPage(2, 3, { total: null })]],
    ['one names itself', [serverPage(0, 2, { total: null, next: next(0) })]],
  ])('are truncated where %s', (_, pages) => {
    const result = check(...pages);
    expect(result.proven).toBe(false);
    expect(result.problems).toMatchObject([{ effect: 'input' }]);
  });
});

describe('several requests in one folder', () => {
  const alerts = (from: number, to: number, more: Parameters<typeof page>[2]) =>
    page(
      'alerts',
      Array.from({ length: to - from }, (_, i) => ({ uri: `/rest/alerts/${from + i}` })),
      more,
    );
  const filter = (state: string, start: number): string => `/rest/alerts?start=${start}&count=2&filter=%22alertState%3D'${state}'%22`;

  it('are checked each by its own total', () => {
    const active = alerts(0, 2, { total: 2, uri: filter('Active', 0) });
    const locked = alerts(10, 12, { total: 3, uri: filter('Locked', 0) });
    expect(check(active, locked)).toMatchObject({
      stated: 5,
      collected: 4,
      missing: 1,
      proven: false,
      filters: ["alertState='Active'", "alertState='Locked'"],
    });
  });

  it('take in a last page whose links show no filter', () => {
    const first = alerts(0, 2, { total: 3, next: filter('Active', 2) });
    const last = alerts(2, 3, { total: 3, start: 2 });
    expect(check(first, last)).toMatchObject({ stated: 3, collected: 3, proven: true });
  });

  it('are told apart by the role under which they were asked for', () => {
    const pages = ['active', 'locked'].flatMap(
      (role, i) => readDocument(JSON.stringify(alerts(i * 10, i * 10 + 1, { total: 1 })), 'page', role).pages,
    );
    expect(checkPages(pages)).toMatchObject({ stated: 2, collected: 2, proven: true });
  });
});

describe('a document', () => {
  it.each([
    ['a page', page('server-hardware', servers(0, 2)), 2],
    ['a bare array', servers(0, 2), 2],
    ['a list of pages', [serverPage(0, 2), serverPage(2, 3)], 3],
    ['one resource', { type: 'server-hardware-5', name: 'a' }, 1],
    ['a page whose members are one object', page('server-hardware', servers(0, 1)[0]), 1],
    ['a page whose members are null', page('server-hardware', null), 0],
    ['a message of the bus', { changeType: 'Updated', resource: servers(0, 1)[0], resourceUri: '/rest/server-hardware/1' }, 1],
    ['a list of messages', [{ newState: 'x', resource: servers(0, 1)[0] }], 1],
    ['records that lost type, category and URI', [{ name: 'a', mpFirmwareVersion: '3.10' }], 1],
  ])('may be %s', (_, document, resources) => {
    const found = readDocument(JSON.stringify(document), 'x.json', undefined);
    expect(found.problems).toEqual([]);
    expect(found.resources.map((r) => r.category)).toEqual(Array.from({ length: resources }, () => 'server-hardware'));
  });

  it('may hold a message a line; a line that was cut costs itself alone', () => {
    const line = (n: number): string =>
      JSON.stringify({ changeType: 'Updated', timestamp: '2026-11-30T08:00:00.000Z', resource: servers(n, n + 1)[0] });
    const found = readDocument(`${line(0)}\n${line(1).slice(0, 30)}\n\n${line(2)}\n`, 'scmb.log', undefined);
    expect(found.resources.map((r) => r.fields['name'])).toEqual(['n1', 'n3']);
    expect(found.problems).toMatchObject([{ effect: 'record', input: 'scmb.log', place: 'line 2' }]);
  });

  it('that is cut short is a problem of its input, with the place', () => {
    const text = JSON.stringify(page('server-hardware', servers(0, 2))).slice(0, -20);
    expect(readDocument(text, 'x.json', undefined).problems).toEqual([
      {
        effect: 'input',
        input: 'x.json',
        place: `line 1 column ${text.length + 1}`,
        message: 'ends in the middle of a value; expected JSON',
      },
    ]);
  });

  it.each(['', 'x.json', 'notes.txt'])('that is none of ours is a note: %j', (name) => {
    const found = readDocument('Dumped by cron.\nSee the wiki.\n', name, undefined);
    expect(found.problems).toMatchObject([{ effect: name === 'x.json' ? 'input' : 'note' }]);
  });

  it('refuses members that are no objects, each with its place', () => {
    const found = readDocument(JSON.stringify(page('server-hardware', [...servers(0, 1), null, 'x', [1]])), 'x.json', undefined);
    expect(found.problems.map((p) => [p.effect, p.place])).toEqual([
      ['record', '/members/1'],
      ['record', '/members/2'],
      ['record', '/members/3'],
    ]);
  });

  it('with lists deeper than any dump is refused, not followed', () => {
    expect(readDocument('[[[[[[1]]]]]]', 'x.json', undefined).problems).toMatchObject([
      { effect: 'record', message: 'is a list within lists' },
    ]);
  });
});

describe('all inputs together', () => {
  const good = input('p1.json', serverPage(0, 2, { total: 2 }));

  it('keep what could be read when one cannot', async () => {
    const gathered = await gather([brokenInput('p2.json'), good], WANTED);
    expect(gathered.resources.get('server-hardware')).toHaveLength(2);
    expect(gathered.problems).toEqual([{ effect: 'input', input: 'p2.json', message: 'lies on a stale mount' }]);
  });

  it('end in the reader’s error when none can be read', async () => {
    await expect(gather([brokenInput('p1.json')], WANTED)).rejects.toThrow(ReadError);
  });

  it('say that the credential has expired, not that there are no servers', async () => {
    const denied = { errorCode: 'AUTHN_AUTH_FAIL', message: 'Invalid username or password.', recommendedActions: [] };
    await expect(gather([input('p1.json', denied)], WANTED)).rejects.toThrow(
      /no server: OneView answered with an error, the credential has expired or lacks rights: AUTHN_AUTH_FAIL/,
    );
    const beside = await gather([good, input('p2.json', denied)], WANTED);
    expect(beside.problems).toMatchObject([{ effect: 'input', input: 'p2.json' }]);
  });

  it('take each resource once, in its newest form', async () => {
    const old = { uri: '/rest/server-hardware/1', name: 'n1', status: 'OK', modified: '2026-11-30T08:00:00.000Z' };
    const inputs = [input('a.json', [{ ...old, status: 'Critical', modified: '2026-11-30T08:10:00.000Z' }]), input('b.json', [old])];
    for (const order of [inputs, inputs.toReversed()]) {
      const { resources } = await gather(order, WANTED);
      expect(resources.get('server-hardware')?.map((r) => r.fields['status'])).toEqual(['Critical']);
    }
  });

  it('keep servers apart that share the all-zero UUID of a swapped board', async () => {
    const uri = '/rest/server-hardware/00000000-0000-0000-0000-000000000000';
    const { resources } = await gather(
      [
        input('a.json', [
          { uri, name: 'n1' },
          { uri, name: 'n2' },
        ]),
      ],
      WANTED,
    );
    expect(resources.get('server-hardware')).toHaveLength(2);
  });

  it('forget what the bus says was deleted, unless it came back', async () => {
    const event = (changeType: string, timestamp: string) => ({
      changeType,
      timestamp,
      resource: { uri: '/rest/server-hardware/1', name: 'n1' },
    });
    const gone = await gather(
      [good, input('scmb.json', [event('Updated', '2026-11-30T08:00:00.000Z'), event('Deleted', '2026-11-30T08:10:00.000Z')])],
      WANTED,
    );
    expect(gone.resources.get('server-hardware')?.map((r) => r.fields['name'])).toEqual(['n2']);
    const back = await gather(
      [input('scmb.json', [event('Deleted', '2026-11-30T08:10:00.000Z'), event('Created', '2026-11-30T08:20:00.000Z')])],
      WANTED,
    );
    expect(back.deleted).toEqual([]);
    expect(back.newestEvent).toBe(Date.parse('2026-11-30T08:20:00.000Z'));
  });

  it('note what is another source’s, and refuse a folder that has nothing of ours', async () => {
    const alerts = input('alerts.json', page('alerts', [{ uri: '/rest/alerts/1' }]));
    const { problems } = await gather([good, alerts], WANTED);
    expect(problems).toEqual([{ effect: 'note', input: 'alerts.json', message: 'holds alerts, which this source does not digest' }]);
    await expect(gather([alerts], WANTED)).rejects.toThrow(UnusableInput);
  });

  it('take a whole collection that is empty for what it is, but not an empty page of nothing known', async () => {
    const empty = await gather([input('x.json', page('server-hardware', [], { total: 0 }))], WANTED);
    expect(empty.completeness).toMatchObject({ stated: 0, proven: true });
    await expect(gather([input('x.json', { members: [] })], WANTED)).rejects.toThrow(UnusableInput);
    await expect(gather([input('servers.json', { members: [] })], WANTED)).resolves.toBeDefined();
  });

  it('check the pages of what is taken beside by themselves', async () => {
    const enclosures = input('enclosures.json', page('enclosures', [{ uri: '/rest/enclosures/1', name: 'e1' }], { total: 2 }));
    const { completeness, problems } = await gather([good, enclosures], WANTED);
    expect(completeness.proven).toBe(true);
    expect(problems).toMatchObject([{ effect: 'input', input: 'enclosures.json' }]);
  });
});
