import { describe, expect, it } from 'vitest';
import { hpcmInventory } from '../../lib/collectors/hpcm_inventory/index.ts';
import type { JsonObject } from '../../lib/model/json.ts';
import { collect, factsOf, found, imageGroup, input, node, nodeName, nodes, problems, type Result } from './hpcm-inputs.ts';

/** What an entry of a node list is classified as: its subject's type, its class and its role. */
async function classOf(entry: JsonObject, options: JsonObject = {}): Promise<string> {
  // A second entry keeps a list of one alias from being an unusable one.
  const result = await collect([input('nodes.json', [entry, node('x9999c0s0b0n0')])], { options });
  const facts = result.facts?.find((f) => f.subject.id !== 'x9999c0s0b0n0');
  if (facts === undefined) return 'no subject';
  const { class: entryClass, role } = facts.facts as { class: string; role?: string };
  return [facts.subject.type, entryClass, role].filter((t) => t !== undefined).join(' ');
}

describe('classification', () => {
  it.each([
    ['su-aliases', { type: 'compute' }, 'no subject'],
    ['su-aliases', { type: 'compute', aliases: { product: 'DL_380' } }, 'node node compute'],
    ['su1', { type: 'leader_alias' }, 'no subject'],
    ['admin', { type: 'admin' }, 'node admin'],
    ['su7', { type: 'leader' }, 'node leader'],
    ['su7', { attributes: { su_leader_role: 'yes' } }, 'node leader'],
    ['su7', { attributes: { su_leader_role: '0' } }, 'node node compute'],
    ['su7', { attributes: { su_leader_role: 1 } }, 'node leader'],
    ['r1i0n0', { type: 'ice_compute' }, 'node node'],
    ['x1000c0s0b0n0', { type: 'compute' }, 'node node compute'],
    ['anything', { type: 'compute', templateName: null }, 'node node compute'],
    ['x1000c0', { type: 'chassis' }, 'chassis chassis'],
    ['r1lead', { type: 'cmc' }, 'bmc cmc'],
    ['mgmtsw0', { type: 'mgmt_switch' }, 'switch mgmt_switch'],
    ['leaf1', { type: 'LEAF' }, 'switch leaf_switch'],
    ['sw1', { type: 'spine' }, 'switch spine_switch'],
    ['x1000c0r3b0', { type: 'switch_blade' }, 'switch hsn_switch'],
    ['ib0', { type: 'ib_switch' }, 'switch ib_switch'],
    ['pdu-x3000-001', { type: 'pdu' }, 'pdu pdu'],
    ['cdu1', { type: 'cooldev' }, 'cdu cooling'],
    ['su-bmc-aliases', { type: 'compute' }, 'no subject'],
    ['X1000C0', { type: 'compute' }, 'chassis chassis'],
    ['x1000c0b0', { type: 'compute' }, 'bmc cmc'],
    ['x1000c0r3', { type: 'compute' }, 'switch hsn_switch'],
    ['x3000m0p1', { type: 'compute' }, 'pdu pdu'],
    ['d0w1', { type: 'compute' }, 'switch mgmt_switch'],
    ['x1000c0s0b0', { type: 'compute' }, 'bmc bmc'],
    ['x1000c0r3b0', { type: 'compute' }, 'bmc bmc'],
    ['x3000c0w14', { type: 'compute' }, 'switch mgmt_switch'],
    ['x3000c0h12s1', { type: null }, 'switch spine_switch'],
    ['x3000m0', { type: null }, 'pdu pdu'],
    ['d0', { type: null }, 'cdu cooling'],
    ['x3000e0', { type: 'compute' }, 'cdu cooling'],
    ['nid000001-dpu', { type: 'compute', templateName: null }, 'dpu dpu'],
    ['node7', { templateName: 'bf3' }, 'dpu dpu'],
    ['node7', { image: { name: 'any', kernel: '5.15.0-1042-bluefield' } }, 'dpu dpu'],
    // Being aarch64 alone is no mark: whole partitions are.
    ['node7', { platform: { architecture: 'aarch64' } }, 'node node compute'],
    ['login01', { templateName: null }, 'node service_node login'],
    ['node7', { templateName: 'uan-template' }, 'node service_node login'],
    ['weka03', { templateName: null, image: null }, 'node service_node storage'],
    // A node among the blades is one, whatever it is called.
    ['login01', { templateName: null, aliases: { 'cm-geo-name': 'x1000c0s0b0n0' } }, 'node node compute'],
    ['strange', { type: 'quantum', image: null }, 'unknown unknown'],
    ['strange', { type: 'quantum' }, 'node unknown'],
  ])('%s %j is a %s', async (name, over: JsonObject, expected) => expect(await classOf(node(name, over))).toBe(expected));

  it('counts types that it does not know, and drops none of them', async () => {
    const result = await collect([
      input('nodes.json', [
        node('n1'),
        node('q1', { type: 'Quantum' }),
        node('q2', { type: 'quantum', image: null }),
        node('f', { type: 'fridge' }),
      ]),
    ]);
    expect(result.summary).toMatchObject({
      entries: 4,
      classes: { node: 1, unknown: 3 },
      unknown_types: [
        { type: 'quantum', count: 2 },
        { type: 'fridge', count: 1 },
      ],
    });
  });

  it('lets the site overrule it, by names, aliases, type, template and group', async () => {
    const options = {
      overrides: [
        { nodes: 'nid[000001-000003]', class: 'service_node', role: 'viz' },
        { type: 'quantum', class: 'node', role: 'qpu' },
        { template: 'CN', group: 'uan', class: 'service_node', role: 'login' },
      ],
    };
    expect(await classOf(node('x1000c0s0b0n0', { aliases: { nid: 'nid000002' } }), options)).toBe('node service_node viz');
    expect(await classOf(node('q1', { type: 'Quantum' }), options)).toBe('node node qpu');
    const dump = { nodes: [node('n1'), node('n2')], systemGroups: [{ name: 'UAN', nodes: [{ name: 'n2' }] }] };
    const result = await collect([input('dump.json', dump)], { options });
    // All that an override names must hold.
    expect(factsOf(result, 'n1')).toMatchObject({ class: 'node', role: 'compute' });
    expect(await classOf(node('n3', { templateName: 'other' }), { overrides: [{ nodes: 'n3', template: 'cn', class: 'dpu' }] })).toBe(
      'node node compute',
    );
    expect(factsOf(result, 'n2')).toMatchObject({ class: 'service_node', role: 'login' });
  });

  it('refuses an override that says nowhere what it is for, or is no node set', () => {
    const parse = (override: JsonObject): boolean => hpcmInventory.options.safeParse({ overrides: [override] }).success;
    expect(parse({ nodes: 'n[1-2]', class: 'node' })).toBe(true);
    expect(parse({ class: 'node' })).toBe(false);
    expect(parse({ nodes: 'n1' })).toBe(false);
    expect(parse({ nodes: 'n[1-', class: 'node' })).toBe(false);
    expect(parse({ nodes: 'n1', class: 'toaster' })).toBe(false);
  });
});

