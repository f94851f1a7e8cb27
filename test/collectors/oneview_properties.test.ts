import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneviewAlerts } from '../../lib/collectors/oneview_alerts/index.ts';
import { oneviewInventory } from '../../lib/collectors/oneview_inventory/index.ts';
import { type Collected, type Collector, type Input, UnusableInput } from '../../lib/model/collector.ts';
import { conditionId } from '../../lib/model/identity.ts';
import type { JsonObject } from '../../lib/model/json.ts';
import { alert, context, input, page, server } from './oneview-inputs.ts';

function collect(collector: Collector, inputs: Input[]): Promise<Collected<unknown>> {
  return collector.collect(inputs, context(collector.options.parse({})));
}

/** The result, or null where the collector says that it cannot use the inputs; any other error ends the test. */
async function collectIfUsable(collector: Collector, inputs: Input[]): Promise<Collected<unknown> | null> {
  try {
    return await collect(collector, inputs);
  } catch (error) {
    if (error instanceof UnusableInput) return null;
    throw error;
  }
}

const cleared = { alertState: 'Cleared', clearedTime: '2026-11-30T08:30:00.000Z' };

const SERVERS: JsonObject[] = [
  server(1),
  server(2, { status: 'Critical', powerState: 'Off' }),
  server(3, { romVersion: 'A46 v2.10 (01/15/2025)' }),
  server(4),
  server(5, { serialNumber: 'DMO2N00006' }),
  server(6),
  server(7, { name: 'n1', modified: '2026-11-30T08:10:00.000Z', mpState: null }),
  server(8),
];

const ALERTS: JsonObject[] = [
  alert(1, { childAlerts: ['/rest/alerts/3'] }),
  alert(2, { associatedResource: { resourceName: 'n1', resourceCategory: 'server-hardware' }, alertState: 'Locked' }),
  alert(3, { severity: 'Critical' }),
  alert(4, { alertTypeID: null, description: 'x 1' }),
  alert(4, { alertTypeID: null, description: 'x 1', modified: '2026-11-30T08:10:00.000Z', severity: 'Critical' }),
  alert(5, cleared),
  alert(6, { parentAlert: '/rest/alerts/7' }),
  alert(7, { parentAlert: '/rest/alerts/6' }),
  alert(8, { associatedResource: null }),
];

describe.each<[string, Collector, JsonObject[], number]>([
  ['server-hardware', oneviewInventory, SERVERS, 6],
  ['alerts', oneviewAlerts, ALERTS, 4],
])('a digest of %s', (category, collector, records, conditions) => {
  const pages = (members: JsonObject[]): Input[] => [
    input('a.json', page(category, members.slice(0, 4), { total: 8, next: `/rest/${category}?start=4&count=5` })),
    input('b.json', page(category, members.slice(4), { total: 8, start: 4 })),
  ];

  it('is the same in any order of pages and records', async () => {
    const expected = await collect(collector, pages(records));
    expect(expected.conditions).toHaveLength(conditions);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(records, { minLength: records.length }), fc.boolean(), async (members, turned) => {
        const inputs = pages(members);
        expect(await collect(collector, turned ? inputs.toReversed() : inputs)).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  }, 60_000);

  // Keys and words that the readers look for, so that arbitrary trees get past the recognition of documents.
  const keys = fc.constantFrom(
    ...`members total start nextPageUri resource changeType timestamp errorCode category type uri name __proto__
    status powerState refreshState serialNumber uuid mpState mpHostInfo mpIpAddresses address portMap romVersion
    powerSupplyBays fanBays bayNumber devicePresence rackMounts mountUri locationUri
    severity alertState alertTypeID healthCategory description correctiveAction created modified clearedTime
    associatedResource resourceName resourceUri resourceCategory parentAlert childAlerts`.split(/\s+/),
  );
  const words = fc.constantFrom(
    ...`server-hardware enclosures racks alerts Deleted Active Locked Cleared Off Critical RefreshFailed Present __proto__
    /rest/server-hardware/0?start=x /rest/alerts/1 /rest/alerts/2?filter=%&start=-1 Events-TrapStorm. 00000000-0000
    2026-11-30T08:10:00.000Z 9999-12-31T23:59:59-12:00 0000-01-01T00:00:00+12:00`.split(/\s+/),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      words,
      fc.jsonValue(),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(keys, tie('tree'), { maxKeys: 8 }),
    ),
  }));
  const documents = tree.map((value) => input('x.json', JSON.stringify(value)));
  const members = fc
    .array(fc.dictionary(keys, tree, { maxKeys: 8 }), { maxLength: 3 })
    .map((list) => input('x.json', page(category, list as JsonObject[])));
  const bytes = fc.uint8Array({ maxLength: 200 }).map((b): Input => ({ name: 'x.json', size: b.length, bytes: () => [b] }));

  it('survives any JSON and any bytes beside good records, and ends in UnusableInput at worst', async () => {
    const good = input('good.json', [category === 'alerts' ? alert(999) : server(999, { powerState: 'Off' })]);
    await fc.assert(
      fc.asyncProperty(fc.oneof(documents, members, bytes), async (any) => {
        const result = await collect(collector, [any, good]);
        expect(result.conditions.map((c) => c.subject.id)).toContain('n999');
        for (const c of [...result.conditions, ...(result.cleared ?? [])]) expect(conditionId({ cluster: 'c', ...c })).toHaveLength(32);
        const alone = await collectIfUsable(collector, [any]);
        expect(collector.carry.safeParse(alone?.carry ?? result.carry).success).toBe(true);
      }),
      { numRuns: 200 },
    );
  }, 60_000);
});
