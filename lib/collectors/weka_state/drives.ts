import type { ConditionDraft } from '../../model/condition.ts';
import { hardwareText } from '../../model/facts.ts';
import { subjectId } from '../../model/identity.ts';
import type { JsonObject } from '../../model/json.ts';
import { bytesText, cleanName } from '../../model/text.ts';
import { toIso } from '../../model/time.ts';
import { type Frame, hostName, known, type Part, placeOf, shortSet, tally } from './digest.ts';
import type { RawRecord, Section } from './documents.ts';
import { amount, firstOf, flag, instant, limited, member, percentText, positive, type Ratio, state, text } from './fields.ts';
import { observedOf, readRecords } from './records.ts';

interface Drive {
  id: string;
  host: string | null;
  status: string | null;
  shouldBeActive: boolean | null;
  writable: string | null;
  attachment: string | null;
  removed: boolean;
  sizeBytes: number | null;
  /** Of the rated endurance, 0 to 1 and beyond. */
  wear: number | null;
  spares: number | null;
  sparesThreshold: number | null;
  model: string | null;
  serial: string | null;
  firmware: string | null;
  location: string | null;
  failureDomain: string | null;
  changedAt: number | null;
}

/**
 * `weka cluster drive -J`, REST's `/drives`, JSON-RPC's `disks_list`. A drive is named by its `DiskId<n>`, the one name
 * that all of them give it and that Weka's commands take; `uid` is a UUID in one and a number in the other.
 */
export function digestDrives(
  section: Section | undefined,
  expected: Ratio | null,
  frame: Frame,
): Part & { hosts: ReadonlyMap<string, { drives: number; failed: number }> } {
  const drives = readRecords(section, (record) => readDrive(record, frame), frame.problems);
  const present = drives.filter((drive) => !drive.removed);
  const faults = new Map<Drive, string>();
  for (const drive of present) {
    const fault = faultOf(drive);
    if (fault !== null) faults.set(drive, fault);
  }
  const conditions = present.flatMap((drive) => [...failedCondition(drive, faults.get(drive)), ...wearCondition(drive, frame)]);
  const told = present.filter((drive) => drive.status !== null).map((drive) => drive.id);
  return {
    conditions,
    facts: drives.map((drive) => ({ subject: { type: 'drive', id: drive.id }, facts: factsOf(drive) })),
    observed: observedOf('drives', section, { listed: present.length, told, expected: expected?.total ?? 0 }, frame.problems),
    summary: summaryOf(drives, faults, conditions),
    records: drives.length,
    hosts: byHost(present, faults),
  };
}

function byHost(drives: readonly Drive[], faults: ReadonlyMap<Drive, string>): Map<string, { drives: number; failed: number }> {
  const hosts = new Map<string, { drives: number; failed: number }>();
  for (const drive of drives) {
    if (drive.host === null) continue;
    const host = hosts.get(drive.host) ?? { drives: 0, failed: 0 };
    hosts.set(drive.host, { drives: host.drives + 1, failed: host.failed + (faults.has(drive) ? 1 : 0) });
  }
  return hosts;
}

/** NVMe counts the percentage used in one byte: what is over that is no reading. */
const MAX_WEAR = 255;

function readDrive({ value, key }: RawRecord, frame: Frame): Drive | null {
  const id = subjectId('drive', firstOf(value, 'disk_id') ?? key ?? firstOf(value, 'id', 'uid', 'uuid'));
  if (id === null) return null;
  const wear = positive(member(value, 'percentage_used'));
  return {
    id,
    host: hostName(member(value, 'hostname'), frame),
    status: state(member(value, 'status')),
    shouldBeActive: flag(member(value, 'should_be_active')),
    writable: state(member(value, 'writable')),
    attachment: state(member(value, 'attachment')),
    removed: state(member(value, 'status')) === 'REMOVED' || instant(member(value, 'removed_time')) !== null,
    sizeBytes: limited(amount(member(value, 'size_bytes'))),
    wear: wear === null || wear > MAX_WEAR ? null : wear / 100,
    spares: positive(member(value, 'spares_remaining')),
    sparesThreshold: positive(member(value, 'spares_threshold')),
    model: textOrNull(member(value, 'model')),
    serial: textOrNull(member(value, 'serial_number')),
    firmware: textOrNull(member(value, 'firmware')),
    location: textOrNull(member(value, 'location')),
    failureDomain: cleanName(member(value, 'failure_domain_name')),
    changedAt: instant(member(value, 'state_change_time')),
  };
}

