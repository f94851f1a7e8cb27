import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/model/json.ts';
import {
  collect,
  DAY,
  found,
  imageGroup,
  input,
  messageOf,
  node,
  nodeName,
  nodes,
  NOW,
  ofKind,
  problems,
  type Result,
} from './hpcm-inputs.ts';

const image = (name: string | null, kernel: string | null = '5.14'): JsonObject => ({ image: name === null ? null : { name, kernel } });

async function of(list: JsonObject[], options: JsonObject = {}): Promise<Result> {
  return collect([input('nodes.json', list)], { options });
}

function some(count: number, from: number, over: JsonObject): Record<number, JsonObject> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [from + i, over]));
}

describe('image drift', () => {
  it('is what few of a population have, against the image of most', async () => {
    const result = await of(nodes(20, { 3: image('test'), 4: image('test') }));
    expect(found(result)).toEqual([`warning image_drift node:${nodeName(3)}`, `warning image_drift node:${nodeName(4)}`]);
    expect(messageOf(result, 'image_drift')).toBe('x1000c0s0b1n1 is assigned image test; 18 of 20 nodes of template cn have cos');
    expect(result.conditions[0]).toMatchObject({
      values: { image: 'test', expected: 'cos', population: 'template cn', nodes: 20, with_expected: 18, with_this: 2 },
      place: { rack: 'x1000', image: 'test' },
      evidence: [{ at: '/summary/images/populations/0' }],
    });
    expect(result.summary['images']).toMatchObject({
      populations: [
        {
          of: 'template cn',
          size: 20,
          expected: 'cos',
          by: 'majority',
          count: 18,
          others: [{ value: 'test', count: 2, nodes: 'x1000c0s0b1n1,x1000c0s1b0n0' }],
        },
      ],
    });
  });

  it('lists the largest minorities first, and counts the rest', async () => {
    const result = await of(
      nodes(30, { ...some(1, 0, image('a')), ...some(3, 1, image('b')), ...some(2, 4, image('c')), ...some(2, 6, image('d')) }),
    );
    expect(result.summary['images']).toMatchObject({
      assigned: 5,
      populations: [
        {
          count: 22,
          others: [
            { value: 'b', count: 3 },
            { value: 'c', count: 2 },
          ],
          others_more: 2,
        },
      ],
      drifted: { count: 8 },
    });
  });

  it('is only information where so many have it that it may be a roll-out', async () => {
    const result = await of(nodes(20, some(5, 0, image('next'))));
    expect(new Set(found(result).map((f) => f.split(' ')[0]))).toEqual(new Set(['info']));
    expect(messageOf(result, 'image_drift')).toContain('; 5 have the same, so it may be a roll-out or a second population');
    const just = await of(nodes(20, some(4, 0, image('next'))));
    expect(new Set(found(just).map((f) => f.split(' ')[0]))).toEqual(new Set(['warning']));
  });

  it('is not said between two halves', async () => {
    expect(found(await of(nodes(4, some(2, 0, image('next')))))).toEqual([]);
  });

  it('compares within system groups, templates and roles, and leaves service nodes alone', async () => {
    const list = [
      ...nodes(6),
      ...Array.from({ length: 4 }, (_, i) => node(`gpu-${i}`, { templateName: 'gpu', ...image('cos-gpu') })),
      node('login1', { templateName: 'login', ...image('uan') }),
      node('leader1', { type: 'leader', ...image('su') }),
    ];
    expect(found(await of(list))).toEqual([]);
    const dump = { nodes: list, systemGroups: [{ name: 'all', nodes: list.slice(0, 10) }] };
    expect(ofKind(await collect([input('cmdb.json', dump)]), 'image_drift')).toHaveLength(4);
  });

  it('holds against what the site expects, however many have another', async () => {
    const result = await of([...nodes(4, some(3, 0, image('next'))), node('login1', { templateName: 'login', ...image('uan') })], {
      expected_images: { compute: 'cos', login: 'uan-2' },
    });
    expect(found(result)).toEqual(
      [0, 1, 2]
        .map((i) => `warning image_drift node:${nodeName(i)}`)
        .concat('warning image_drift node:login1')
        .sort(),
    );
    expect(messageOf(result, 'image_drift', 'login1')).toBe('login1 is assigned image uan; the site expects uan-2 for role login');
  });
});