describe('names and places', () => {
  const one = async (over: JsonObject, name = 'n1'): Promise<JsonObject | undefined> =>
    factsOf(await collect([input('nodes.json', [node(name, over)])]), name.toLowerCase());

  it('takes the xname from the inventory, then the geographic alias, then the name', async () => {
    const alias = { 'cm-geo-name': 'x1000c0s0b0n1' };
    expect(await one({ aliases: alias, inventory: { geoloc: 'X2000C1S2B0N0' } })).toMatchObject({
      xname: 'x2000c1s2b0n0',
      place: { rack: 'x2000' },
    });
    expect(await one({ aliases: alias, inventory: { geoloc: '' } })).toMatchObject({ xname: 'x1000c0s0b0n1', aliases: ['x1000c0s0b0n1'] });
    expect(await one({}, 'x7c0s0b0n0')).toMatchObject({ xname: 'x7c0s0b0n0' });
    expect(await one({})).not.toHaveProperty('xname');
  });

  it('takes xnames of five digits', async () => {
    const result = await collect([input('nodes.json', [node('X12000c0s1b0n1'), node('x12000c0s1b0', { type: 'unknown' })])]);
    expect(result.summary).toMatchObject({ classes: { node: 1, bmc: 1 } });
    expect(factsOf(result, 'x12000c0s1b0n1')?.['place']).toMatchObject({ rack: 'x12000', slot: 'x12000c0s1' });
  });

  it('reads HPCM coordinates as far as they go, with 0 a place and null none', async () => {
    const location = (rack: unknown, chassis: unknown, tray: unknown, controller: unknown): JsonObject => ({
      location: { rack, chassis, tray, controller, node: 0 } as JsonObject,
    });
    expect((await one(location(0, 0, 0, 0)))?.['place']).toEqual({ rack: 'x0', chassis: 'x0c0', slot: 'x0c0s0', board: 'x0c0s0b0' });
    expect((await one(location(3000, null, null, null)))?.['place']).toEqual({ rack: 'x3000' });
    expect((await one(location(3000, null, 5, 0)))?.['place']).toEqual({ rack: 'x3000' });
    expect((await one(location('1000', '1', null, null)))?.['place']).toEqual({ rack: 'x1000', chassis: 'x1000c1' });
    expect(await one(location(null, 0, 0, 0))).not.toHaveProperty('place');
    expect(await one({ location: null })).not.toHaveProperty('place');
  });

  it('strips domains and case, and takes no product for a name', async () => {
    const result = await collect([
      input('nodes.json', [
        node('N1.hsn.cm.demo.test', { aliases: { product: 'DL_380_gen11', fmn: 'FMN-standby', nid: 'nid000007.hsn.cm.demo.test' } }),
      ]),
    ]);
    expect(factsOf(result, 'n1')).toMatchObject({ aliases: ['fmn-standby', 'nid000007'], nid: 7 });
  });

  it('leaves placeholder addresses out', async () => {
    const facts = await one({
      network: {
        macAddress: '02-00-00-00-00-0A',
        nics: [
          { type: 'mgmt', macAddress: '00:00:00:00:00:00' },
          { type: 'mgmt-bmc', macAddress: '02:00:00:00:01:0a' },
          { type: 'data', macAddress: '02000000000b' },
        ],
      },
      management: { cardIpAddress: '0.0.0.0', cardMacAddress: null },
    });
    expect(facts).toMatchObject({ macs: ['02:00:00:00:00:0a', '02:00:00:00:00:0b'], bmcMac: '02:00:00:00:01:0a' });
    expect(facts).not.toHaveProperty('bmc');
    for (const bad of ['default', 'fe80::1', '127.0.0.1', '::', 'None']) {
      expect(await one({ management: { cardIpAddress: bad } })).not.toHaveProperty('bmc');
    }
    expect(await one({ management: { cardIpAddress: 'FD00::A1' } })).toMatchObject({ bmc: 'fd00::a1' });
  });

  it('keeps names that JavaScript has a use for', async () => {
    const text =
      '[{"name": "__proto__", "type": "compute", "image": null, "aliases": {"__proto__": "constructor"}}, {"name": "toString", "type": "compute", "image": {"name": "cos"}}]';
    const result = await collect([
      input('nodes.json', text),
      input('p.txt', '__proto__ : Off\ntostring : BOOTED\n'),
      input('i.json', '{"__proto__": {"sys.Serial Number": "S1234", "__proto__.Version": "1"}}', { role: 'inventory' }),
    ]);
    expect(found(result)).toEqual(['warning node_off node:__proto__', 'warning node_unassigned node:__proto__']);
    expect(factsOf(result, '__proto__')).toMatchObject({ aliases: ['constructor'], serial: 'S1234' });
  });
});

