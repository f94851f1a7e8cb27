import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldBounded, foldText } from '../../lib/collectors/hpcm_inventory/folding.ts';
import { expand } from '../../lib/nodeset.ts';
import { collect, fixtures, input, node, nodeName, nodes } from './hpcm-inputs.ts';

describe('folded sets of bounded length', () => {
  const scattered = Array.from({ length: 200 }, (_, i) => `n${i * i}`);

  it('are whole where they fit, and else the first names with the number of the others', () => {
    expect(foldBounded(['n2', 'n1'], 10)).toEqual({ nodes: 'n[1-2]' });
    const { nodes: set, more } = foldBounded(scattered.toReversed(), 60);
    expect(set.length).toBeLessThanOrEqual(60);
    expect(expand(set)).toEqual(scattered.slice(0, 200 - (more ?? 0)));
    expect(foldText(scattered, 60)).toBe(`${set} and ${more} more`);
    expect(foldText(['n1'], 60)).toBe('n1');
  });

  it('name nobody where even one name is too long', () => {
    expect(foldBounded(['a'.repeat(100), 'b'.repeat(100)], 60)).toEqual({ nodes: '', more: 2 });
    expect(foldText(['a'.repeat(100), 'b'.repeat(100)], 60)).toBe('2 names');
  });

  it('lose no name of any fleet', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}\d{1,3}[a-z]?\d?$/), { maxLength: 150 });
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 200 }), (list, max) => {
        const { nodes: set, more } = foldBounded(list, max);
        expect(set.length).toBeLessThanOrEqual(max);
        expect(expand(set).length + (more ?? 0)).toBe(list.length);
      }),
    );
  });
});

describe('the summary', () => {
  it('stays under 6 kB where everything is different everywhere', async () => {
    const list = Array.from({ length: 600 }, (_, i) =>
      node(`very-long-host-name-of-a-node-${i * 7919}`, {
        templateName: `a-template-with-a-long-name-${i % 40}`,
        image: {
          name: `image_with_a_long_name_${i % 90}_20261012T101500_3fe21aa`,
          kernel: `5.14.21-150500.55.${i % 70}-default-with-a-long-suffix`,
        },
        imagePending: i % 3 === 0,
        type: i % 50 === 0 ? `type-${i}` : 'compute',
        inventory:
          i % 5 === 0
            ? {}
            : { 'bios.Version': `v${i % 60} with a long name`, [`dimm.${i % 9}.Size`]: '64 GB', [`gpu.${i % 7}.model`]: 'G' },
      }),
    );
    const names = list.map((n) => n['name'] as string);
    const power = names.map((name, i) => `${name} : ${['Off', 'On', 'BOOTED', 'Strange', 'PoweringOn'][i % 5]}`).join('\n');
    const boot = names.map((name, i) => `${name}: IMAGE=another_image_with_a_long_name_${i % 80}`).join('\n');
    const result = await collect([input('nodes.json', list), input('power.txt', power), input('boot.txt', boot)]);
    expect(JSON.stringify(result.summary).length).toBeLessThan(6000);
    expect(result.summary).toMatchObject({ hardware: { bios: { others_more: expect.any(Number) as number } } });
  });

  it('leaves out what no input speaks of', async () => {
    const { summary } = await collect([input('nodes.json', nodes(2))]);
    expect(Object.keys(summary)).toEqual(['entries', 'complete', 'classes', 'images', 'hardware']);
    expect(summary['hardware']).toEqual({
      read: 0,
      unreadable: { count: 0 },
      lost_parts: 0,
      exchanged_parts: 0,
    });
  });

  it('counts the values that it does not list', async () => {
    const over = Object.fromEntries(['1', '2', '3', '4', '5'].map((v, i) => [i, { inventory: { 'bios.Version': `v${v}` } }]));
    const { summary } = await collect([input('nodes.json', nodes(5, { ...over, 4: { inventory: { 'bios.Version': 'v1' } } }))]);
    expect(summary['hardware']).toMatchObject({
      bios: { value: 'v1', count: 2, others: [{ value: 'v2', count: 1, nodes: nodeName(1) }, { value: 'v3' }], others_more: 1 },
    });
  });
});

describe('the series', () => {
  it('are what a trend is worth of', async () => {
    expect((await collect(fixtures('faulty'))).series).toEqual({
      entries: 136,
      nodes: 72,
      booted: 80,
      off: 5,
      image_drift: 0,
      boot_drift: 2,
      image_pending: 2,
      hardware_unreadable: 0,
      parts_lost: 0,
    });
  });
});
