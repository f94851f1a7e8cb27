import type { ConditionDraft, Values } from '../../model/condition.ts';
import { toIso } from '../../model/time.ts';
import { type HardwareChanges, LOSS_ACCEPTED, slotName } from './changes.ts';
import { nodesText, onEntry } from './drafts.ts';
import type { Entry } from './fleet.ts';
import { foldText } from './folding.ts';

/** What the comparison found, as conditions: at most one for a node and component. */
export function hardwareChanged({ losses, exchanges }: HardwareChanges, hosts: readonly Entry[]): ConditionDraft[] {
  const entries = new Map(hosts.map((e) => [e.id, e]));
  const drafts: ConditionDraft[] = [];
  const lost = new Set<string>();
  for (const { node, family, since, was, is, slots } of losses) {
    const entry = entries.get(node);
    if (entry === undefined) continue;
    lost.add(`${family}:${node}`);
    const missing = was - is;
    const named = slots.map(slotName).join(', ') + (missing > slots.length ? `, and ${missing - slots.length} more` : '');
    const parts = `${family.toUpperCase()}${missing === 1 ? '' : 's'}`;
    const message = `has ${is} of ${was} ${family.toUpperCase()}s since ${toIso(since)}: ${missing} ${parts} missing (${named}); after ${toIso(since + LOSS_ACCEPTED)} that counts as intended`;
    drafts.push(onEntry('inventory_changed', entry, message, { was, is, missing, slots: named }, { part: family, since: toIso(since) }));
  }
  for (const { node, component, at, message } of exchanges) {
    const entry = entries.get(node);
    if (entry === undefined || lost.has(`${component}:${node}`)) continue;
    const values: Values = { component, seen: toIso(at) };
    drafts.push(
      onEntry('inventory_changed', entry, message, values, { part: component, severity: 'info', since: toIso(at), lastSeen: toIso(at) }),
    );
  }
  return drafts;
}

/** Fewer hosts than this are single controllers that do not answer, in a fleet of any size. */
const FEW = 3;
/** Characters of folded names in one part of the message. */
const NODES_NAMED = 100;

/** One condition for all hosts whose hardware could not be read, however many there are. */
export function inventoryUnreadable(
  { unreadable, vanished, blank }: HardwareChanges,
  hosts: readonly Entry[],
  cluster: string,
  threshold: number,
): ConditionDraft[] {
  const parts: string[] = [];
  const affected = new Set(unreadable);
  if (unreadable.length > 0) {
    parts.push(
      `empty for ${nodesText(unreadable.length)} (${vanished} of them had been read before): ${foldText(unreadable, NODES_NAMED)}`,
    );
  }
  for (const [family, ids] of blank) {
    for (const id of ids) affected.add(id);
    parts.push(`without the ${family.toUpperCase()}s that it had for ${nodesText(ids.length)}: ${foldText(ids, NODES_NAMED)}`);
  }
  if (parts.length === 0) return [];
  const share = affected.size / hosts.length;
  const isMany = share >= threshold && affected.size >= FEW;
  const values: Values = {
    nodes: affected.size,
    of: hosts.length,
    share: Math.round(share * 1000) / 1000,
    had_been_read: vanished,
    limit: threshold,
  };
  return [
    {
      kind: 'inventory_unreadable',
      subject: { type: 'cluster', id: cluster },
      message: `the hardware inventory is ${parts.join('; ')}. Nothing is concluded about their hardware (${affected.size} of ${nodesText(hosts.length)}; ${isMany ? 'over' : 'under'} the limit of ${Math.round(threshold * 1000) / 10} % and ${FEW})`,
      values,
      severity: isMany ? undefined : 'info',
      evidence: [{ at: '/summary/hardware' }],
    },
  ];
}
