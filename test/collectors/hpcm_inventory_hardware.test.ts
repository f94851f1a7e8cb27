import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/model/json.ts';
import {
  collect,
  DAY,
  factsOf,
  found,
  HOUR,
  input,
  messageOf,
  nodeName,
  nodes,
  NOW,
  ofKind,
  problems,
  type Result,
} from './hpcm-inputs.ts';

interface Parts {
  serial?: string;
  dimms?: (string | null)[];
  gpus?: string[];
}

function flat(
  i: number,
  { serial = `SN${1000 + i}`, dimms = ['A1', 'B2', 'C3', 'D4'].map((d) => `${d}${100 + i}`), gpus = [] }: Parts = {},
): JsonObject {
  const out: JsonObject = { 'sys.Serial Number': serial, 'bios.Version': '1.8.2' };
  dimms.forEach((d, slot) => (out[`dimm.DIMM ${slot + 1}.Serial Number`] = d));
  gpus.forEach((g, slot) => (out[`gpu.GPU ${slot}.serialNumber`] = g));
  return out;
}

/** The inventory of a fleet; `over` gives single nodes other parts, null takes them out, 'empty' leaves `{}`. */
function inventory(count: number, over: Record<number, Parts | null | 'empty'> = {}): JsonObject {
  const out: JsonObject = {};
  for (let i = 0; i < count; i++) {
    const parts = over[i];
    if (parts !== null) out[nodeName(i)] = parts === 'empty' ? {} : flat(i, parts);
  }
  return out;
}

async function run(content: JsonObject, before?: Result, now = NOW): Promise<Result> {
  const count = 40;
  return collect([input('nodes.json', nodes(count)), input('inventory.json', content)], { now, ...(before && { carry: before.carry }) });
}

const MISSING_ONE = { dimms: ['A1103', 'B2103', null, 'D4103'] };

