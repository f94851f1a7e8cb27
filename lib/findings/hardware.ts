import { blindness, type SourceView } from './observe.ts';
import { namesOf } from './summary-reader.ts';

const SERVERS = 'oneview_inventory';
const ALERTS = 'oneview_alerts';

/** Kinds that say that what OneView shows of a server may be old. */
const UNSURE: ReadonlySet<string> = new Set(['management_unreachable', 'refresh_stale', 'server_state']);

/** What the hardware's management tells of servers, where it is fresh. */
export interface Hardware {
  servers: ReadonlySet<string>;
  on: ReadonlySet<string>;
  off: ReadonlySet<string>;
  /** Servers whose status is not OK, with it. */
  unwell: ReadonlyMap<string, string>;
  /** Servers with an open alert; null where the list of alerts is old or not complete. */
  alerted: ReadonlySet<string> | null;
  alertsWhy: string;
  asOf: number;
}

/** The hardware's view of this tick, or why there is none to go by. */
export function hardwareOf(sources: readonly SourceView[], now: number): Hardware | { why: string } {
  const servers = freshSnapshot(sources, SERVERS, now);
  if ('why' in servers) return servers;
  const { conditions, coverage, asOf } = servers;
  const named = (...kinds: string[]): Set<string> => new Set(conditions.filter((c) => kinds.includes(c.kind)).map((c) => c.subject.id));
  const unsure = new Set(conditions.filter((c) => UNSURE.has(c.kind)).map((c) => c.subject.id));
  const known = new Set([...namesOf(coverage.observed['node'])].filter((name) => !unsure.has(name)));
  const off = named('server_off');
  const alerts = freshSnapshot(sources, ALERTS, now);
  const isComplete = !('why' in alerts) && alerts.coverage.observed['node'] === 'all';
  return {
    servers: known,
    on: new Set([...known].filter((name) => !off.has(name))),
    off: new Set([...off].filter((name) => !unsure.has(name))),
    unwell: new Map(
      conditions
        .filter((c) => c.kind === 'server_status' && c.severity !== 'info')
        .map((c) => [c.subject.id, String(c.values['status'] ?? 'not OK')] as const)
        .filter(([name]) => known.has(name)),
    ),
    alerted: isComplete ? new Set(alerts.conditions.map((c) => c.subject.id)) : null,
    alertsWhy: 'why' in alerts ? alerts.why : `${ALERTS} does not prove that it has every open alert`,
    asOf: Date.parse(asOf),
  };
}

function freshSnapshot(sources: readonly SourceView[], source: string, now: number): NonNullable<SourceView['snapshot']> | { why: string } {
  const view = sources.find((s) => s.source === source);
  if (!view) return { why: `${source} is not configured` };
  const why = blindness(view, now);
  if (why !== null || view.snapshot === null) return { why: why ?? `${source} was not collected` };
  return view.snapshot;
}
