import type { ConditionDraft, Place } from '../../model/condition.ts';
import { compareNames } from '../../model/text.ts';
import { setText } from '../oneview/sets.ts';
import type { Server } from './server.ts';

/** Servers that claim one serial number, in the order of their names. */
export interface SharedSerial {
  key: string;
  names: string[];
}

/**
 * Serial numbers that more than one server has.
 * @param known shared serials of the last whole inventory: they hold while the present one has gaps, since the server
 *   that shares a number may be on a page that is missing
 */
export function sharedSerials(servers: readonly Server[], known: readonly SharedSerial[]): SharedSerial[] {
  const names = new Map<string, Set<string>>();
  const listed = new Set(servers.map((s) => s.subject.id));
  for (const { serialKey, subject } of servers) {
    if (serialKey === null) continue;
    const set = names.get(serialKey) ?? new Set();
    set.add(subject.id);
    names.set(serialKey, set);
  }
  for (const { key, names: before } of known) {
    const set = names.get(key);
    for (const name of before) if (!listed.has(name)) set?.add(name);
  }
  return [...names]
    .filter(([, set]) => set.size > 1)
    .map(([key, set]) => ({ key, names: [...set].sort(compareNames) }))
    .sort((a, b) => compareNames(a.key, b.key));
}

/** One condition for each server whose serial number is not its own, or that has none, or no UUID. */
export function serialConditions(
  servers: readonly Server[],
  shared: readonly SharedSerial[],
  placeOf: (server: Server) => Place | undefined,
): ConditionDraft[] {
  const byKey = new Map(shared.map((s) => [s.key, { servers: s.names.length, text: setText(s.names) }]));
  return servers.flatMap((server): ConditionDraft[] => {
    const { subject, serial, serialKey } = server;
    const place = placeOf(server);
    const at = place && { place };
    const sharing = serialKey === null ? undefined : byKey.get(serialKey);
    if (sharing) {
      const message = `${subject.id}: serial number ${serial} is that of ${sharing.servers} servers: ${sharing.text}`;
      return [{ kind: 'serial_duplicate', subject, message, values: { serial, servers: sharing.servers }, ...at }];
    }
    const lacks = [...(serialKey === null ? ['serial number'] : []), ...(server.zeroUuid ? ['UUID (all zeros)'] : [])];
    if (lacks.length === 0) return [];
    const message = `${subject.id}: no usable ${lacks.join(' and no usable ')}`;
    return [{ kind: 'serial_placeholder', subject, message, values: { serial: serialKey !== null, uuid: !server.zeroUuid }, ...at }];
  });
}