describe('each input alone', () => {
  it('cm power status: states, failures, and lines that are none', async () => {
    const text =
      'compute01    : BOOTED\ncompute02    : On\ncompute03: FAILURE:  power on : Unable to get Chassis Power Status\n\ncompute04    : Off\ncompute05    : PoweringOn\ncompute06    : Standby\nno state here\nx1000c0      : On\ncompute07    : a sentence that is no state of anything at all\n';
    const result = await collect([input('power.txt', text)]);
    expect(found(result)).toEqual(['warning node_off node:compute04']);
    expect(result.summary['power']).toEqual({
      asked: 6,
      booted: 1,
      on: 1,
      off: 1,
      changing: 1,
      unknown: 2,
      on_not_booted: { count: 1, nodes: 'compute02' },
      off_nodes: { count: 1, nodes: 'compute04' },
      unknown_nodes: { count: 2, nodes: 'compute[03,06]' },
    });
    expect(problems(result, 'record')).toEqual([
      'power.txt: line 8: is no line of power status (NAME : STATE)',
      'power.txt: line 10: has no known state',
    ]);
    expect(result.coverage).toMatchObject({ records: 9, rejected: 2, observed: { node: 'compute[01-06]' } });
  });

  it('a state counts before a failure of the tool, wherever that stands', async () => {
    const result = await collect([
      input('power.txt', 'n1: FAILURE: power off : timeout\nn1 : Off\nn2 : Off\nn2: FAILURE: power on : timeout\n'),
    ]);
    expect(found(result)).toEqual(['warning node_off node:n1', 'warning node_off node:n2']);
  });

  it('kernel command lines: IMAGE= before BOOT_IMAGE=, and a disk tells its kernel alone', async () => {
    const lines = [
      'n1: BOOT_IMAGE=images/cos/vmlinuz-5.14 IMAGE=cos HOSTNAME=other ro',
      'n2: BOOT_IMAGE=images/cos/vmlinuz-5.13 quiet',
      'n3: BOOT_IMAGE=(hd0,gpt2)/boot/vmlinuz-5.12 root=UUID=1',
      'BOOT_IMAGE=images/old/vmlinuz IMAGE=old HOSTNAME=n4.hsn.cm.demo.test panic=10 oops=panic',
      'n1: btime 1795000000',
      'n3: Linux version 5.12.1-default (geeko@buildhost)',
      'BOOT_IMAGE=images/old/vmlinuz IMAGE=old ro',
      'n5: bash: cat: command not found',
    ].join('\n');
    const result = await collect([input('cmdline.txt', lines)]);
    expect(factsOf(result, 'n1')).toMatchObject({ bootedImage: 'cos', bootedKernel: '5.14' });
    expect(factsOf(result, 'n2')).toMatchObject({ bootedImage: 'cos', bootedKernel: '5.13' });
    expect(factsOf(result, 'n3')).toMatchObject({ bootedKernel: '5.12.1-default' });
    expect(factsOf(result, 'n3')).not.toHaveProperty('bootedImage');
    expect(factsOf(result, 'n4')).toMatchObject({ bootedImage: 'old' });
    expect(factsOf(result, 'n4')).not.toHaveProperty('bootedKernel');
    expect(problems(result, 'record')).toEqual([
      'cmdline.txt: line 7: does not say which node it is of',
      'cmdline.txt: line 8: is no kernel command line',
    ]);
  });

  it('what nodes run, as JSON', async () => {
    const result = await collect([
      input(
        'booted.json',
        {
          n1: 'BOOT_IMAGE=images/cos/vmlinuz-5.14 IMAGE=cos',
          n2: { image: 'cos', kernel: '5.15', boot_time: 1_795_000_000 },
          n3: 'cos',
          n4: 7,
          '': 'cos',
        },
        { role: 'boot' },
      ),
    ]);
    expect(['n1', 'n2', 'n3'].map((n) => factsOf(result, n)?.['bootedImage'])).toEqual(['cos', 'cos', 'cos']);
    expect(factsOf(result, 'n2')).toMatchObject({ bootedKernel: '5.15' });
    expect(problems(result, 'record')).toEqual([
      'booted.json: entry 4: says nothing of what the node runs',
      'booted.json: entry 5: has no usable name',
    ]);
  });

  it('cm inventory: keys with spaces, placeholders, empty records', async () => {
    const flat = {
      geoloc: 'x1000c0s0b0n0',
      'bios.Vendor': 'HPE',
      'bios.Version': '1.8.2',
      'bios.Characteristics': '',
      'cpu.Proc 1.Core Count': '64',
      'mac.mgmt': '02:00:00:00:00:0B',
      'fru.Name': 'Node0',
      'fru.Serial Number': 'HA21480012',
      'fru.system.SKU': 'NA',
      'sys.serial_number': '....................',
      'chassis.Serial Number': 'SHARED1',
      'dimm.DIMM 1.Serial Number': '45C6B5B',
      'dimm.DIMM 2.Serial Number': 'Not Specified',
      'dimm.DIMM 2.Size': 'No Module Installed',
      'dimm.DIMM 3.Size': '64 GB',
      'gpu.model': 'MI250X',
      'gpu.GPU 0.serialNumber': '0000',
      'gpu.GPU 0.model': 'MI250X',
      'fw.BMC': '1.9',
      'fw.NIC 0.Firmware Version': '1.5.41',
    };
    const result = await collect([input('inventory.json', { n1: flat, n2: {}, n3: { 'fru.Serial Number': 'NA' }, n4: 'text', '': {} })]);
    expect(factsOf(result, 'n1')).toEqual({
      class: 'node',
      aliases: ['x1000c0s0b0n0'],
      xname: 'x1000c0s0b0n0',
      role: 'compute',
      macs: ['02:00:00:00:00:0b'],
      serial: 'HA21480012',
      dimms: 2,
      gpus: 1,
      parts: { 'dimm.DIMM 1': '45C6B5B' },
      firmware: { bios: '1.8.2', BMC: '1.9', 'NIC 0': '1.5.41' },
      place: { rack: 'x1000', chassis: 'x1000c0', slot: 'x1000c0s0', board: 'x1000c0s0b0' },
    });
    expect(found(result)).toEqual(['info inventory_unreadable cluster:democluster']);
    expect(problems(result, 'record')).toEqual([
      'inventory.json: entry 4: is no object of keys and values',
      'inventory.json: entry 5: has no usable name',
    ]);
  });

  it('the combined dump: groups, controllers, images', async () => {
    const dump = {
      controllers: [{ name: 'x1000c0s0b0', type: 'none', ipAddress: '10.1.1.1', macAddress: '02:00:00:00:04:01' }, { name: 'n1' }],
      customGroups: [{ name: 'lustre-clients', nodes: [{ name: 'n1' }] }],
      imageGroups: [imageGroup('cos', { nodes: [{ name: 'n1' }] })],
      nodes: [node('n1'), node('n2'), node('gone', { deletionTime: '2026-01-01T00:00:00.000+00:00' })],
      systemGroups: [{ name: 'gpu', nodes: ['n2'] }, { nodes: [] }],
      nics: [],
    };
    const result = await collect([input('cmdb.json', dump)]);
    expect(result.summary).toMatchObject({
      entries: 3,
      deleted: 1,
      classes: { node: 2, bmc: 1 },
      images: { known: 1, populations: [{ of: 'system group gpu' }, { of: 'template cn' }] },
    });
    expect(factsOf(result, 'x1000c0s0b0')).toMatchObject({ class: 'bmc', bmc: '10.1.1.1', bmcMac: '02:00:00:00:04:01' });
    expect(problems(result, 'record')).toEqual(['cmdb.json: /systemGroups/1: has no usable name']);
    expect(result.coverage.observed['node']).toBe('all');
  });

  it('image groups', async () => {
    const result = await collect([input('imagegroups.json', [imageGroup('cos'), imageGroup('svc')])]);
    expect(result.summary).toMatchObject({ entries: 0, images: { known: 2 } });
    expect(found(result)).toEqual([]);
  });
});

