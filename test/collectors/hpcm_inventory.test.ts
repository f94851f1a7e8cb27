import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hpcmInventory } from '../../lib/collectors/hpcm_inventory/index.ts';
import { UnusableInput } from '../../lib/model/collector.ts';
import { NodeFacts } from '../../lib/model/facts.ts';
import { atPointer } from '../../lib/model/json.ts';
import { expand } from '../../lib/nodeset.ts';
import {
  brokenInput,
  collect,
  DAY,
  factsOf,
  fixtures,
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
} from './hpcm-inputs.ts';

describe('the bundled days', () => {
  it('show nothing but the known-down node on the healthy one', async () => {
    const result = await collect(fixtures('healthy'));
    expect(found(result)).toEqual(['warning node_off node:x1000c0s4b1n1']);
    expect(result.coverage).toMatchObject({ records: 384, rejected: 0, problems: [] });
    expect(result.coverage.observed).toMatchObject({ node: 'all', image: 'all', cluster: 'democluster', host_alias: 'nid[000001-000072]' });
    expect(expand(result.coverage.observed['host'] as string)).toHaveLength(87);
    expect(result.asOf).toBe(Date.parse('2026-11-30T08:40:00.000Z'));
  });

  it('show old images, pending images and the nodes without power on the faulty one', async () => {
    const result = await collect(fixtures('faulty'));
    expect(found(result)).toEqual([
      'info image_pending node:x1001c0s2b0n0',
      'info image_pending node:x1001c0s2b0n1',
      'warning boot_drift node:x1001c0s0b0n0',
      'warning boot_drift node:x1001c0s1b0n0',
      'warning node_off node:x1000c0s4b1n1',
      'warning node_off node:x1002c0s5b0n0',
      'warning node_off node:x1002c0s5b0n1',
      'warning node_off node:x1002c0s5b1n0',
      'warning node_off node:x1002c0s5b1n1',
    ]);
    expect(messageOf(result, 'boot_drift')).toBe(
      'x1001c0s0b0n0 runs image cos-2026.08; assigned is cos-2026.11 (it would take the assigned one at its next boot)',
    );
    expect(messageOf(result, 'image_pending')).toBe('x1001c0s2b0n0 has image cos-2026.11 pending, for 6h 10m at most; it runs cos-2026.08');
    expect(result.conditions.find((c) => c.subject.id === 'x1001c0s0b0n0')?.place).toEqual({
      rack: 'x1001',
      chassis: 'x1001c0',
      slot: 'x1001c0s0',
      board: 'x1001c0s0b0',
      image: 'cos-2026.08',
    });
    expect(result.summary).toMatchObject({
      entries: 136,
      complete: true,
      classes: {
        node: 72,
        service_node: 11,
        leader: 3,
        admin: 1,
        bmc: 36,
        chassis: 3,
        mgmt_switch: 2,
        hsn_switch: 3,
        pdu: 2,
        cooling: 1,
        alias: 2,
      },
      power: {
        booted: 80,
        on: 2,
        off: 5,
        on_not_booted: { count: 2, nodes: 'x1000c0s2b0n0,x1001c0s4b1n0' },
        off_nodes: { count: 5, nodes: 'x1000c0s4b1n1,x1002c0s5b[0-1]n[0-1]' },
      },
      boot: { known: 65, drifted: { count: 2, nodes: 'x1001c0s[0-1]b0n0' } },
      hardware: {
        read: 87,
        dimms: { value: '4', count: 71, others: [{ value: '3', count: 1, nodes: 'x1000c0s4b1n1' }] },
        gpus: { value: '4', count: 24 },
      },
    });
  });

  it('give facts in the shared vocabulary, which join with the other sources', async () => {
    const result = await collect(fixtures('faulty'));
    for (const { facts } of result.facts ?? []) expect(NodeFacts.safeParse(facts).success).toBe(true);
    expect(factsOf(result, 'x1001c0s0b0n0')).toEqual({
      class: 'node',
      aliases: ['nid000025'],
      xname: 'x1001c0s0b0n0',
      nid: 25,
      role: 'compute',
      bmc: '10.10.1.25',
      bmcMac: '02:00:00:00:01:19',
      macs: ['02:00:00:00:11:19'],
      image: 'cos-2026.11',
      kernel: '5.14.21-150500.55.83_13.0.62-cray_shasta_c',
      bootedImage: 'cos-2026.08',
      bootedKernel: '5.14.21-150500.55.52_13.0.47-cray_shasta_c',
      rootFs: 'nfs',
      power: 'booted',
      serial: 'DMO1N00025',
      model: 'HPE Cray EX235a',
      dimms: 4,
      gpus: 4,
      parts: {
        'dimm.DIMM A': 'D0000190',
        'dimm.DIMM B': 'D0000191',
        'dimm.DIMM C': 'D0000192',
        'dimm.DIMM D': 'D0000193',
        'gpu.GPU 0': 'G000250',
        'gpu.GPU 1': 'G000251',
        'gpu.GPU 2': 'G000252',
        'gpu.GPU 3': 'G000253',
      },
      firmware: { bios: 'ex.bios-1.8.2', BMC: 'nc.1.9.14' },
      place: { rack: 'x1001', chassis: 'x1001c0', slot: 'x1001c0s0', board: 'x1001c0s0b0' },
    });
    expect(factsOf(result, 'x1001c0s2b0n0')).toMatchObject({ imagePending: true, image: 'cos-2026.11', bootedImage: 'cos-2026.08' });
    expect(result.facts?.find((f) => f.subject.id === 'x1002m0')).toEqual({
      subject: { type: 'pdu', id: 'x1002m0' },
      facts: { class: 'pdu', xname: 'x1002m0', place: { rack: 'x1002', pdu: 'x1002m0' } },
    });
  });

  it('cite members of their summaries that exist, and use declared kinds with their parts alone', async () => {
    const result = await collect(fixtures('faulty'));
    const kinds = new Map(hpcmInventory.kinds.map((k) => [k.kind, k]));
    for (const condition of result.conditions) {
      const kind = kinds.get(condition.kind);
      expect(kind?.subjects).toContain(condition.subject.type);
      expect(condition.part !== undefined).toBe(kind?.part !== undefined);
      for (const { at } of condition.evidence ?? []) expect(atPointer({ summary: result.summary }, at ?? '')).toBeDefined();
    }
  });
});

