import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from './json.ts';
import { cleanName } from './text.ts';

/** Types of subject whose names are host names: compared in lower case, without the site's `node_domains`. */
const NODE_LIKE = new Set(['node', 'service_node', 'bmc', 'switch', 'chassis', 'pdu', 'cdu', 'rack', 'leader', 'admin', 'dpu']);

/** The first 16 bytes, in hex, of the SHA-256 over canonical JSON: every id of ours is made this way. */
export function hashId(parts: readonly string[]): string {
  if (parts.some((p) => p === '')) throw new TypeError('an identity has no empty part');
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(parts))).slice(0, 16));
}

/** {@link sha256Hex} by the platform itself: many times as fast for what is long. */
export async function digestHex(data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  return bytesToHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

/** SHA-256 in hex over the UTF-8 bytes of a text, or over bytes. */
export function sha256Hex(data: string | Uint8Array): string {
  return bytesToHex(sha256(typeof data === 'string' ? utf8ToBytes(data) : data));
}

/**
 * The id of a subject, as its source gives the name: NFC, trimmed; node-like types lower-case and without domain.
 * @param nodeDomains the site's `node_domains`, without leading dot
 * @returns null where the name is none (see {@link cleanName})
 */
export function subjectId(type: string, rawName: unknown, nodeDomains: readonly string[] = []): string | null {
  const name = cleanName(rawName);
  if (name === null || !NODE_LIKE.has(type)) return name;
  const lower = name.toLowerCase();
  // Nearly every name of a fleet: as it is, and without any domain.
  if (nodeDomains.length === 0 || !lower.includes('.')) return lower === name ? name : cleanName(lower);
  // Of nested domains the longest counts, so that the order in the configuration changes no id.
  const suffix = nodeDomains
    // A name that a resolver took for complete ends in a dot.
    .map((domain) => `.${domain.toLowerCase()}${lower.endsWith('.') ? '.' : ''}`)
    .filter((end) => lower.endsWith(end) && lower.length > end.length)
    .reduce((longest, end) => (end.length > longest.length ? end : longest), '');
  return cleanName(lower.slice(0, lower.length - suffix.length));
}

export interface ConditionIdentity {
  cluster: string;
  kind: string;
  subject: { type: string; id: string };
  part?: string | undefined;
}

/** The stable id of a condition: of typed key parts alone, never of severity, value, text or time. */
export function conditionId({ cluster, kind, subject, part }: ConditionIdentity): string {
  const parts = ['v1', cluster, kind, subject.type, subject.id];
  return hashId(part === undefined ? parts : [...parts, part]);
}

/** The id of a group: the place that its findings share. */
export function groupId(cluster: string, kind: string, place: { type: string; id: string }): string {
  return hashId(['g1', cluster, kind, place.type, place.id]);
}
