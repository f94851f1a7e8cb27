import type { ConditionDraft } from '../../model/condition.ts';
import { subjectId } from '../../model/identity.ts';
import type { JsonObject } from '../../model/json.ts';
import { cleanName, compareNames } from '../../model/text.ts';
import { toIso } from '../../model/time.ts';
import { type Frame, groupBy, hostName, known, type Part, placeOf, shortSet, tally } from './digest.ts';
import type { RawRecord, Section } from './documents.ts';
import { firstOf, flag, instant, member, state, text } from './fields.ts';
import { observedOf, readRecords } from './records.ts';
import type { Status } from './status.ts';

export interface Container {
  /** `weka07/compute0`: its server and its own name, which is that of one on every server. */
  id: string;
  /** `HostId<19>`, which Weka's commands take. */
  hostId: string | null;
  name: string | null;
  host: string | null;
  client: boolean;
  state: string | null;
  status: string | null;
  failureDomain: string | null;
  release: string | null;
  lastFailure: string | null;
  lastFailureAt: number | null;
}

/**
 * `weka cluster container -J` (v3: `host`), REST's `/containers`, JSON-RPC's `hosts_list`.
 *
 * `state` is what an operator wants of it, `status` how it is: only an active container can be down
 * (docs.weka.io, "Container state and status fields").
 */
export function digestContainers(
  section: Section | undefined,
  status: Status | null,
  frame: Frame,
): Part & { containers: readonly Container[] } {
  const containers = readRecords(section, (record) => readContainer(record, frame), frame.problems);
  const told = containers.filter((c) => c.status !== null).map((c) => c.id);
  const conditions = containers.filter(isDown).map(downCondition);
  return {
    containers,
    conditions,
    facts: containers.filter((c) => !c.client).map((c) => ({ subject: { type: 'container', id: c.id }, facts: factsOf(c) })),
    observed: observedOf(
      'containers',
      section,
      { listed: containers.length, told, expected: status?.containers?.total ?? 0 },
      frame.problems,
    ),
    summary: summaryOf(containers),
    records: containers.length,
  };
}

/** In release 3 a server has one container, whose name is not always told: `default`. */
const ONLY_CONTAINER = 'default';

function readContainer({ value, key }: RawRecord, frame: Frame): Container | null {
  const hostId = cleanName(firstOf(value, 'host_id') ?? key ?? firstOf(value, 'id', 'uid'));
  const name = cleanName(member(value, 'container_name'));
  const host = hostName(member(value, 'hostname'), frame);
  const id = host === null ? hostId : (cleanName(`${host}/${name ?? ONLY_CONTAINER}`) ?? hostId);
  if (id === null) return null;
  return {
    id,
    hostId,
    name,
    host,
    client: state(member(value, 'mode')) === 'CLIENT',
    state: state(member(value, 'state')),
    status: state(member(value, 'status')),
    failureDomain: cleanName(member(value, 'failure_domain')),
    release: text(firstOf(value, 'sw_release_string', 'sw_version'), 48),
    lastFailure: text(member(value, 'last_failure'), 120),
    lastFailureAt: instant(member(value, 'last_failure_time')),
  };
}

function isActive(container: Container): boolean {
  return container.state === null || container.state === 'ACTIVE';
}

function isDown(container: Container): boolean {
  return isActive(container) && container.status !== null && container.status !== 'UP';
}

function downCondition(container: Container): ConditionDraft {
  const { name, host, hostId, client, lastFailure, lastFailureAt } = container;
  const failure =
    lastFailure === null ? '' : `; last failure: ${lastFailure}${lastFailureAt === null ? '' : ` at ${toIso(lastFailureAt)}`}`;
  return {
    kind: 'container_down',
    subject: { type: 'container', id: container.id },
    // A client that is down is its node's trouble, and the node's own sources tell of it; storage goes on without it.
    ...(client && { severity: 'info' as const }),
    message: `Weka ${client ? 'client' : 'backend'} container ${name ?? (host === null ? container.id : ONLY_CONTAINER)} on ${host ?? 'an unknown host'}${hostId === null ? '' : ` (${hostId})`} is ${container.status}${failure}`,
    values: {
      status: container.status,
      state: container.state,
      host,
      name,
      host_id: hostId,
      mode: client ? 'client' : 'backend',
      last_failure: lastFailure,
    },
    place: placeOf(host, container.failureDomain),
  };
}

function factsOf(c: Container): JsonObject {
  return known({
    host_id: c.hostId,
    name: c.name,
    host: c.host,
    state: c.state,
    status: c.status,
    failure_domain: c.failureDomain,
    release: c.release,
    last_failure: c.lastFailure,
    last_failure_at: c.lastFailureAt === null ? null : toIso(c.lastFailureAt),
  });
}

