import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { canonicalXname, placeOfXname, xnameType } from '../../lib/model/xname.ts';

describe('xnameType', () => {
  it.each([
    ['d0', 'cdu'],
    ['d0w1', 'cdu_switch'],
    ['x1000', 'cabinet'],
    ['x3000e0', 'cec'],
    ['x1002m0', 'pdu_controller'],
    ['x1002m0p1', 'pdu'],
    ['x1002m0p1j12', 'pdu_part'],
    ['x1000c7', 'chassis'],
    ['x1000c7b0', 'chassis_bmc'],
    ['x1000c0t2', 'chassis_part'],
    ['x3000c0w14', 'mgmt_switch'],
    ['x3000c0h12', 'mgmt_switch_enclosure'],
    ['x3000c0h12s1', 'mgmt_spine'],
    ['x1000c0s7', 'slot'],
    ['x1000c0s7b1', 'node_bmc'],
    ['x1000c0s7b1i0', 'node_bmc_part'],
    ['x1000c0s7b1n0', 'node'],
    ['x99999c0s7b1n0', 'node'],
    ['x1000c0s7b1n0d3', 'node_part'],
    ['x1000c0s7b1n0g1k2', 'node_part'],
    ['x1000c0r1', 'switch'],
    ['x1000c0r1b0', 'switch_bmc'],
    ['x1000c0r1a0l12', 'switch_part'],
    ['X1000C0S7B1N0', 'node'],
  ])('%s is a %s', (name, type) => expect(xnameType(name)).toBe(type));

  it.each([
    '',
    'x',
    'x1000c',
    'nid000001',
    'x1000c0s0b0n0.hsn',
    'x123456c0',
    'x1000c0s0b0n0-nmn0',
    'd0x1',
    ' x1000',
    'x1000c0s12345',
    '__proto__',
    'x-1',
  ])('%j is none', (name) => {
    expect(xnameType(name)).toBeNull();
    expect(placeOfXname(name)).toBeNull();
    expect(canonicalXname(name)).toBeNull();
  });
});

describe('placeOfXname', () => {
  it.each([
    ['x1000c0s0b1n0', { rack: 'x1000', chassis: 'x1000c0', slot: 'x1000c0s0', board: 'x1000c0s0b1' }],
    ['X1000C0S00B1N0', { rack: 'x1000', chassis: 'x1000c0', slot: 'x1000c0s0', board: 'x1000c0s0b1' }],
    ['x1000c0s0b1n0p1', { rack: 'x1000', chassis: 'x1000c0', slot: 'x1000c0s0', board: 'x1000c0s0b1', node: 'x1000c0s0b1n0' }],
    ['x1000c0s0b1', { rack: 'x1000', chassis: 'x1000c0', slot: 'x1000c0s0', board: 'x1000c0s0b1' }],
    ['x1000c0r1b0', { rack: 'x1000', chassis: 'x1000c0', switch: 'x1000c0r1' }],
    ['x3000c0w14', { rack: 'x3000', chassis: 'x3000c0', switch: 'x3000c0w14' }],
    ['x3000c0h12s1', { rack: 'x3000', chassis: 'x3000c0', switch: 'x3000c0h12s1' }],
    ['x1002m0p1', { rack: 'x1002', pdu: 'x1002m0' }],
    ['x1000c0b0', { rack: 'x1000', chassis: 'x1000c0' }],
    ['d0w1', { cdu: 'd0' }],
  ])('%s', (name, place) => expect(placeOfXname(name)).toEqual(place));

  it('tells rack 0 and chassis 0 from nothing', () => {
    expect(placeOfXname('x0c0s0b0n0')).toEqual({ rack: 'x0', chassis: 'x0c0', slot: 'x0c0s0', board: 'x0c0s0b0' });
    expect(placeOfXname('x0')).toEqual({ rack: 'x0' });
  });

  it('gives any node of any cabinet the containers that its name begins with', () => {
    const n = fc.nat(9999);
    fc.assert(
      fc.property(n, n, n, n, n, (x, c, s, b, node) => {
        const name = `x${x}c${c}s${s}b${b}n${node}`;
        const place = placeOfXname(name);
        expect(Object.values(place ?? {}).every((p) => name.startsWith(p))).toBe(true);
        expect(Object.keys(place ?? {})).toEqual(['rack', 'chassis', 'slot', 'board']);
        expect(canonicalXname(name)).toBe(name);
      }),
    );
  });

  it('takes any text without throwing', () => {
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^[xcsbnrdw0-9.-]{0,30}$/));
    fc.assert(
      fc.property(texts, (text) => {
        expect(placeOfXname(text) === null).toBe(xnameType(text) === null);
      }),
    );
  });
});
