import { type Place, type Severity, type Subject, worse } from '../../model/condition.ts';
import { hardwareText } from '../../model/facts.ts';
import { subjectId } from '../../model/identity.ts';
import type { JsonObject } from '../../model/json.ts';
import { cleanName, oneLine } from '../../model/text.ts';
import { flag, isObject, isZeroId, lastSegment, member, text, time, word } from '../oneview/fields.ts';
import { placeOfName } from '../oneview/place.ts';
import { type Resource, resourceKey } from '../oneview/resource.ts';
import { classify, isTrapStorm, trapName } from './classify.ts';
import { bounded, componentOf, fingerprint, ownWords, readableDescription } from './description.ts';

/** What is taken of an alert. Who it is assigned to, users' notes and contacts are dropped. */
export interface Alert {
  /** Its URI, or what else tells it from others. */
  key: string;
  subject: Subject;
  /** Where it stands, as far as its name tells. */
  place: Place | undefined;
  /** The UUID in the URI of its server; null for other resources. */
  serverUuid: string | null;
  kind: string;
  part: string;
  severity: Severity;
  /** OneView's own word; `OK` alerts say that something went well. */
  severityWord: string;
  /** `Active`, `Locked`, `Cleared`, or what else OneView wrote. */
  state: string;
  open: boolean;
  /** About the life of the resource (added, powered on), not about its health. */
  lifecycle: boolean;
  created: number | null;
  clearedAt: number | null;
  type: string | null;
  description: string;
  action: string | null;
  urgency: string | null;
  predictive: boolean;
  selfTest: boolean;
  /** The trap that OneView stopped counting. */
  suppressedTrap: string | null;
  parent: string | null;
  children: string[];
}

const SUBJECT_TYPES: ReadonlyMap<string, string> = new Map([
  ['server-hardware', 'node'],
  ['enclosures', 'enclosure'],
  ['racks', 'rack'],
  ['power-devices', 'pdu'],
  ['interconnects', 'interconnect'],
  ['sas-interconnects', 'interconnect'],
  ['switches', 'switch'],
  ['appliance', 'appliance'],
]);

/** The types that alerts speak of; everything else in OneView (profiles, networks, volumes) is a `resource`. */
export const ALERT_SUBJECTS: readonly string[] = [...new Set(SUBJECT_TYPES.values()), 'resource'];

/** Whom an alert without any resource is about. */
export const APPLIANCE: Subject = { type: 'appliance', id: 'oneview' };

/** @returns a text that says what is wrong with a record whose resource has a name that is none */
export function readAlert(resource: Resource, nodeDomains: readonly string[]): Alert | string {
  const { fields } = resource;
  const owner = readOwner(fields, nodeDomains);
  if (owner === null) return 'is an alert whose resource has no usable name';
  const rawType = text(fields, 'alertTypeID');
  const type = rawType === null ? null : oneLine(rawType, 200);
  const raw = text(fields, 'description') ?? '';
  const { kind, predictive, selfTest } = classify({ category: text(fields, 'healthCategory'), type, description: ownWords(raw) });
  const suppressedTrap = type !== null && isTrapStorm(type) ? trapName(type) : null;
  const severityWord = word(fields, 'severity') ?? 'Unknown';
  const state = word(fields, 'alertState') ?? 'Unknown';
  const clearedAt = resource.event?.deleted ? resource.event.at : (time(fields, 'clearedTime') ?? time(fields, 'modified'));
  const action = text(fields, 'correctiveAction');
  return {
    key: resourceKey(resource) ?? `${resource.input} ${resource.place}`,
    ...owner,
    kind: suppressedTrap === null ? kind : 'alert_storm',
    part: suppressedTrap === null ? partOf(type, raw, text(fields, 'healthCategory')) : bounded(suppressedTrap),
    severity: severityOf(severityWord),
    severityWord,
    state,
    open: !resource.event?.deleted && isOpen(state, time(fields, 'clearedTime')),
    lifecycle: flag(fields, 'lifeCycle') === true,
    created: time(fields, 'created'),
    clearedAt,
    type,
    description: raw === '' ? 'no description' : readableDescription(raw),
    action: action === null ? null : readableDescription(action, 160),
    urgency: word(fields, 'urgency'),
    predictive,
    selfTest,
    suppressedTrap,
    parent: text(fields, 'parentAlert'),
    children: readChildren(fields),
  };
}

/**
 * What tells one alert from another on one resource: its type, else what stays the same of its text; both with the
 * ordinal of the component, so that the second supply to fail is not taken for the first.
 */
function partOf(type: string | null, description: string, category: string | null): string {
  if (type !== null) return bounded(`${type} ${componentOf(description)}`.trim());
  const print = description === '' ? '' : fingerprint(description);
  return print === '' ? `no description (${oneLine(category ?? 'no category', 60)})` : print;
}

function severityOf(severity: string): Severity {
  switch (severity.toLowerCase()) {
    case 'critical':
      return 'critical';
    case 'ok':
    case 'unknown':
    case 'disabled':
      return 'info';
    default:
      return 'warning';
  }
}

/** Locked alerts are open: they count toward the status of their resource as Active ones do; only Cleared does not. */
function isOpen(state: string, clearedTime: number | null): boolean {
  const lower = state.toLowerCase();
  if (lower === 'active' || lower === 'locked') return true;
  return lower !== 'cleared' && lower !== 'ok' && clearedTime === null;
}

function readOwner(fields: JsonObject, nodeDomains: readonly string[]): Pick<Alert, 'subject' | 'place' | 'serverUuid'> | null {
  const associated = member(fields, 'associatedResource');
  const owner = isObject(associated) ? associated : {};
  const uri = text(owner, 'resourceUri') ?? text(fields, 'resourceUri');
  const named = text(owner, 'resourceName');
  const ofUri = uri === null ? null : (/^\/rest\/([a-z][a-z-]{1,40})/.exec(uri)?.[1] ?? null);
  const category = (text(owner, 'resourceCategory') ?? ofUri ?? text(fields, 'physicalResourceType') ?? '').toLowerCase();
  const segment = uri === null ? null : lastSegment(uri);
  const id = segment === null || isZeroId(segment) ? null : cleanName(segment);
  const type = SUBJECT_TYPES.get(category) ?? 'resource';
  const serverUuid = type === 'node' ? hardwareText(id) : null;
  const name = named ?? id;
  if (name === null) return { subject: APPLIANCE, place: undefined, serverUuid };
  const subject = subjectId(type, name, nodeDomains);
  return subject === null ? null : { subject: { type, id: subject }, place: placeOfName(name), serverUuid };
}

function readChildren(fields: JsonObject): string[] {
  const children = member(fields, 'childAlerts');
  return Array.isArray(children) ? children.filter((c): c is string => typeof c === 'string' && c !== '') : [];
}

/** The worst severity of several alerts. */
export function worstOf(alerts: readonly Alert[]): Severity {
  return alerts.reduce<Severity>((worst, alert) => worse(worst, alert.severity), 'info');
}
