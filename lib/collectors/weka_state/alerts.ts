import { compareSeverity, type ConditionDraft, type Severity } from '../../model/condition.ts';
import { canonicalJson } from '../../model/json.ts';
import { cleanName, compareNames, oneLine } from '../../model/text.ts';
import { type Frame, groupBy, hostName, known, type Part, shortSet } from './digest.ts';
import type { RawRecord, Section } from './documents.ts';
import { count, flag, member, state, text } from './fields.ts';

interface Alert {
  type: string;
  muted: boolean;
  /** As Weka gives it: `MAJOR`; null on releases that do not. */
  severity: string | null;
  count: number;
  title: string | null;
  description: string | null;
  host: string | null;
  drive: string | null;
  process: string | null;
}

// Severities of alerts that come without one: our reading of docs.weka.io, "List of alerts and corrective actions".
const CRITICAL = new Set([
  'BucketHasNoQuorum',
  'BucketUnresponsive',
  'CatalogIndexFsCapacityCritical',
  'ClusterInitializationError',
  'DataIntegrity',
  'DataProtection',
  'HangingIos',
  'HighDrivesCapacity',
  'LicenseError',
  'NegativeUnprovisionedCapacity',
  'NoClusterLicense',
  'NotEnoughActiveDrives',
  'TieredFilesystemOverfillingSSD',
]);

/** Types that say how a cluster is set up, not that anything is wrong with it: the default of the option `quiet_alerts`. */
export const QUIET_ALERTS = [
  'AdminDefaultPassword',
  'BackendNumaBalancingEnabled',
  'ClientNumaBalancingEnabled',
  'CloudHealth',
  'CloudStatsError',
  'DedicatedWatchdog',
  'NoCgroupsConfigured',
  'NonTlsApisAllowed',
  'NumaBalancingEnabled',
  'SystemDefinedTLS',
  'TracesDisabled',
  'UdpModePerformanceWarning',
];

/**
 * What our own conditions say already, by the type of the alert that says it again: their kinds, and by what an alert is
 * known to speak of the same thing (null: the cluster).
 */
const ECHOES = new Map<string, { kinds: readonly string[]; same: 'drive' | 'process' | 'host' | null }>([
  ['DataProtection', { kinds: ['storage_degraded', 'storage_at_risk', 'storage_unavailable'], same: null }],
  ['DriveDown', { kinds: ['drive_failed'], same: 'drive' }],
  ['DriveEndurancePercentageUsed', { kinds: ['drive_wear'], same: 'drive' }],
  ['DriveEnduranceSparesRemaining', { kinds: ['drive_wear'], same: 'drive' }],
  ['NodeBlacklisted', { kinds: ['process_blacklisted'], same: 'process' }],
  ['NodeDisconnected', { kinds: ['container_down'], same: 'host' }],
  ['NoHotSpareFailureDomains', { kinds: ['hot_spare_exhausted'], same: null }],
]);

const TOP = 6;
const TOP_MUTED = 5;

export interface AlertOptions {
  quiet: readonly string[];
  /** The conditions of the other sections. */
  others: readonly ConditionDraft[];
  /** What the status says of protection: true where the data survive another failure, null where it says nothing. */
  protected: boolean | null;
}

/**
 * `weka alerts -J`, REST's `/alerts`, JSON-RPC's `alerts_list`: one condition for each type that is not muted. Muted ones
 * are listed in the summary and nowhere else.
 */
export function digestAlerts(section: Section | undefined, options: AlertOptions, frame: Frame): Part {
  const alerts = (section?.records ?? []).flatMap((record) => readAlert(record, section as Section, frame));
  const open = byType(alerts.filter((a) => !a.muted));
  const muted = byType(alerts.filter((a) => a.muted));
  const conditions = open.map((same) => alertCondition(same, options));
  return {
    conditions,
    facts: [],
    // The list holds every alert that there is, so that one that is not in it has ended.
    observed: section?.whole ? 'all' : null,
    summary: {
      active: alerts.filter((a) => !a.muted).reduce((n, a) => n + a.count, 0),
      types: conditions
        .toSorted((a, b) => bySeverity(a, b) || compareNames(a.subject.id, b.subject.id))
        .slice(0, TOP)
        .map((c) => known({ type: text(c.subject.id, 36), severity: c.severity, count: c.count, hosts: hostsOf(c) })),
      more: Math.max(0, conditions.length - TOP),
      muted: muted.slice(0, TOP_MUTED).map((same) => ({ type: text(same[0].type, 36), count: same.reduce((n, a) => n + a.count, 0) })),
      mutedMore: Math.max(0, muted.length - TOP_MUTED),
    },
    records: alerts.length,
  };
}

/** The worst first. */
function bySeverity(a: ConditionDraft, b: ConditionDraft): number {
  return compareSeverity(a.severity ?? 'warning', b.severity ?? 'warning');
}