describe('secrets', () => {
  it('never get past parsing, wherever they stand', async () => {
    const dump = {
      nodes: [
        node('n1', {
          management: { cardType: 'ILO', username: 'bmc-user', password: 'bmc-pass' },
          attributes: { token: 'attr-secret', su_leader_role: 'no' },
          controller: { password: 'ctl-pass' },
        }),
      ],
      controllers: [{ name: 'x1000c0s0b0', username: 'ctl-user', password: 'ctl-pass2', ipAddress: '10.1.1.1' }],
      imageGroups: [imageGroup('cos', { attributes: { key: 'image-secret' } })],
    };
    const conf =
      '[discover]\nhostname1=n1, bmc_password=conf-pass, password="conf,pass2", username=conf-user\ninternal_name=pdu-1, hostname1=pdu-1, pdu_protocol="snmp/community-secret"\n';
    const broken = '[discover]\nbmc_password=lost-pass, hostname1="never ends\n';
    const result = await collect([input('dump.json', dump), input('cluster.conf', conf), input('other.conf', broken)]);
    const everything = JSON.stringify(result);
    expect(everything).not.toMatch(/pass|bmc-user|conf-user|ctl-user|secret/);
    expect(result.coverage.rejected).toBe(1);
    expect(problems(result, 'record')).toEqual(['other.conf: line 2: has a quote that never ends, or is too long']);
  });
});