function textOrNull(raw: unknown): string | null {
  return text(hardwareText(raw), 64);
}

/** Weka takes a drive out of service in steps; these are an operator's doing where the drive shall not be active. */
const FAILED_WITHOUT_WORD = new Set(['FAILED', 'INACTIVE', 'DOWN', 'MISSING', 'ERROR']);

/** What is wrong with a drive, in words; null where nothing is. */
function faultOf(drive: Drive): string | null {
  const { status } = drive;
  if (status === 'FAILED') return 'has failed';
  if (status === 'ACTIVE') {
    if (drive.writable !== null && drive.writable !== 'WRITABLE') return `is active but ${drive.writable.toLowerCase()}`;
    return drive.attachment !== null && drive.attachment !== 'OK' ? `is active, but its attachment is ${drive.attachment}` : null;
  }
  if (status === null || status === 'PHASING_IN' || drive.shouldBeActive === false) return null;
  const wrong = drive.shouldBeActive === true || FAILED_WITHOUT_WORD.has(status);
  return wrong ? `is ${status}${drive.shouldBeActive ? ', but should be active' : ''}` : null;
}

function nameOf(drive: Drive): string {
  const about = [drive.host ?? 'host unknown', drive.location, drive.model, drive.serial === null ? null : `S/N ${drive.serial}`];
  return `Weka drive ${drive.id} (${about.filter((t) => t !== null).join(', ')})`;
}

function failedCondition(drive: Drive, fault: string | undefined): ConditionDraft[] {
  if (fault === undefined) return [];
  const size = drive.sizeBytes === null ? '' : `, ${bytesText(drive.sizeBytes)}`;
  return [
    {
      kind: 'drive_failed',
      subject: { type: 'drive', id: drive.id },
      message: `${nameOf(drive)} ${fault}${size}`,
      values: {
        status: drive.status,
        should_be_active: drive.shouldBeActive,
        host: drive.host,
        serial: drive.serial,
        model: drive.model,
        size_bytes: drive.sizeBytes,
      },
      ...(drive.changedAt !== null && { since: toIso(drive.changedAt) }),
      place: placeOf(drive.host, drive.failureDomain),
    },
  ];
}

/** A drive that is on its way out, or out, is not worth a word about its wear. */
function wearCondition(drive: Drive, frame: Frame): ConditionDraft[] {
  if (drive.shouldBeActive === false) return [];
  const limit = frame.thresholds.driveWear;
  const { wear, spares, sparesThreshold } = drive;
  const reasons = [
    wear !== null && wear >= limit && `has used ${percentText(wear * 100)} of its rated endurance (limit ${percentText(limit * 100)})`,
    spares !== null &&
      sparesThreshold !== null &&
      spares < sparesThreshold &&
      `has ${percentText(spares)} of its spare blocks left (its own limit is ${percentText(sparesThreshold)})`,
  ].filter((reason) => reason !== false);
  if (reasons.length === 0) return [];
  return [
    {
      kind: 'drive_wear',
      subject: { type: 'drive', id: drive.id },
      message: `${nameOf(drive)} ${reasons.join(' and ')}`,
      values: {
        endurance_used: wear,
        limit,
        spares_remaining_percent: spares,
        spares_threshold_percent: sparesThreshold,
        host: drive.host,
        serial: drive.serial,
      },
      place: placeOf(drive.host, drive.failureDomain),
    },
  ];
}

function factsOf(drive: Drive): JsonObject {
  return known({
    status: drive.status,
    should_be_active: drive.shouldBeActive,
    host: drive.host,
    model: drive.model,
    serial: drive.serial,
    firmware: drive.firmware,
    location: drive.location,
    failure_domain: drive.failureDomain,
    size_bytes: drive.sizeBytes,
    endurance_used: drive.wear,
    spares_remaining_percent: drive.spares,
  });
}

function summaryOf(drives: readonly Drive[], faults: ReadonlyMap<Drive, string>, conditions: readonly ConditionDraft[]): JsonObject {
  const failed = [...faults.keys()];
  const worn = conditions.filter((c) => c.kind === 'drive_wear');
  return {
    listed: drives.length,
    byStatus: tally(drives.map((drive) => (drive.removed ? 'REMOVED' : (drive.status ?? 'unknown')))),
    failed: {
      count: failed.length,
      drives: shortSet(failed.map((drive) => drive.id)),
      hosts: shortSet(failed.flatMap((drive) => drive.host ?? [])),
    },
    worn: { count: worn.length, drives: shortSet(worn.map((c) => c.subject.id)) },
  };
}