describe('kernels', () => {
  it('drift within one image', async () => {
    const result = await of(nodes(5, { 2: image('cos', '5.13') }));
    expect(found(result)).toEqual([`warning kernel_drift node:${nodeName(2)}`]);
    expect(messageOf(result, 'kernel_drift')).toBe('x1000c0s0b1n0 is assigned kernel 5.13; 4 of 5 nodes with image cos have 5.14');
  });

  it('of equal number are decided by the rest of the fleet, then by the newer', async () => {
    const two = await of([node('a', image('cos', '5.9')), node('b', image('cos', '5.10'))]);
    expect(ofKind(two, 'kernel_drift')).toEqual(['warning kernel_drift node:a']);
    const three = await of([node('a', image('cos', '5.9')), node('b', image('cos', '5.10')), node('login1', image('uan', '5.9'))]);
    expect(ofKind(three, 'kernel_drift')).toEqual(['warning kernel_drift node:b']);
  });

  it('that are unknown drift from nothing', async () => {
    expect(found(await of(nodes(3, { 1: image('cos', null) })))).toEqual([]);
  });

  it('that their image does not have keep nodes from booting', async () => {
    const groups = [imageGroup('cos', { kernels: ['5.14', '5.15', '5.16', '5.17'] })];
    const result = await collect([input('nodes.json', nodes(4, some(4, 0, image('cos', '6.0')))), input('images.json', groups)]);
    expect(found(result)).toEqual(['critical kernel_not_in_image image:cos 6.0']);
    expect(messageOf(result, 'kernel_not_in_image')).toBe(
      'kernel 6.0 is assigned to 4 nodes with image cos, which has only 5.14, 5.15, 5.16, and 1 more: x1000c0s0b[0-1]n[0-1]',
    );
    for (const kernels of [[], null]) {
      expect(found(await collect([input('nodes.json', nodes(1)), input('images.json', [imageGroup('cos', { kernels })])]))).toEqual([]);
    }
  });
});

describe('images', () => {
  it('that are assigned and do not exist are critical, once for each image', async () => {
    const result = await collect([input('nodes.json', nodes(6, some(3, 0, image('lost')))), input('images.json', [imageGroup('cos')])]);
    expect(ofKind(result, 'image_missing')).toEqual(['critical image_missing image:lost']);
    expect(messageOf(result, 'image_missing')).toBe(
      'image lost is assigned to 3 nodes, but HPCM has no image group of that name: x1000c0s0b0n[0-1],x1000c0s0b1n0',
    );
    expect(result.coverage.observed['image']).toBe('all');
  });

  it('that are deleted no longer exist', async () => {
    const groups = [imageGroup('svc'), imageGroup('cos', { deletionTime: '2026-11-01T00:00:00.000+00:00' })];
    expect(ofKind(await collect([input('nodes.json', nodes(1)), input('images.json', groups)]), 'image_missing')).toEqual([
      'critical image_missing image:cos',
    ]);
  });

  it('are not judged where the list of image groups is absent', async () => {
    const result = await of(nodes(2, { 0: image('lost') }));
    expect(ofKind(result, 'image_missing')).toEqual([]);
    expect(result.coverage.observed['image']).toBeUndefined();
  });
});

describe('nodes without an image', () => {
  it('are told, but for service nodes and unmanaged ones', async () => {
    const list = [
      node('n1', image(null)),
      node('n2', { image: { name: '', kernel: null } }),
      node('n3', { ...image(null), managed: 'False' }),
      node('weka01', image(null)),
      node('n4'),
    ];
    expect(found(await of(list))).toEqual(['warning node_unassigned node:n1', 'warning node_unassigned node:n2']);
  });

  it('are only unknown where the list was asked for other fields', async () => {
    const bare = [
      { name: 'n1', type: 'compute', internalName: 's1' },
      { name: 'n2', type: 'compute', internalName: 's2' },
    ];
    expect(found(await of(bare))).toEqual([]);
    // Serialisers that leave null out do so node by node.
    expect(found(await of([...bare, node('n3')]))).toEqual(['warning node_unassigned node:n1', 'warning node_unassigned node:n2']);
  });

  it('are not made of a name that is none', async () => {
    const result = await of([node('n1', image('bad\u0007name')), node('n2')]);
    expect(found(result)).toEqual([]);
    expect(problems(result, 'note')).toEqual([
      'the image of 1 node has a name that is none (control characters, or too long): taken for unknown',
    ]);
  });
});