describe('inputs that are not what they should be', () => {
  it('cost one record where one of many is bad', async () => {
    const list = [
      ...nodes(300),
      { name: 'a\u0000b' },
      'text',
      null,
      node('x1000c0s0b0n0', { modificationTime: '2020-01-01T00:00:00.000+00:00', image: { name: 'old' } }),
      { type: 'compute' },
    ];
    const result = await collect([input('nodes.json', list)]);
    expect(result.coverage).toMatchObject({ records: 305, rejected: 5 });
    expect(problems(result, 'record')).toEqual([
      'nodes.json: /300: has no usable name',
      'nodes.json: /301: is no object',
      'nodes.json: /302: is no object',
      'nodes.json: /303: names x1000c0s0b0n0 a second time; the one that was changed last is kept',
      'nodes.json: /304: has no usable name',
    ]);
    expect(result.summary).toMatchObject({ entries: 300, complete: false });
    expect(found(result)).toEqual([]);
    // What was rejected might have been any node: the list proves nothing complete.
    expect(result.coverage.observed['node']).not.toBe('all');
    expect(expand(result.coverage.observed['node'] as string)).toHaveLength(300);
  });

  it('are named with their place, and leave the others', async () => {
    const result = await collect([
      input('nodes.json', '[{"name": "n1", "image": {"name": "cos"}},\n {"name": "n2"', { role: 'nodes' }),
      input('power.txt', 'n1 : Off\nn2 : BOOTED\n', { role: 'power' }),
      brokenInput('imagegroups.json', { role: 'images' }),
    ]);
    expect(problems(result, 'input')).toEqual([
      'imagegroups.json: could not be read (EIO)',
      'nodes.json: line 2 column 15: ends in the middle of a value; expected JSON (the node list)',
    ]);
    expect(found(result)).toEqual(['warning node_off node:n1']);
    expect(result.coverage.observed).toEqual({ node: 'n[1-2]' });
  });

  it('are told when a login page or another document stands where the node list should be', async () => {
    const inputs = [
      input('nodes.json', '<html>Sign in</html>', { role: 'nodes' }),
      input('images.json', { errorCode: 'AUTH' }, { role: 'images' }),
    ];
    await expect(collect(inputs)).rejects.toThrow(UnusableInput);
    await expect(collect(inputs)).rejects.toThrow('is JSON, but nothing that is known here; expected the list of image groups');
    await expect(collect([input('nodes.json', '', { role: 'nodes' })])).rejects.toThrow('is empty; expected the node list');
    await expect(collect([input('nodes.json', [], { role: 'nodes' })])).rejects.toThrow('no input names a node or an image');
  });

  it.each(['<html>Sign in</html>', '', '\n'])('make the source partial where a dump of a folder holds %j', async (text) => {
    const result = await collect([input('nodes-1.json', nodes(2)), input('nodes-2.json', text)]);
    expect(problems(result, 'input')).toEqual([expect.stringMatching(/^nodes-2\.json: line \d column \d: .*expected JSON$/)]);
    expect(result.coverage.observed).toEqual({ node: 'x1000c0s0b0n[0-1]' });
  });

  it('name the place where nothing else is usable', async () => {
    await expect(collect([input('nodes.json', '[{"name": "n1"')])).rejects.toMatchObject({
      input: 'nodes.json',
      place: 'line 1 column 15',
    });
    await expect(collect([input('nodes.json', '[]')])).rejects.toMatchObject({ input: undefined, place: undefined });
  });

  it('are listed up to twenty, and all counted', async () => {
    const result = await collect([input('nodes.json', [...nodes(1), ...Array.from({ length: 25 }, () => ({ name: '' }))])]);
    expect(result.coverage).toMatchObject({ records: 26, rejected: 25 });
    expect(problems(result, 'record')).toHaveLength(20);
  });

  it('of other tools in the same folder are a note', async () => {
    const result = await collect([
      input('nodes.json', nodes(2)),
      input('README', 'dumped by cron'),
      input('messages', '[12.3] a kernel line\n'),
      input('pbsnodes.json', { timestamp: 1, pbs_version: '23', nodes: { n1: { state: 'free' } } }),
    ]);
    expect(problems(result, 'input')).toEqual([]);
    expect(problems(result, 'note')).toHaveLength(3);
    expect(result.coverage.observed['node']).toBe('all');
  });

  it('are used by content where the role names another kind', async () => {
    const result = await collect([input('a', [imageGroup('cos')], { role: 'nodes' }), input('b', nodes(3), { role: 'images' })]);
    expect(result.summary).toMatchObject({ entries: 3, images: { known: 1 } });
  });

  it('that are any bytes at all throw nothing but UnusableInput', async () => {
    const texts = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => new TextEncoder().encode(text)),
      fc
        .constantFrom(
          '[discover]\nhostname1=',
          '[templates]\nname=a\n[discover]\n,,=,"\n',
          'n1 : ',
          'x: BOOT_IMAGE=/ IMAGE=',
          '{"nodes": [[]]}',
        )
        .map((text) => new TextEncoder().encode(text)),
    );
    const roles = fc.constantFrom(undefined, 'nodes', 'images', 'groups', 'inventory', 'power', 'cluster_conf', 'boot');
    await fc.assert(
      fc.asyncProperty(texts, roles, async (bytes, role) => {
        const outcome = await collect([input('any', bytes, role === undefined ? {} : { role })]).catch((error: unknown) => error);
        expect(outcome instanceof Error && !(outcome instanceof UnusableInput) ? outcome : null).toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  it('that are any values in the shape of a node list or an inventory throw nothing', async () => {
    const key = fc.constantFrom(
      'name',
      'image',
      'kernel',
      'location',
      'rack',
      'aliases',
      'inventory',
      'management',
      'network',
      'nics',
      'type',
      'kernels',
      'nodes',
      'attributes',
      '__proto__',
      'sys.Serial Number',
      'dimm.A.Size',
    );
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>(null, 0, -1, 1e300, true, '', 'NA', 'n1', '\u0000', 'x1000c0s0b0n0'),
        tie('object'),
        fc.array(tie('value'), { maxLength: 3 }),
      ),
      object: fc.dictionary(key, tie('value'), { maxKeys: 5 }),
    }));
    const list = fc.array(
      fc.record({
        name: fc.constantFrom('n1', 'n2', '__proto__', 'constructor'),
        image: value.value,
        inventory: value.value,
        location: value.value,
        aliases: value.value,
        network: value.value,
        type: value.value,
      }),
    );
    await fc.assert(
      fc.asyncProperty(list, fc.dictionary(key, value.object, { maxKeys: 4 }), async (elements, inventory) => {
        const result = await collect([
          input('nodes.json', JSON.stringify([node('sure'), ...elements])),
          input('inventory.json', JSON.stringify(inventory), { role: 'inventory' }),
        ]);
        expect(result.summary['entries']).toBeGreaterThan(0);
      }),
    );
  });
});

