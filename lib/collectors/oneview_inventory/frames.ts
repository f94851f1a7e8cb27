import type { ConditionDraft, Place, Subject } from '../../model/condition.ts';
import { subjectId } from '../../model/identity.ts';
import type { JsonObject } from '../../model/json.ts';
import { number, objects, text, word } from '../oneview/fields.ts';
import type { Resource } from '../oneview/resource.ts';

/** What is taken of an `enclosures` resource: its name, and how its supplies and fans are. */
export interface Enclosure {
  subject: Subject;
  uri: string | null;
  status: string | null;
  power: { good: number; bad: number[]; needed: number | null; minimum: number | null; mode: string | null };
  fans: { good: number; bad: number[]; absent: number[] };
}

/** @returns a text that says what is wrong with the record */
export function readEnclosure(resource: Resource, nodeDomains: readonly string[]): Enclosure | string {
  const { fields } = resource;
  const id = subjectId('enclosure', text(fields, 'name'), nodeDomains);
  if (id === null) return 'is an enclosure without a usable name';
  const supplies = objects(fields, 'powerSupplyBays').map(readBay);
  const fans = objects(fields, 'fanBays').map(readBay);
  const mode = word(fields, 'powerMode');
  const minimum = number(fields, 'minimumPowerSupplies');
  return {
    subject: { type: 'enclosure', id },
    uri: text(fields, 'uri'),
    status: word(fields, 'status'),
    power: {
      good: supplies.filter((bay) => bay.present && !bay.failed).length,
      bad: supplies.filter((bay) => bay.present && bay.failed).map((bay) => bay.number),
      needed: neededSupplies(fields, mode, minimum),
      minimum,
      mode,
    },
    fans: {
      good: fans.filter((bay) => bay.present && !bay.failed).length,
      bad: fans.filter((bay) => bay.present && bay.failed).map((bay) => bay.number),
      absent: fans.filter((bay) => !bay.present && bay.required).map((bay) => bay.number),
    },
  };
}

interface Bay {
  number: number;
  present: boolean;
  failed: boolean;
  required: boolean;
}

/** An absent bay has an empty status; a present one without status is not held against it. */
function readBay(fields: JsonObject, index: number): Bay {
  const status = text(fields, 'status')?.toLowerCase() ?? 'ok';
  return {
    number: number(fields, 'bayNumber') ?? index + 1,
    present: text(fields, 'devicePresence')?.toLowerCase() === 'present',
    failed: ['critical', 'warning', 'degraded', 'failed'].includes(status),
    required: fields['deviceRequired'] === true,
  };
}

function neededSupplies(fields: JsonObject, mode: string | null, minimum: number | null): number | null {
  const lower = mode?.toLowerCase();
  if (lower === 'redundantpowerfeed') return number(fields, 'minimumPowerSuppliesForRedundantPowerFeed') ?? minimum;
  return lower === 'redundantpowersupply' && minimum !== null ? minimum + 1 : minimum;
}

/** What is wrong with one enclosure: its own status, and redundancy that is lost. */
export function enclosureConditions(enclosure: Enclosure, place: Place | undefined): ConditionDraft[] {
  const { subject, status, power, fans } = enclosure;
  const at = place && { place };
  const drafts: ConditionDraft[] = [];
  const level = status?.toLowerCase();
  if (level === 'critical' || level === 'warning') {
    drafts.push({
      kind: 'enclosure_status',
      subject,
      severity: level,
      message: `enclosure ${subject.id}: OneView reports ${status}; ${power.bad.length + fans.bad.length} of its supplies and fans are bad`,
      values: { status, bad_supplies: power.bad.length, bad_fans: fans.bad.length },
      ...at,
    });
  }
  const short = power.needed !== null && power.good < power.needed;
  if (power.bad.length > 0 || short) {
    const tooFew = power.minimum !== null && power.good < power.minimum;
    drafts.push({
      kind: 'redundancy_degraded',
      subject,
      part: 'power',
      ...(tooFew && { severity: 'critical' as const }),
      message: `enclosure ${subject.id}: ${power.good} good power supplies${power.needed === null ? '' : `, ${power.needed} needed for ${power.mode ?? 'its power mode'}`}${inBays(power.bad, 'bad')}`,
      values: { good: power.good, bad: power.bad.length, needed: power.needed, minimum: power.minimum },
      ...at,
    });
  }
  if (fans.bad.length > 0 || fans.absent.length > 0) {
    drafts.push({
      kind: 'redundancy_degraded',
      subject,
      part: 'fan',
      message: `enclosure ${subject.id}: ${fans.good} good fans${inBays(fans.bad, 'bad')}${inBays(fans.absent, 'absent though required')}`,
      values: { good: fans.good, bad: fans.bad.length, absent: fans.absent.length },
      ...at,
    });
  }
  return drafts;
}

function inBays(bays: readonly number[], what: string): string {
  if (bays.length === 0) return '';
  const shown = bays.toSorted((a, b) => a - b).slice(0, 12);
  return `; ${what} in bay ${shown.join(', ')}${bays.length > shown.length ? ` and ${bays.length - shown.length} more` : ''}`;
}

/** The rack of everything that a rack lists as mounted, by URI. A name that is none is left out, not rejected twice. */
export function rackOf(racks: readonly Resource[]): Map<string, string> {
  const byUri = new Map<string, string>();
  for (const { fields } of racks) {
    const rack = subjectId('rack', text(fields, 'name'));
    if (rack === null) continue;
    for (const mount of objects(fields, 'rackMounts')) {
      const uri = text(mount, 'mountUri');
      if (uri !== null && !byUri.has(uri)) byUri.set(uri, rack);
    }
  }
  return byUri;
}
