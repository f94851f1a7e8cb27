import { subjectId } from '../../model/identity.ts';
import { canonicalXname } from '../../model/xname.ts';
import { addAlias, addMac, emptyRecord, type Location, type NodeRecord } from './records.ts';
import type { Tally } from './tally.ts';
import { address, flag, imageWord, integer, word } from './values.ts';
import { macAddress } from '../../model/facts.ts';

// The keys that are read. Everything else is dropped unread: lines hold BMC passwords and SNMP communities.
const KEYS = new Set([
  'name',
  'hostname1',
  'internal_name',
  'temponame',
  'alias1',
  'template_name',
  'alias_groups',
  'type',
  'image',
  'kernel',
  'rootfs',
  'rack_nr',
  'chassis',
  'tray',
  'controller_nr',
  'node_nr',
  'mgmt_net_macs',
  'mgmt_bmc_net_macs',
  'mgmt_bmc_net_ip',
  'su_leader',
  'su_leader_role',
]);
// Bare words that make an entry a controller. `node_controller=NAME`, with a value, only says which one serves a node.
const CONTROLLER_FLAGS = new Set(['node_controller', 'switch_controller', 'external_switch_controller']);
const MAX_LINE = 256 * 1024;

type Fields = Map<string, string>;

/** `[section]` at a line's begin: what a cluster definition file is recognised by. */
export const SECTION = /^[ \t]*\[(?:templates|nic_templates|discover|networks|dns|attributes|images)\][ \t]*$/m;

/**
 * Reads a cluster definition (`discover --show-configfile`): sections, one entry a line, `key=value` separated by commas,
 * values with commas in quotes, bare words as flags, keys in any order. What an entry does not say, its template does.
 */
export function readDefinition(text: string, input: string, tally: Tally, domains: readonly string[]): NodeRecord[] {
  const templates = new Map<string, Fields>();
  const entries: { fields: Fields; line: number }[] = [];
  let section = '';
  text.split(/\r?\n/).forEach((raw, i) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) return;
    const heading = /^\[([a-z_]{1,40})\]$/i.exec(line);
    if (heading) {
      section = (heading[1] as string).toLowerCase();
      return;
    }
    if (section !== 'templates' && section !== 'discover') return;
    const fields = line.length > MAX_LINE ? null : readLine(line);
    if (section === 'discover') tally.records++;
    if (fields === null) {
      if (section === 'discover') tally.reject(input, `line ${i + 1}`, 'has a quote that never ends, or is too long');
    } else if (section === 'templates') {
      const name = word(fields.get('name'))?.toLowerCase();
      if (name !== undefined) templates.set(name, fields);
    } else entries.push({ fields, line: i + 1 });
  });
  const records: NodeRecord[] = [];
  for (const { fields, line } of entries) {
    const template = word(fields.get('template_name'))?.toLowerCase();
    const entry = toRecord(fields, template === undefined ? undefined : templates.get(template), domains);
    if (entry === null) tally.reject(input, `line ${line}`, 'names no entry (hostname1, internal_name, temponame)');
    else records.push(entry);
  }
  return records;
}

/**
 * Splits one line into its allowed keys. The first of repeated keys counts; a flag's value is ''.
 * @returns null where a quote never ends
 */
function readLine(line: string): Fields | null {
  const fields: Fields = new Map();
  let at = 0;
  while (at < line.length) {
    const end = endOfItem(line, at);
    if (end < 0) return null;
    addItem(fields, line.slice(at, end).trim());
    at = end + 1;
  }
  return fields;
}

/** Where the item that begins at `from` ends: at a comma outside quotes, or at the line's end; -1 inside a quote. */
function endOfItem(line: string, from: number): number {
  let quote = '';
  for (let at = from; at < line.length; at++) {
    const c = line.charAt(at);
    if (quote !== '') {
      if (c === quote) quote = '';
    } else if (c === '"' || c === "'") quote = c;
    else if (c === ',') return at;
  }
  return quote === '' ? line.length : -1;
}

function addItem(fields: Fields, item: string): void {
  const equals = item.indexOf('=');
  const key = (equals < 0 ? item : item.slice(0, equals)).trim().toLowerCase();
  if (equals < 0) {
    if (CONTROLLER_FLAGS.has(key)) fields.set('controller', '');
    return;
  }
  // That it has one makes it a PDU; the value holds the SNMP community.
  if (key === 'pdu_protocol') fields.set('pdu', '');
  if (!KEYS.has(key) || fields.has(key)) return;
  fields.set(
    key,
    item
      .slice(equals + 1)
      .trim()
      .replaceAll(/["']/g, ''),
  );
}

function toRecord(own: Fields, template: Fields | undefined, domains: readonly string[]): NodeRecord | null {
  const get = (key: string): string | undefined => own.get(key) ?? template?.get(key);
  const names = ['hostname1', 'internal_name', 'temponame', 'alias1'].map((key) => subjectId('node', own.get(key), domains));
  const id = names.find((n) => n !== null);
  if (id === undefined || id === null) return null;
  const out = emptyRecord(id);
  out.xname = canonicalXname(id) ?? undefined;
  for (const pair of (own.get('alias_groups') ?? '').split(',')) {
    const colon = pair.indexOf(':');
    const key = pair.slice(0, Math.max(colon, 0)).trim();
    if (key === 'product') out.hasProduct = true;
    else if (colon > 0) addAlias(out, pair.slice(colon + 1), key === 'cm-geo-name', domains);
  }
  out.type = word(get('type'))?.toLowerCase();
  out.template = word(own.get('template_name'))?.toLowerCase();
  const image = imageWord(get('image'));
  if (image !== undefined) {
    out.image = image;
    out.kernel = imageWord(get('kernel'));
  }
  out.rootFs = word(get('rootfs'))?.toLowerCase();
  out.location = readLocation(own);
  for (const mac of (own.get('mgmt_net_macs') ?? '').split(',')) addMac(out, mac);
  out.bmcMac = macAddress((own.get('mgmt_bmc_net_macs') ?? '').split(',')[0]) ?? undefined;
  out.bmc = address(own.get('mgmt_bmc_net_ip'));
  out.isSuLeader = flag(get('su_leader_role')) ?? false;
  out.isController = own.has('controller');
  out.isPdu = own.has('pdu') || (template?.has('pdu') ?? false);
  return out;
}

/** `rack_nr=0` and an absent `rack_nr` differ. */
function readLocation(fields: Fields): Location | undefined {
  const location: Location = {};
  for (const [key, name] of [
    ['rack', 'rack_nr'],
    ['chassis', 'chassis'],
    ['tray', 'tray'],
    ['controller', 'controller_nr'],
    ['node', 'node_nr'],
  ] as const) {
    const n = integer(fields.get(name));
    if (n !== undefined) location[key] = n;
  }
  return Object.keys(location).length === 0 ? undefined : location;
}