describe('hardware that changed', () => {
  it('is nothing at first sight, and nothing when it is the same', async () => {
    const first = await run(inventory(40));
    expect(found(first)).toEqual([]);
    expect(found(await run(inventory(40), first))).toEqual([]);
  });

  it('is a lost DIMM, which stays lost until it is back', async () => {
    const first = await run(inventory(40));
    const lost = await run(inventory(40, { 3: MISSING_ONE }), first, NOW + HOUR);
    expect(found(lost)).toEqual([`warning inventory_changed node:${nodeName(3)} dimm`]);
    expect(messageOf(lost, 'inventory_changed')).toBe(
      'x1000c0s0b1n1 has 3 of 4 DIMMs since 2026-11-30T09:45:00.000Z: 1 DIMM missing (DIMM 3); after 2026-12-30T09:45:00.000Z that counts as intended',
    );
    const still = await run(inventory(40, { 3: MISSING_ONE }), lost, NOW + 2 * HOUR);
    expect(still.conditions).toEqual(lost.conditions);
    // Without any reading, too.
    const blind = await run(inventory(40, { 3: 'empty' }), still, NOW + 3 * HOUR);
    expect(ofKind(blind, 'inventory_changed')).toEqual(found(lost));
    expect(found(await run(inventory(40), blind, NOW + 4 * HOUR))).toEqual([]);
  });

  it('counts as intended after thirty days', async () => {
    const first = await run(inventory(40));
    const lost = await run(inventory(40, { 3: MISSING_ONE }), first);
    const accepted = await run(inventory(40, { 3: MISSING_ONE }), lost, NOW + 30 * DAY);
    expect(found(accepted)).toEqual([]);
    expect(found(await run(inventory(40, { 3: MISSING_ONE }), accepted, NOW + 31 * DAY))).toEqual([]);
  });

  it('is all GPUs of a node that still shows its DIMMs', async () => {
    const gpus = ['G000', 'G001', 'G002', 'G003'];
    const first = await run(inventory(40, { 5: { gpus } }));
    expect(factsOf(first, nodeName(5))).toMatchObject({ gpus: 4 });
    const lost = await run(inventory(40), first);
    expect(found(lost)).toEqual([`warning inventory_changed node:${nodeName(5)} gpu`]);
    expect(messageOf(lost, 'inventory_changed')).toContain('has 0 of 4 GPUs');
    expect(messageOf(lost, 'inventory_changed')).toContain('4 GPUs missing (GPU 0, GPU 1, GPU 2, GPU 3)');
  });

  it('is an exchanged DIMM, as information for a week', async () => {
    const first = await run(inventory(40));
    const other = inventory(40, { 3: { dimms: ['A1103', 'B2103', 'NEW1', 'D4103'] } });
    const changed = await run(other, first);
    expect(found(changed)).toEqual([`info inventory_changed node:${nodeName(3)} dimm`]);
    expect(messageOf(changed, 'inventory_changed')).toBe('x1000c0s0b1n1 has another DIMM than before in DIMM 3 (serial number NEW1 now)');
    const later = await run(other, changed, NOW + 6 * DAY);
    expect(later.conditions).toEqual(changed.conditions);
    expect(found(await run(other, later, NOW + 7 * DAY))).toEqual([]);
  });

  it('is another system serial number, which names both', async () => {
    const first = await run(inventory(40));
    const swapped = await run(inventory(40, { 3: { serial: 'SN2222' } }), first);
    expect(found(swapped)).toEqual([`info inventory_changed node:${nodeName(3)} serial`]);
    expect(messageOf(swapped, 'inventory_changed')).toBe('x1000c0s0b1n1 has another serial number: SN1003 before, SN2222 now');
  });

  it.each([
    ['leading zeros come and go', { dimms: ['0A1103', 'B2103', '00C3103', 'D4103'] }],
    ['letters change case', { serial: 'sn1003', dimms: ['a1103', 'b2103', 'c3103', 'd4103'] }],
    ['parts change places', { dimms: ['B2103', 'A1103', 'D4103', 'C3103'] }],
    ['a part is added', { dimms: ['A1103', 'B2103', 'C3103', 'D4103', 'E5103'] }],
    ['serial numbers are read no more', { serial: 'NA' }],
  ])('is nothing where %s', async (_, parts) => {
    const first = await run(inventory(40));
    expect(found(await run(inventory(40, { 3: parts }), first))).toEqual([]);
  });

  it('is nothing where slots are renamed', async () => {
    const first = await run(inventory(40));
    const renamed = JSON.parse(JSON.stringify(inventory(40)).replaceAll('dimm.DIMM', 'dimm.PROC 1 DIMM')) as JsonObject;
    expect(found(await run(renamed, first))).toEqual([]);
  });

  it('is read from the copy in the node list, where no fresh inventory is', async () => {
    const list = (over: JsonObject): ReturnType<typeof input> => input('nodes.json', nodes(3, { 0: { inventory: over } }));
    const first = await collect([list(flat(0))]);
    const lost = await collect([list(flat(0, { dimms: ['A1100', 'B2100', 'C3100'] }))], { carry: first.carry });
    expect(found(lost)).toEqual([`warning inventory_changed node:${nodeName(0)} dimm`]);
    // A fresh reading counts before the copy, as a whole: a DIMM that only the copy remembers is not there.
    const both = await collect([list(flat(0)), input('inv.json', { [nodeName(0)]: flat(0, { dimms: ['A1100', 'B2100', 'C3100'] }) })], {
      carry: first.carry,
    });
    expect(found(both)).toEqual(found(lost));
  });

  it('is forgotten with a node that a complete list no longer has', async () => {
    const first = await run(inventory(40));
    const lost = await run(inventory(40, { 3: MISSING_ONE }), first);
    const rest = nodes(40).filter((n) => n['name'] !== nodeName(3));
    const gone = await collect([input('nodes.json', rest), input('inventory.json', inventory(40, { 3: null }))], { carry: lost.carry });
    expect(found(gone)).toEqual([]);
    expect(JSON.stringify(gone.carry)).not.toContain(nodeName(3));
  });
});