describe('what earlier runs read', () => {
  it('is missed when it is gone, and its conditions stay as last seen', async () => {
    const list = input('nodes.json', nodes(4));
    const first = await collect([
      list,
      input('power.txt', `${nodeName(1)} : Off\n${nodeName(2)} : BOOTED\n`),
      input('boot.txt', `${nodeName(3)}: IMAGE=old\n`),
    ]);
    expect(found(first)).toEqual([`warning boot_drift node:${nodeName(3)}`, `warning node_off node:${nodeName(1)}`]);
    const later = NOW + 2 * 36e5;
    const second = await collect([list], { carry: first.carry, now: later });
    expect(problems(second, 'input')).toEqual([
      'cm power status was read at 2026-11-30T08:45:00.000Z and is not there now; what it told stays as it was',
      'the list of what nodes run was read at 2026-11-30T08:45:00.000Z and is not there now; what it told stays as it was',
    ]);
    expect(found(second)).toEqual(found(first));
    expect(second.conditions.map((c) => c.lastSeen)).toEqual(['2026-11-30T08:45:00.000Z', '2026-11-30T08:45:00.000Z']);
    const third = await collect([list, input('power.txt', `${nodeName(1)} : BOOTED\n`), input('boot.txt', `${nodeName(3)}: IMAGE=cos\n`)], {
      carry: second.carry,
      now: later,
    });
    expect(found(third)).toEqual([]);
  });

  it('stays open for a node that only this time gave no answer', async () => {
    const list = input('nodes.json', nodes(2));
    const first = await collect([list, input('power.txt', `${nodeName(0)} : Off\n${nodeName(1)} : On\n`)]);
    const failed = await collect(
      [list, input('power.txt', `${nodeName(0)}: FAILURE:  power status : Unable to get Chassis Power Status\n\n${nodeName(1)} : On\n`)],
      { carry: first.carry, now: NOW + 6e5 },
    );
    expect(found(failed)).toEqual([`warning node_off node:${nodeName(0)}`]);
    expect(messageOf(failed, 'node_off')).toContain('was powered off when its power was last read, at 2026-11-30T08:45:00.000Z');
    expect(failed.coverage.observed['node']).toBe('all');
  });

  it('is let go of after a week without an answer', async () => {
    const list = input('nodes.json', nodes(2));
    const first = await collect([list, input('power.txt', `${nodeName(0)} : Off\n${nodeName(1)} : On\n`)]);
    const power = input('power.txt', `${nodeName(1)} : On\n`);
    expect(found(await collect([list, power], { carry: first.carry, now: NOW + 7 * DAY - 1 }))).toEqual([
      `warning node_off node:${nodeName(0)}`,
    ]);
    expect(found(await collect([list, power], { carry: first.carry, now: NOW + 7 * DAY }))).toEqual([]);
  });

  it('is not missed in a pushed body, which leaves what it does not hold unobserved', async () => {
    const first = await collect([input('nodes.json', nodes(4, { 0: { image: null } }))]);
    const pushed = await collect([input('power.txt', `${nodeName(1)} : Off\n`, { pushed: true })], { carry: first.carry });
    expect(problems(pushed, 'input')).toEqual([]);
    expect(pushed.coverage.observed).toEqual({});
    expect(found(pushed)).toEqual([`warning node_off node:${nodeName(1)}`]);
  });

  it('makes a list that is suddenly half as long no proof that the others are gone', async () => {
    const whole = await collect([input('nodes.json', nodes(40))]);
    const cut = await collect([input('nodes.json', nodes(10))], { carry: whole.carry, now: NOW + 36e5 });
    expect(problems(cut, 'input')).toEqual([
      'the node list has 10 hosts, after 40 at 2026-11-30T08:45:00.000Z: taken for filtered or cut short until a day has passed',
    ]);
    expect(expand(cut.coverage.observed['node'] as string)).toHaveLength(10);
    expect(cut.coverage.observed['host']).toBeUndefined();
    const nextDay = await collect([input('nodes.json', nodes(10))], { carry: cut.carry, now: NOW + DAY });
    expect(nextDay.coverage.observed['node']).toBe('all');
  });
});

