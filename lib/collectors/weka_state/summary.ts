import type { ConditionDraft } from '../../model/condition.ts';
import type { JsonObject } from '../../model/json.ts';
import { toIso } from '../../model/time.ts';
import { type Capacity, capacitySummary } from './capacity.ts';
import { type Frame, known } from './digest.ts';
import { degradedReasons, healthOf, holding, tolerated } from './health.ts';
import { isProtectionWhole, type Licence, type Status } from './status.ts';

/** What the status says, in the form that is the same for every version and way of asking. */
export function statusSummary(status: Status, capacity: Capacity, conditions: readonly ConditionDraft[], frame: Frame): JsonObject {
  const { drives, ioNodes, buckets, containers, backends, clients, processes, blacklisted } = status;
  const pair = (ratio: typeof drives): JsonObject | null => (ratio === null ? null : { active: ratio.active, total: ratio.total });
  return known({
    name: status.name,
    release: status.release,
    health: healthOf(status, conditions),
    status: status.status,
    io: known({ status: status.ioStatus, since: status.ioSince === null ? null : toIso(status.ioSince) }),
    reasons: degradedReasons(status, frame),
    protection: protectionSummary(status),
    counters: known({
      drives: pair(drives),
      ioProcesses: pair(ioNodes),
      buckets: pair(buckets),
      containers: pair(containers),
      backends: pair(backends),
      clients: pair(clients),
      processes: processes === null ? null : known({ total: processes, blacklisted }),
    }),
    hotSpare: known({ failureDomains: status.hotSpare, bytes: status.hotSpareBytes }),
    capacity: capacitySummary(capacity, status),
    activity: status.activity,
    activeAlerts: status.alerts,
    upgrade: status.upgrade,
  });
}

function protectionSummary(status: Status): JsonObject {
  const waiting = holding(status.protection);
  const domains = status.failureDomains;
  return known({
    dataDrives: status.dataDrives,
    toleratedFailures: tolerated(status),
    full: waiting.length > 0 ? false : isProtectionWhole(status) ? true : null,
    waiting: waiting.map((p) => ({ failures: p.failures, percent: p.percent, mib: p.mib })),
    rebuildPercent: waiting.length === 0 ? null : status.rebuildPercent,
    unavailablePercent: status.unavailablePercent,
    unavailableMib: status.unavailableMib,
    failureDomains: domains === null ? null : known({ active: domains.active, neededToRebuild: domains.required, enough: domains.enough }),
  });
}

export function licenceSummary(licence: Licence): JsonObject {
  return known({
    mode: licence.mode,
    expiresAt: licence.expiresAt === null ? null : toIso(licence.expiresAt),
    error: licence.error,
    mayStartIo: licence.mayStartIo === false ? false : null,
  });
}
