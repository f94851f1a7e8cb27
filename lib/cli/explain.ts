import type { Json, JsonObject } from '../model/json.ts';
import type { Finding, Transition } from '../model/finding.ts';
import { formatDuration } from '../model/time.ts';
import { wrap } from '../report/text.ts';
import { clockTime, count, line, messageOf, nameOf } from '../report/words.ts';
import { Story } from '../steps/story.ts';
import { EXIT, fetchJson, type Session } from './session.ts';

/** Steps of a long history that are told: the first, and the last ones. */
const MAX_STEPS = 40;
const MAX_EVIDENCE = 12;

/** `explain ID`: the whole story of a finding. */
export async function explainCommand(session: Session, id: string, json: boolean): Promise<number> {
  const answer = await fetchJson(session, `/findings/${encodeURIComponent(id)}`);
  session.out(json ? `${JSON.stringify(answer, null, 2)}\n` : `${storyText(Story.parse(answer), session).join('\n')}\n`);
  return EXIT.done;
}

/** A story as lines; what comes from the cluster stands behind a label of ours. */
export function storyText(story: Story, { width }: { width: number }): string[] {
  const { finding, heldBack, history, groups, related } = story;
  const now = Date.parse(story.at);
  const lines: string[] = [];
  const say = (label: string, text: string): void => {
    if (text !== '') lines.push(...wrap(text, width, label.padEnd(LABEL), ' '.repeat(LABEL)));
  };
  const list = (title: string, texts: readonly string[]): void => {
    if (texts.length > 0) lines.push('', title, ...texts.flatMap((text) => wrap(text, width, '  ', '      ')));
  };
  lines.push(...wrap(headOf(story), width, '', '    '));
  if (finding) lines.push(...wrap(messageOf(finding), width, '  ', '  '));
  lines.push('');
  say('id', story.id);
  if (finding) {
    say('state', `${finding.state}${finding.episode > 1 ? `, episode ${finding.episode}` : ''}: ${line(finding.reason)}`);
    say('seen', seenOf(finding, now));
    say('looks', looksOf(finding.looks ?? ''));
    const { escalated, acknowledged, place, hint, runbook = '', provenance, conditions } = finding;
    say('severity', escalated ? `from ${escalated.from} at ${clockTime(escalated.at, now)}: ${line(escalated.reason)}` : '');
    say('ack', acknowledged ? `by ${line(acknowledged.by)} until ${clockTime(acknowledged.until, now)}: ${line(acknowledged.reason)}` : '');
    say('place', pairs(place ?? {}));
    say('values', pairs(conditions[0]?.values ?? {}));
    say('look at', line(hint, 1000));
    say('runbook', line(runbook));
    say('rule', `${finding.kind} of ${finding.source}: ${line(provenance)}`);
  }
  if (heldBack) {
    const { reason, entry, owner, until } = heldBack;
    say('held back', `${line(reason)}: ${line(entry)}, by ${line(owner)} until ${clockTime(until, now)}`);
  }
  list('EVIDENCE', evidenceOf(finding));
  for (const group of groups) {
    list('GROUP', [
      `${line(group.title)}: ${line(group.message)}`,
      ...group.counterEvidence.map((c) => `but: ${line(c)}`),
      ...(group.changedThere === undefined ? [] : [`changed there: ${line(group.changedThere)}`]),
    ]);
  }
  if (related) {
    list('AROUND IT', rowsOf(related, 'neighbours').map(neighbour));
    list('ALSO ON IT', rowsOf(related, 'same_subject').map(brief));
    list('NEAR IN TIME', rowsOf(related, 'near_in_time').map(brief));
  }
  list('HISTORY', historyOf(history, now));
  return lines;
}

const LABEL = 'held back  '.length;

function headOf({ finding, heldBack, id }: Story): string {
  if (finding) return `${finding.severity.toUpperCase()} · ${line(finding.title)}: ${nameOf(finding)}`;
  if (heldBack) return `${heldBack.severity.toUpperCase()} · ${line(heldBack.kind)}: ${line(heldBack.subject.id)} (held back)`;
  return `${id} is not in the last report: long over, or no longer looked at`;
}

function seenOf({ firstSeen, lastSeen, resolvedAt, count: times }: Finding, now: number): string {
  const until = resolvedAt === undefined ? '' : `, over at ${clockTime(resolvedAt, now)}`;
  const lasted = Date.parse(resolvedAt ?? new Date(now).toISOString()) - Date.parse(firstSeen);
  const often = times > 1 ? `, ${times} times` : '';
  return `first ${clockTime(firstSeen, now)}, last ${clockTime(lastSeen, now)}${often}${until}; ${resolvedAt === undefined ? 'for' : 'lasted'} ${formatDuration(lasted)}`;
}

/** `▁▁█▁█  5 looks that saw its subject, the newest last` */
function looksOf(looks: string): string {
  if (looks === '') return '';
  return `${looks.replaceAll('0', '▁').replaceAll('1', '█')}  ${count(looks.length, 'look')} that saw its subject, the newest last`;
}

function pairs(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${line(name, 80)} ${line(String(value), 200)}`)
    .join(', ');
}

function evidenceOf(finding: Finding | null): string[] {
  const all = finding?.evidence ?? [];
  const shown = all.slice(0, MAX_EVIDENCE).flatMap(({ ref, quote }) => [line(ref), ...(quote === undefined ? [] : [`“${line(quote)}”`])]);
  return all.length > MAX_EVIDENCE ? [...shown, `and ${all.length - MAX_EVIDENCE} more`] : shown;
}

function historyOf(history: readonly Transition[], now: number): string[] {
  const told = history.map((t) => {
    const to = t.from === t.to ? `still ${t.to}` : t.to;
    return `${clockTime(t.at, now).padStart(6)}  episode ${t.episode}: ${to}${t.severity === undefined ? '' : `, ${t.severity}`} (${line(t.reason)})`;
  });
  if (told.length <= MAX_STEPS) return told;
  return [...told.slice(0, 1), `… ${told.length - MAX_STEPS} steps …`, ...told.slice(1 - MAX_STEPS)];
}

function rowsOf(related: JsonObject, name: string): JsonObject[] {
  const rows = related[name];
  return Array.isArray(rows) ? rows.filter((r): r is JsonObject => r !== null && typeof r === 'object' && !Array.isArray(r)) : [];
}

function neighbour({ place, same_kind, subjects, nodes_there, without_any_finding }: JsonObject): string {
  const well = nodes_there === undefined ? '' : `; ${cell(without_any_finding)} of ${cell(nodes_there)} nodes there have no finding at all`;
  return `${cell(place)}: ${cell(same_kind)} with it (${cell(subjects)})${well}`;
}

function brief({ id, kind, severity, subject, when }: JsonObject): string {
  return [id, severity, kind, subject, when]
    .filter((x) => x !== undefined)
    .map(cell)
    .join('  ');
}

function cell(value: Json | undefined): string {
  return line(typeof value === 'string' ? value : JSON.stringify(value ?? ''), 300);
}
