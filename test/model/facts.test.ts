import { describe, expect, it } from 'vitest';
import { comparableSerial, hardwareText, macAddress, NodeFacts } from '../../lib/model/facts.ts';
import type { JsonObject } from '../../lib/model/json.ts';

describe('NodeFacts', () => {
  it('keeps fields that a source adds, and is plain JSON to the type checker', () => {
    const facts: JsonObject = NodeFacts.parse({ image: 'cos', place: { rack: 'x1000' }, bay: 3 });
    expect(facts).toEqual({ image: 'cos', place: { rack: 'x1000' }, bay: 3 });
  });

  it('refuses a placeholder where a value is due', () => {
    expect(NodeFacts.safeParse({ serial: '' }).success).toBe(false);
    expect(NodeFacts.safeParse({ power: 'On' }).success).toBe(false);
  });
});

describe('hardwareText', () => {
  it.each(['NA', 'N/A', 'na', 'Not Specified', 'Not Available', 'Not Provided', 'Unknown', 'UNKNOWN', 'Unspecified', 'None'])(
    '%s',
    (text) => expect(hardwareText(text)).toBeNull(),
  );
  it.each(['Default', 'Default string', 'Field not present', '', '  ', '0000000', '..................', '00:00:00', '[Unknown]', null, 7])(
    '%s',
    (text) => expect(hardwareText(text)).toBeNull(),
  );
  it('keeps what says something', () => {
    expect(hardwareText(' HPE CRAY EX425 ')).toBe('HPE CRAY EX425');
    expect(hardwareText('NAND')).toBe('NAND');
  });
});

describe('comparableSerial', () => {
  it('makes the forms of one serial equal', () => {
    expect(comparableSerial('045c6b5b')).toBe(comparableSerial('45C6B5B'));
    expect(comparableSerial(' HA 21480012 ')).toBe('HA21480012');
  });
  it.each(['12', 'NA', '0000', '.....'])('%s is none', (text) => expect(comparableSerial(text)).toBeNull());
});

describe('macAddress', () => {
  it.each(['02:00:00:00:00:0B', '02-00-00-00-00-0b', '0200.0000.000b', ' 02000000000b '])('%s', (text) =>
    expect(macAddress(text)).toBe('02:00:00:00:00:0b'),
  );
  it.each(['00:00:00:00:00:00', 'FF:FF:FF:FF:FF:FF', 'none', '02:00:00:00:00', null])('%s is none', (text) =>
    expect(macAddress(text)).toBeNull(),
  );
});