describe('the cluster definition', () => {
  const definition = [
    '# written by discover --show-configfile',
    '[templates]',
    'name=cn, rootfs=tmpfs, image=cos, kernel=5.14, bmc_password=x',
    '[nic_templates]',
    'template=cn, network=hsn, net_ifs="hsn0,hsn1"',
    '[discover]',
    'hostname1=nid000001, internal_name=service2010000000, template_name=cn, rack_nr=0, chassis=0, tray=0, node_nr=0, controller_nr=0, node_controller=x0c0s0b0, alias_groups="cm-geo-name:x0c0s0b0n0,product:EX425", mgmt_net_macs="02:00:00:00:00:0B,02:00:00:00:00:0C"',
    'internal_name=pdu-x3000-001, mgmt_bmc_net_name=head-bmc, geolocation="cold isle 4, rack 1",mgmt_bmc_net_macs=02:00:00:00:02:01,hostname1=pdu-x3000-001, pdu_protocol="snmp/XXXX"',
    'temponame=mgmtsw0, mgmt_net_name=head, type=spine, ice=yes',
    'internal_name=ctl7, hostname1=ctl7, node_controller',
    'hostname1=nid000002, template_name=cn, image=other, kernel=5.15, hostname1=shadowed',
    '; hostname1=comment',
    'image=cos, rack_nr=1',
    `hostname1=nid000003, template_name=cn, comment="${'x'.repeat(100_000)}"`,
    '[networks]',
    'name=hostmgmt, type=mgmt',
  ];

  it.each(['\n', '\r\n'])('is read line by line (ends %j)', async (end) => {
    const result = await collect([input('cluster.conf', definition.join(end))]);
    expect(result.summary).toMatchObject({ entries: 6, complete: false, classes: { node: 3, bmc: 1, spine_switch: 1, pdu: 1 } });
    expect(factsOf(result, 'nid000001')).toEqual({
      class: 'node',
      aliases: ['x0c0s0b0n0'],
      xname: 'x0c0s0b0n0',
      nid: 1,
      role: 'compute',
      macs: ['02:00:00:00:00:0b', '02:00:00:00:00:0c'],
      image: 'cos',
      kernel: '5.14',
      rootFs: 'tmpfs',
      place: { rack: 'x0', chassis: 'x0c0', slot: 'x0c0s0', board: 'x0c0s0b0' },
    });
    expect(factsOf(result, 'nid000002')).toMatchObject({ image: 'other', kernel: '5.15' });
    expect(problems(result, 'record')).toEqual(['cluster.conf: line 13: names no entry (hostname1, internal_name, temponame)']);
    expect(result.coverage).toMatchObject({ records: 7, rejected: 1 });
  });

  it('fills what the node list leaves open, and adds no node to it', async () => {
    const list = [
      node('nid000001', { aliases: { a: 'own' }, image: { name: 'new', kernel: '6.0' } }),
      { name: 'nid000002', internalName: 'service2' },
    ];
    const result = await collect([input('nodes.json', list), input('cluster.conf', definition.join('\n'))]);
    expect(factsOf(result, 'nid000001')).toMatchObject({
      image: 'new',
      kernel: '6.0',
      xname: 'x0c0s0b0n0',
      aliases: ['own', 'x0c0s0b0n0'],
    });
    expect(factsOf(result, 'nid000002')).toMatchObject({ image: 'other', kernel: '5.15' });
    expect(result.summary).toMatchObject({ classes: { node: 2, bmc: 1, pdu: 1 } });
    expect(problems(result, 'note')).toEqual(['the cluster definition names 2 that the node list does not have: mgmtsw0, nid000003']);
    expect(result.coverage.observed['host']).toBe('nid[000001-000002]');
  });
});