describe('order', () => {
  it('of files and records changes nothing', async () => {
    const list = nodes(12, {
      3: { image: { name: 'other', kernel: '5.14' } },
      5: { image: { name: 'cos', kernel: '5.15' } },
      7: { image: null },
    });
    const groups = [imageGroup('cos'), imageGroup('third')];
    const power = [`${nodeName(1)} : Off`, `${nodeName(2)} : BOOTED`];
    const reference = JSON.stringify(
      strip(await collect([input('nodes.json', list), input('images.json', groups), input('p.txt', power.join('\n'))])),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(list, { minLength: 12 }),
        fc.shuffledSubarray(groups, { minLength: 2 }),
        fc.shuffledSubarray(power, { minLength: 2 }),
        fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
        async (l, g, p, order) => {
          const inputs = [input('nodes.json', l), input('images.json', g), input('p.txt', p.join('\n'))];
          const result = await collect(order.map((i) => inputs[i] as (typeof inputs)[number]));
          expect(JSON.stringify(strip(result))).toBe(reference);
        },
      ),
      { numRuns: 40 },
    );
  });
});

function strip({ coverage, ...rest }: Awaited<ReturnType<typeof collect>>): unknown {
  return { ...rest, observed: coverage.observed, records: coverage.records };
}

describe('a fleet of 12,000 nodes', () => {
  it('has its drift found exactly, in a summary of at most 6 kB', async () => {
    const drifted = new Set(Array.from({ length: 40 }, (_, i) => (i * 6151) % 12_000));
    const template = (i: number): string => (i % 10 === 0 ? 'gpu' : i % 4 === 0 ? 'highmem' : 'cpu');
    const list = Array.from({ length: 12_000 }, (_, i) =>
      node(nodeName(i), { templateName: template(i), image: { name: drifted.has(i) ? 'cos-test' : `cos-${template(i)}`, kernel: '5.14' } }),
    );
    const others = Array.from({ length: 600 }, (_, i) => node(`x${2000 + i}m0`, { type: 'pdu', image: null }));
    const power = list.map((n, i) => `${n['name'] as string} : ${i % 37 === 0 ? 'Off' : 'BOOTED'}`).join('\n');
    const result = await collect([input('nodes.json', [...list, ...others]), input('power.txt', power)]);
    expect(new Set(result.conditions.filter((c) => c.kind === 'image_drift').map((c) => c.subject.id))).toEqual(
      new Set([...drifted].map(nodeName)),
    );
    expect(ofKind(result, 'node_off')).toHaveLength(325);
    expect(result.summary).toMatchObject({ entries: 12_600, classes: { node: 12_000, pdu: 600 }, images: { drifted: { count: 40 } } });
    expect(JSON.stringify(result.summary).length).toBeLessThan(6000);
  }, 60_000);
});