describe('pending images', () => {
  const pending = (modified: number): JsonObject[] => [
    node('n1', { imagePending: true, modificationTime: new Date(modified).toISOString().replace('Z', '+00:00') }),
  ];

  it('are information at first and a warning after a week, or what the site says', async () => {
    expect(found(await of(pending(NOW - 7 * DAY)))).toEqual(['info image_pending node:n1']);
    const late = await of(pending(NOW - 7 * DAY - 1000));
    expect(found(late)).toEqual(['warning image_pending node:n1']);
    expect(messageOf(late, 'image_pending')).toBe('n1 has image cos pending, for 7d at most (limit 7d)');
    expect(late.conditions[0]?.since).toBe('2026-11-23T08:44:59.000Z');
    const strict = await collect([input('nodes.json', pending(NOW - 2 * DAY))], { rules: { image_pending: { after: '1d' } } });
    expect(found(strict)).toEqual(['warning image_pending node:n1']);
  });

  it('read times as HPCM and others write them', async () => {
    const since = async (modificationTime: string | number): Promise<string | undefined> =>
      (await of([node('n1', { imagePending: true, modificationTime })])).conditions[0]?.since;
    expect(await since('2026-11-23T08:44:59.000+0000')).toBe('2026-11-23T08:44:59.000Z');
    expect(await since('2026-11-23T10:44:59+02:00')).toBe('2026-11-23T08:44:59.000Z');
    expect(await since(1_795_423_499)).toBe('2026-11-23T08:44:59.000Z');
    expect(await since(1_795_423_499_000)).toBe('2026-11-23T08:44:59.000Z');
    for (const none of ['2026-11-23 08:44', '2026-99-99T08:44:59Z', '', 0, -5, 1e300]) expect(await since(none)).toBeUndefined();
  });

  it('have no age where the time is missing or ahead', async () => {
    const ahead = await of(pending(NOW + DAY));
    expect(ahead.conditions[0]).not.toHaveProperty('since');
    expect(messageOf(await of([node('n1', { imagePending: true, modificationTime: null })]), 'image_pending')).toBe(
      'n1 has image cos pending',
    );
  });
});

describe('what nodes run', () => {
  const boot = (lines: string): ReturnType<typeof input> => input('cmdline.txt', lines);

  it('differs from what they are assigned', async () => {
    const list = nodes(5, { 3: { rootFs: 'disk' }, 4: { imagePending: true } });
    const result = await collect([
      input('nodes.json', list),
      boot(
        [
          `${nodeName(0)}: BOOT_IMAGE=images/cos/vmlinuz-5.14 IMAGE=cos`,
          `${nodeName(1)}: BOOT_IMAGE=images/old/vmlinuz-5.13 IMAGE=old`,
          `${nodeName(2)}: BOOT_IMAGE=images/cos/vmlinuz-5.13 IMAGE=cos`,
          `${nodeName(3)}: BOOT_IMAGE=/boot/vmlinuz-5.12 root=UUID=1`,
          `${nodeName(4)}: IMAGE=old`,
        ].join('\n'),
      ),
    ]);
    expect(ofKind(result, 'boot_drift')).toEqual([1, 2, 3].map((i) => `warning boot_drift node:${nodeName(i)}`));
    expect(messageOf(result, 'boot_drift', nodeName(2))).toContain('runs kernel 5.13; assigned is 5.14 of image cos');
    expect(messageOf(result, 'boot_drift', nodeName(3))).toContain('(it keeps that until it is provisioned again)');
    expect(messageOf(result, 'image_pending')).toContain('it runs old');
  });

  it('makes an image dirty that was changed after they booted it', async () => {
    const modified = Date.parse('2026-10-30T17:22:09Z') / 1000;
    const lines = [0, 1, 2].flatMap((i) => [`${nodeName(i)}: IMAGE=cos`, `${nodeName(i)}: btime ${modified + (i - 1) * 60}`]);
    const result = await collect([input('nodes.json', nodes(4)), input('images.json', [imageGroup('cos')]), boot(lines.join('\n'))]);
    expect(found(result)).toEqual(['warning image_dirty image:cos']);
    expect(messageOf(result, 'image_dirty')).toBe(
      'image cos is dirty: its image group was modified at 2026-10-30T17:22:09.000Z, after 1 of 3 nodes that run it had booted: x1000c0s0b0n0',
    );
    expect(result.conditions[0]).toMatchObject({
      since: '2026-10-30T17:22:09.000Z',
      values: { definition: 'modified after boot', booted_before: 1, boot_time_known: 3 },
    });
    const blind = await collect([input('nodes.json', nodes(4)), input('images.json', [imageGroup('cos')])], { carry: result.carry });
    expect(blind.coverage.observed['image']).toBeUndefined();
  });
});

describe('a dirty image', () => {
  it('is also one that the site marks', async () => {
    const groups = [imageGroup('cos', { attributes: { uncommitted: 'yes', dirty: 'no' } })];
    const inputs = [input('nodes.json', nodes(1)), input('images.json', groups)];
    expect(found(await collect(inputs))).toEqual([]);
    const result = await collect(inputs, { options: { dirty_attribute: 'uncommitted' } });
    expect(messageOf(result, 'image_dirty')).toBe(
      'image cos is dirty: the site marks it as changed and not committed (attribute uncommitted of its image group)',
    );
  });
});