describe('joining inputs', () => {
  it('finds nodes by alias and xname, and keeps ambiguous names apart', async () => {
    const list = [
      node('a1', { aliases: { nid: 'nid000001', shared: 'both' } }),
      node('a2', { aliases: { 'cm-geo-name': 'x1000c0s0b0n1', shared: 'both' } }),
    ];
    const result = await collect([
      input('nodes.json', list),
      input('power.txt', 'nid000001 : BOOTED\nX1000C0S0B0N1 : On\nboth : Off\nstranger : Off\n'),
    ]);
    expect(factsOf(result, 'a1')).toMatchObject({ power: 'booted' });
    expect(factsOf(result, 'a2')).toMatchObject({ power: 'on' });
    expect(found(result)).toEqual([]);
    expect(problems(result, 'note')).toEqual([
      'cm power status names 2 that the node list does not have: both, stranger',
      '1 names stand for several entries each and join none: both',
    ]);
  });

  it('does not take the node list for complete where an image group has more members', async () => {
    const all = async (members: string[]): Promise<Result> =>
      collect([input('nodes.json', nodes(2)), input('images.json', [imageGroup('cos', { nodes: members.map((name) => ({ name })) })])]);
    expect((await all([nodeName(0), nodeName(1)])).coverage.observed['node']).toBe('all');
    const short = await all([nodeName(0), nodeName(1), nodeName(2)]);
    expect(short.coverage.observed['node']).toBe('x1000c0s0b0n[0-1]');
    expect(problems(short, 'note')).toEqual([
      'image groups have 1 members that the node list does not have (x1000c0s0b1n0): the list is not taken for complete',
    ]);
  });

  it('is dated by the oldest list that changes with events', async () => {
    const at = (hour: number): { mtime: string } => ({ mtime: `2026-11-30T0${hour}:00:00.000Z` });
    const result = await collect([
      input('nodes.json', nodes(1), at(7)),
      input('power.txt', `${nodeName(0)} : On`, at(6)),
      input('cluster.conf', '[discover]\nhostname1=x\n', { mtime: '2026-01-01T00:00:00.000Z' }),
      input('inv.json', { [nodeName(0)]: { 'bios.Version': '1' } }, { mtime: '2026-11-20T02:00:00.000Z' }),
    ]);
    expect(result.asOf).toBe(Date.parse('2026-11-30T06:00:00Z'));
    expect(problems(result, 'note')).toContain('cm inventory is of 2026-11-20T02:00:00.000Z: hardware is not judged by anything newer');
    expect((await collect([input('nodes.json', nodes(1))])).asOf).toBeUndefined();
  });
});
