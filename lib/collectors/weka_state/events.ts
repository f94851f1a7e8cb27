import type { JsonObject } from '../../model/json.ts';
import { cleanName, compareNames } from '../../model/text.ts';
import { toIso } from '../../model/time.ts';
import { type Frame, groupBy, known, type Part, tally } from './digest.ts';
import type { Section } from './documents.ts';
import { instant, member, state, text } from './fields.ts';

const TOP = 5;
const SEVERE = ['CRITICAL', 'MAJOR', 'MINOR'];

interface Event {
  type: string;
  severity: string;
  at: number | null;
}

/** `weka events -J`, REST's `/events`: what happened lately, counted by type. Who did it, and from where, is not kept. */
export function digestEvents(section: Section | undefined, frame: Frame): Part {
  const events = (section?.records ?? []).flatMap((record): Event[] => {
    const type = cleanName(member(record.value, 'type'));
    if (type === null) {
      frame.problems.reject('has no event type', record.input, record.place);
      return [];
    }
    const at = instant(member(record.value, 'timestamp')) ?? instant(member(record.value, 'time'));
    return [{ type, severity: state(member(record.value, 'severity')) ?? 'UNKNOWN', at }];
  });
  const severe = [...groupBy(events, (event) => JSON.stringify([event.type, event.severity])).values()]
    .filter(([first]) => SEVERE.includes(first.severity))
    .sort(([a], [b]) => SEVERE.indexOf(a.severity) - SEVERE.indexOf(b.severity) || compareNames(a.type, b.type));
  const times = events.flatMap((e) => e.at ?? []);
  return {
    conditions: [],
    facts: [],
    observed: null,
    summary: known({
      listed: events.length,
      bySeverity: tally(events.map((e) => e.severity)),
      first: times.length > 0 ? toIso(times.reduce((a, b) => Math.min(a, b))) : null,
      last: times.length > 0 ? toIso(times.reduce((a, b) => Math.max(a, b))) : null,
      severe: severe.slice(0, TOP).map((group) => eventGroup(group)),
      more: Math.max(0, severe.length - TOP),
    }),
    records: events.length,
  };
}

function eventGroup(group: readonly [Event, ...Event[]]): JsonObject {
  const [first] = group;
  const times = group.flatMap((e) => e.at ?? []);
  return known({
    type: text(first.type, 36),
    severity: first.severity,
    count: group.length,
    last: times.length > 0 ? toIso(times.reduce((a, b) => Math.max(a, b))) : null,
  });
}