describe('an inventory that could not be read', () => {
  it('is one condition for all nodes, and no removal', async () => {
    const first = await run(inventory(40));
    const over: Record<number, 'empty' | null> = {};
    for (let i = 0; i < 20; i++) over[i] = i % 2 === 0 ? 'empty' : null;
    const blind = await run(inventory(40, over), first);
    expect(found(blind)).toEqual(['warning inventory_unreadable cluster:democluster']);
    expect(messageOf(blind, 'inventory_unreadable')).toBe(
      'the hardware inventory is empty for 20 nodes (20 of them had been read before): x1000c0s[0-4]b[0-1]n[0-1]. Nothing is concluded about their hardware (20 of 40 nodes; over the limit of 5 % and 3)',
    );
    expect(blind.summary['hardware']).toMatchObject({ read: 20, unreadable: { count: 20, nodes: 'x1000c0s[0-4]b[0-1]n[0-1]' } });
    // What was known before is still compared with when they can be read again.
    expect(found(await run(inventory(40, { 3: MISSING_ONE }), blind))).toEqual([`warning inventory_changed node:${nodeName(3)} dimm`]);
  });

  it('is information for one or two nodes, and follows the limit that the site sets', async () => {
    const first = await run(inventory(40));
    const two = inventory(40, { 0: 'empty', 1: null });
    expect(found(await run(two, first))).toEqual(['info inventory_unreadable cluster:democluster']);
    const three = [input('nodes.json', nodes(40)), input('inventory.json', inventory(40, { 0: 'empty', 1: null, 2: null }))];
    expect(found(await collect(three))).toEqual(['warning inventory_unreadable cluster:democluster']);
    expect(found(await collect(three, { rules: { inventory_unreadable: { threshold: 0.5 } } }))).toEqual([
      'info inventory_unreadable cluster:democluster',
    ]);
  });

  it('is a record without any of its DIMMs: a node that runs has some', async () => {
    const first = await run(inventory(40));
    const short = await run(inventory(40, { 3: { dimms: [] } }), first);
    expect(found(short)).toEqual(['info inventory_unreadable cluster:democluster']);
    expect(messageOf(short, 'inventory_unreadable')).toContain('without the DIMMs that it had for 1 node: x1000c0s0b1n1');
  });

  it('is the same loss on a twentieth of the fleet at once', async () => {
    const first = await run(inventory(40));
    const over = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [i, { dimms: [`A1${100 + i}`, `B2${100 + i}`, `C3${100 + i}`] }]));
    const shrunk = await run(inventory(40, over), first);
    expect(found(shrunk)).toEqual(['warning inventory_unreadable cluster:democluster']);
    expect(found(await run(inventory(40, over), shrunk))).toEqual(found(shrunk));
    expect(found(await run(inventory(40), shrunk))).toEqual([]);
    const eight = await run(inventory(40, Object.fromEntries(Object.entries(over).slice(0, 8))), first);
    expect(ofKind(eight, 'inventory_changed')).toHaveLength(8);
  });

  it('is no exchange of every serial number where the tool writes them otherwise', async () => {
    const first = await run(inventory(40));
    const over = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [i, { serial: `HPE-SN${1000 + i}` }]));
    const rewritten = await run(inventory(40, over), first);
    expect(found(rewritten)).toEqual([]);
    expect(problems(rewritten, 'note')).toEqual([
      'serial numbers of 40 nodes are others than before, all at once: taken for a change of the tool that reads them',
    ]);
  });

  it('is not observed where the whole document is missing', async () => {
    const first = await run(inventory(40));
    expect(first.coverage.observed['cluster']).toBe('democluster');
    const without = await collect([input('nodes.json', nodes(40))], { carry: first.carry });
    expect(without.coverage.observed['cluster']).toBeUndefined();
    expect(ofKind(without, 'inventory_changed')).toEqual([]);
  });
});

describe('the carry', () => {
  it('is compact and goes through its schema', async () => {
    const result = await run(inventory(40));
    expect(JSON.stringify(result.carry).length / 40).toBeLessThan(100);
  });

  it('is no harm where it does not fit together', async () => {
    const result = await collect([input('nodes.json', nodes(2)), input('i.json', inventory(2))], {
      carry: {
        kinds: {},
        size: null,
        off: [],
        drifted: [],
        dirtyByBoot: false,
        slots: [['dimm.A']],
        hardware: [
          [nodeName(0), 7, '', ''],
          [nodeName(1), 0, '', 'toolong'],
        ],
        losses: [],
        exchanges: [],
      },
    });
    expect(found(result)).toEqual([]);
  });
});
