import type { JsonObject } from '../../model/json.ts';
import type { ConditionDraft } from '../../model/condition.ts';
import type { Completeness } from '../oneview/pages.ts';
import { setJson, tally } from '../oneview/sets.ts';
import { type FirmwareGroup, firmwareSummary } from './firmware.ts';
import type { Enclosure } from './frames.ts';
import type { SharedSerial } from './serials.ts';
import type { Server } from './server.ts';

export interface Digested {
  servers: readonly Server[];
  enclosures: readonly Enclosure[];
  racks: number;
  groups: readonly FirmwareGroup[];
  shared: readonly SharedSerial[];
  conditions: readonly ConditionDraft[];
  completeness: Completeness;
}

const MAX_SERIALS = 5;

/** The summary: counts by word, and folded sets of the servers that something is wrong with. */
export function summarise({ servers, enclosures, racks, groups, shared, conditions, completeness }: Digested): JsonObject {
  const having = (kind: string): JsonObject => setJson(conditions.filter((c) => c.kind === kind).map((c) => c.subject.id));
  const withStatus = (status: string): JsonObject =>
    setJson(servers.filter((s) => s.status?.toLowerCase() === status).map((s) => s.subject.id));
  return {
    servers: servers.length,
    collection: {
      stated: completeness.stated,
      collected: completeness.collected,
      missing: completeness.missing,
      complete: completeness.proven,
    },
    status: tally(servers.map((s) => s.status)),
    state: tally(servers.map((s) => s.state)),
    power: tally(servers.map((s) => s.powerState)),
    refresh: tally(servers.map((s) => s.refreshState)),
    management: tally(servers.map((s) => s.mp.state ?? null)),
    models: tally(
      servers.map((s) => s.model),
      6,
    ),
    critical: withStatus('critical'),
    warning: withStatus('warning'),
    off: having('server_off'),
    unreachable: having('management_unreachable'),
    stale: having('refresh_stale'),
    error_states: having('server_state'),
    firmware: { groups: groups.length, split: groups.filter((g) => g.versions.length > 1).length, shown: firmwareSummary(groups) },
    serials: {
      shared: shared.length,
      shown: shared.slice(0, MAX_SERIALS).map(({ key, names }) => ({ serial: key.slice(0, 60), ...setJson(names, 120) })),
      placeholders: having('serial_placeholder'),
    },
    enclosures: { count: enclosures.length, status: tally(enclosures.map((e) => e.status)), degraded: having('redundancy_degraded') },
    racks,
  };
}