function hostsOf(condition: ConditionDraft): string | null {
  const hosts = condition.values?.['hosts'];
  return typeof hosts === 'string' && hosts !== '' ? oneLine(hosts, 40) : null;
}

function readAlert({ value, input, place }: RawRecord, section: Section, frame: Frame): Alert[] {
  const type = cleanName(member(value, 'type'));
  if (type === null) {
    section.whole = false;
    frame.problems.reject('has no alert type', input, place);
    return [];
  }
  const params = member(value, 'params');
  return [
    {
      type,
      muted: flag(member(value, 'muted')) === true,
      severity: state(member(value, 'severity')),
      count: Math.max(1, count(member(value, 'count')) ?? 1),
      title: text(member(value, 'title'), 100),
      description: text(member(value, 'description'), 240) ?? text(fillIn(member(value, 'fmt'), params), 240),
      host: hostName(member(params, 'hostname'), frame),
      drive: text(member(params, 'drive_id'), 48),
      process: text(member(params, 'node_id'), 48),
    },
  ];
}

/** REST gives a text with places for its parameters: `Drive {drive_id} on host {hostname} is down`. */
function fillIn(format: unknown, params: unknown): string | null {
  if (typeof format !== 'string') return null;
  return format.slice(0, 400).replaceAll(/\{(\w{1,40})\}/g, (whole, name: string) => text(member(params, name), 60) ?? whole);
}

type Same = [Alert, ...Alert[]];

function byType(alerts: readonly Alert[]): Same[] {
  return [...groupBy(alerts, (alert) => alert.type)]
    .sort(([a], [b]) => compareNames(a, b))
    .map(([, same]) => {
      const keyed = same.map((alert) => ({ alert, key: canonicalJson(alert) }));
      return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ alert }) => alert) as Same;
    });
}

function alertCondition(same: Same, options: AlertOptions): ConditionDraft {
  const [first] = same;
  const { type } = first;
  const total = same.reduce((n, a) => n + a.count, 0);
  const words = same.find((a) => a.description !== null)?.description ?? same.find((a) => a.title !== null)?.title ?? 'no description';
  const given = worstGiven(same);
  const hosts = shortSet(same.flatMap((a) => a.host ?? []));
  const echo = echoOf(same, options.others);
  const where = same.length > 1 && hosts !== '' ? ` (on ${hosts})` : '';
  return {
    kind: 'storage_alert',
    subject: { type: 'alert', id: type },
    severity: severityOf(type, given, echo, options),
    message: `Weka alert ${type}${given === null ? '' : ` (${given})`}${total > 1 ? `, ${total} times` : ''}: ${words}${where}${echo === null ? '' : `; told by ${echo} already`}`,
    values: { severity: given, alerts: total, hosts, title: same.find((a) => a.title !== null)?.title ?? null, told_by: echo },
    count: total,
    evidence: [{ at: '/summary/alerts' }],
  };
}

const ORDER = ['CRITICAL', 'MAJOR', 'MINOR', 'WARNING', 'INFO', 'DEBUG'];

function worstGiven(same: Same): string | null {
  const given = same.flatMap((a) => a.severity ?? []);
  return ORDER.find((severity) => given.includes(severity)) ?? given.toSorted()[0] ?? null;
}

/**
 * Weka's severity where it gives one; a type that we hold for critical is never less than a warning. What is set up so
 * on purpose, and what a condition of our own says already, is worth knowing and no more; unless Weka calls it critical.
 */
function severityOf(type: string, given: string | null, echo: string | null, options: AlertOptions): Severity {
  if (given === 'CRITICAL') return 'critical';
  if (echo !== null || options.quiet.includes(type)) return 'info';
  if (given === 'INFO' || given === 'DEBUG') return CRITICAL.has(type) ? 'warning' : 'info';
  if (given !== null || !CRITICAL.has(type)) return 'warning';
  // It comes for any loss of protection, which the status tells exactly.
  return type === 'DataProtection' && options.protected === true ? 'warning' : 'critical';
}

/** The kind of our own condition that says all of what these alerts say; null where some of it is said nowhere else. */
function echoOf(alerts: Same, others: readonly ConditionDraft[]): string | null {
  const echo = ECHOES.get(alerts[0].type);
  if (!echo) return null;
  const told = others.filter((c) => echo.kinds.includes(c.kind)).sort((a, b) => bySeverity(a, b) || compareNames(a.kind, b.kind));
  const { same } = echo;
  const about = new Set(told.map((c) => (same === 'host' ? c.place?.['node'] : c.subject.id)));
  const all = same === null || alerts.every((alert) => alert[same] !== null && about.has(alert[same]));
  return told[0] && all ? told[0].kind : null;
}