function summaryOf(containers: readonly Container[]): JsonObject {
  const of = (list: readonly Container[]): JsonObject => {
    const down = list.filter(isDown);
    return {
      listed: list.length,
      byStatus: tally(list.map((c) => c.status ?? 'unknown')),
      down: down.length,
      downOn: shortSet(down.flatMap((c) => c.host ?? [])),
    };
  };
  const resting = containers.filter((c) => !isActive(c));
  const releases = [
    ...groupBy(
      containers.filter((c) => !c.client && c.release !== null),
      (c) => c.release as string,
    ),
  ].sort(([a], [b]) => compareNames(a, b));
  return {
    backends: of(containers.filter((c) => !c.client)),
    clients: of(containers.filter((c) => c.client)),
    notActive: { count: resting.length, byState: tally(resting.map((c) => c.state ?? 'unknown')) },
    ...(releases.length > 1 && {
      releases: releases.slice(0, 4).map(([release, same]) => ({ release: text(release, 32), count: same.length })),
      moreReleases: Math.max(0, releases.length - 4),
    }),
  };
}

interface Process {
  id: string;
  host: string | null;
  container: string | null;
  status: string | null;
  roles: string;
  blacklisted: boolean | null;
  missingLinks: number;
  fencingReason: string | null;
  fencedAt: number | null;
}

/** `weka cluster process -J` (v3: `node`), REST's `/processes`, JSON-RPC's `nodes_list`. */
export function digestProcesses(section: Section | undefined, status: Status | null, frame: Frame): Part {
  const processes = readRecords(section, (record) => readProcess(record, frame), frame.problems);
  const told = processes.filter((p) => p.blacklisted !== null).map((p) => p.id);
  const blacklisted = processes.filter((p) => p.blacklisted === true);
  const unlinked = processes.filter((p) => p.missingLinks > 0);
  return {
    conditions: blacklisted.map(blacklistedCondition),
    facts: [],
    observed: observedOf('processes', section, { listed: processes.length, told, expected: status?.processes ?? 0 }, frame.problems),
    summary: {
      listed: processes.length,
      byStatus: tally(processes.map((p) => p.status ?? 'unknown')),
      notUpOn: shortSet(processes.flatMap((p) => (p.status !== null && p.status !== 'UP' && p.host !== null ? [p.host] : []))),
      blacklisted: { count: blacklisted.length, processes: shortSet(blacklisted.map((p) => p.id)) },
      missingLinks: { count: unlinked.length, hosts: shortSet(unlinked.flatMap((p) => p.host ?? [])) },
    },
    records: processes.length,
  };
}

function readProcess({ value, key }: RawRecord, frame: Frame): Process | null {
  const id = subjectId('process', firstOf(value, 'node_id') ?? key ?? firstOf(value, 'id', 'uid'));
  if (id === null) return null;
  const roles = member(value, 'roles');
  const reason = text(member(value, 'last_fencing_reason'), 80);
  const missing = member(member(value, 'missing_links'), 'missing');
  return {
    id,
    host: hostName(member(value, 'hostname'), frame),
    container: cleanName(firstOf(value, 'container_id', 'host_id')),
    status: state(member(value, 'status')),
    roles: Array.isArray(roles)
      ? roles
          .slice(0, 8)
          .flatMap((role) => state(role) ?? [])
          .sort()
          .join(', ')
      : '',
    blacklisted: flag(member(value, 'is_blacklisted')),
    missingLinks: typeof missing === 'number' && missing > 0 ? missing : 0,
    fencingReason: reason === 'INVALID' ? null : reason,
    fencedAt: instant(member(value, 'last_fencing_time')),
  };
}

function blacklistedCondition(process: Process): ConditionDraft {
  const { host, roles, fencingReason } = process;
  return {
    kind: 'process_blacklisted',
    subject: { type: 'process', id: process.id },
    message: `Weka process ${process.id}${roles === '' ? '' : ` (${roles})`} on ${host ?? 'an unknown host'} is blacklisted and cannot rejoin the cluster${fencingReason === null ? '' : `; last fenced for ${fencingReason}`}`,
    values: {
      host,
      roles,
      container: process.container,
      status: process.status,
      fencing_reason: fencingReason,
      fenced_at: process.fencedAt === null ? null : toIso(process.fencedAt),
    },
    place: placeOf(host),
  };
}

interface Server {
  id: string;
  host: string | null;
  status: string | null;
  mode: string | null;
}

/** REST's `/servers`, `weka cluster servers list -J`: only counted, since containers and processes say the same in detail. */
export function digestServers(section: Section | undefined, frame: Frame): Part {
  const servers = readRecords(section, (record) => readServer(record, frame), frame.problems);
  const weak = servers.filter((s) => s.status !== null && s.status !== 'UP' && s.status !== 'OK');
  return {
    conditions: [],
    facts: [],
    observed: null,
    summary: {
      listed: servers.length,
      byStatus: tally(servers.map((s) => s.status ?? 'unknown')),
      byMode: tally(servers.map((s) => s.mode ?? 'unknown')),
      notUp: shortSet(weak.map((s) => s.host ?? s.id)),
    },
    records: servers.length,
  };
}

function readServer({ value, key }: RawRecord, frame: Frame): Server | null {
  const id = cleanName(firstOf(value, 'name', 'hostname', 'uid') ?? key);
  if (id === null) return null;
  return {
    id,
    host: hostName(firstOf(value, 'name', 'hostname'), frame),
    status: state(member(value, 'status')),
    mode: state(member(value, 'deployment_mode')),
  };
}
