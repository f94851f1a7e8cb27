import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../lib/model/json.ts';
import { collect, factsOf, found, input, node, nodes, problems } from './hpcm-inputs.ts';

/* What inventories hold that no document of theirs says. Names of cases are those of public collections of such records. */

describe('an odd record of the node list', () => {
  it.each<[string, Json, string]>([
    ['nullID', node('n3', { name: null }), 'has no usable name'],
    ['an id in place of the name', { id: 3, type: 'compute' }, 'has no usable name'],
    ['a name of another type', node('n3', { name: 3 }), 'has no usable name'],
    ['a name that is a list', node('n3', { name: ['n3'] }), 'has no usable name'],
    ['missingOccupant', null, 'is no object'],
    ['a list in place of the record', [node('n3')], 'is no object'],
  ])('%s costs itself alone', async (_, odd, reason) => {
    const result = await collect([input('nodes.json', [node('n1'), odd, node('n2')])]);
    expect(result.coverage).toMatchObject({ records: 3, rejected: 1, observed: { node: 'n[1-2]' } });
    expect(problems(result, 'record')).toEqual([`nodes.json: /1: ${reason}`]);
    expect(found(result)).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['missingOccupant', { inventory: null }],
    ['nullStatus', { type: null, operationalStatus: null, administrativeStatus: null, imagePending: null, managed: null, rootFs: null }],
    ['unknownFruStatus', { operationalStatus: 'Quantum', administrativeStatus: -7, monitoring: 'NATIVE', biosBootMode: 'AUTO' }],
    ['negativeOrdinal', { location: { rack: -1, chassis: -1, tray: -1, controller: -1, node: -1 } }],
    ['a UUID that is none, and other bookkeeping', { uuid: 7, id: 'x', etag: 3e10, links: null, creationTime: 'yesterday' }],
    [
      'objects that are something else',
      { aliases: ['x'], management: 'ILO', network: 3, platform: [], attributes: null, location: 'rack 3', inventory: [] },
    ],
    ['NICs that are something else', { network: { name: null, ipAddress: '0.0.0.0', nics: [null, 'eth0', { type: 3, macAddress: 7 }] } }],
    ['times that are none', { modificationTime: 'never', deletionTime: '' }],
    ['an image by its bare name', { image: 'cos' }],
  ])('%s costs nothing at all', async (_, over) => {
    const list = nodes(4);
    list[2] = { ...(list[2] as JsonObject), name: 'nid000007', ...over };
    const result = await collect([input('nodes.json', list)]);
    expect(result.coverage).toMatchObject({ records: 4, rejected: 0, observed: { node: 'all' } });
    expect(found(result)).toEqual([]);
    expect(factsOf(result, 'nid000007')).toMatchObject({ class: 'node', image: 'cos', nid: 7 });
    expect(factsOf(result, 'nid000007')).not.toHaveProperty('place');
  });
});

describe('an odd record of cm inventory', () => {
  const READ = { 'sys.Serial Number': 'DMO0001', 'dimm.DIMM 1.Serial Number': 'A1' };

  it('missingOccupant, nullID: cost themselves alone', async () => {
    const result = await collect([input('cm-inventory.json', { n1: READ, n2: null, '': READ, n3: [], n4: READ })]);
    expect(problems(result, 'record')).toEqual([
      'cm-inventory.json: entry 2: is no object of keys and values',
      'cm-inventory.json: entry 3: has no usable name',
      'cm-inventory.json: entry 4: is no object of keys and values',
    ]);
    expect(['n1', 'n4'].map((name) => factsOf(result, name)?.['serial'])).toEqual(['DMO0001', 'DMO0001']);
  });

  it.each<[string, JsonObject]>([
    ['values of another type', { 'dimm.DIMM 2.Serial Number': null, 'dimm.DIMM 3.Serial Number': 12345, 'gpu.GPU 0.model': ['MI250X'] }],
    ['a time that was taken apart at its colon', { 'Board Mfg Date : Tue Sep 10 18:03': '00 2019 PDT' }],
    ['keys without a component', { '': 'x', '.': 'x', '.Serial Number': 'X123', 'Serial Number': 'X123' }],
    ['a short text where a serial number stands', { 'gpu.GPU 0.Serial Number': 'NA', 'dimm.DIMM 2.Serial Number': 'na' }],
  ])('%s: is left out', async (_, odd) => {
    const result = await collect([input('cm-inventory.json', { n1: { ...READ, ...odd } })]);
    expect(factsOf(result, 'n1')).toEqual({ class: 'node', role: 'compute', serial: 'DMO0001', dimms: 1, gpus: undefined });
  });

  it.each([
    ['sys.serialNumber', 'sys.model'],
    ['sys.Serial Number', 'sys.model_name'],
    ['sys.serial_number', 'sys.Model'],
    ['sys.SerialNumber', 'sys.Product Name'],
    ['sys.Serial Number ', 'sys.Product Name '],
    ['fru.system.Serial Number', 'fru.system.Model'],
  ])('%j and %j are the fields that other tools call otherwise', async (serial, model) => {
    const result = await collect([input('cm-inventory.json', { n1: { [serial]: 'DMO0001', [model]: 'EX425' } })]);
    expect(factsOf(result, 'n1')).toMatchObject({ serial: 'DMO0001', model: 'EX425' });
  });
});

describe('what other commands of HPCM print', () => {
  it.each([
    [
      'fru.txt',
      'Host: n1 Serial: DMO0001\n\tBoard Mfg Date : Tue Sep 10 18:03:00 2019 PDT\n\tPower State : Off\n\nHost: x3002c0r22b0 no fru database entry\n',
    ],
    ['inventory-n.txt', 'n1.sys.Serial Number=OTHER\nn1.dimm.DIMM 1.Serial Number=A1\n'],
    [
      'nics.txt',
      'ID NAME IP MAC IPV6 BOND_MASTER BOND_MODE INTERFACE_NAME MANAGED TYPE NETWORK_NAME\n1 n1 None None None None None None True mgmt head\n',
    ],
    [
      'heartbeat',
      '2026-11-30T08:00:00-0700 admin twistd: clmgr-power:n1 EVENT:HEARTBEAT APP:clmgr-power SEV:LOG_INFO TEXT:Heartbeat not detected\n',
    ],
    ['show.txt', 'n1\nn2\nRabbit1\n'],
  ])('is left out and said: %s', async (name, text) => {
    const result = await collect([input('nodes.json', nodes(2)), input(name, text)]);
    expect(found(result)).toEqual([]);
    expect(result.coverage).toMatchObject({ records: 2, rejected: 0 });
    expect(problems(result, 'note')).toEqual([`${name}: is nothing that is known here; left out`]);
    expect(JSON.stringify(result.facts)).not.toMatch(/OTHER|DMO0001/);
  });
});

describe('a line of the cluster definition', () => {
  it.each([
    ['node_controller', 'bmc'],
    ['switch_controller', 'bmc'],
    ['external_switch_controller', 'bmc'],
    ['pdu_protocol="snmp/community"', 'pdu'],
    ['su_leader_role=yes', 'leader'],
    ['type=cooldev', 'cooling'],
  ])('with %s is of a %s', async (flag, expected) => {
    const result = await collect([input('cluster.conf', `[discover]\nhostname1=thing7,internal_name=service7, ${flag}\n`)]);
    expect(factsOf(result, 'thing7')).toMatchObject({ class: expected });
    expect(JSON.stringify(result)).not.toContain('community');
  });
});
