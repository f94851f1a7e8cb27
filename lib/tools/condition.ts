import * as z from 'zod';
import { foldShared } from '../nodeset.ts';
import type { Finding, Group } from '../model/finding.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { formatDuration } from '../model/time.ts';
import { brief, groupRow } from './conditions.ts';
import { shortId, shortRef } from './ids.ts';
import { isOpen, PlaceBook } from './places.ts';
import { type Answer, defineTool, page } from './tool.ts';
import type { ReadView } from './view.ts';

/** What began this close to it may have to do with it. */
const NEAR = 30 * 60_000;
const MAX_NEAR = 8;

export const getCondition = defineTool({
  name: 'get_condition',
  description:
    'One finding whole: values, evidence with quotes, history, hint; the same kind among its neighbours and how many of them are well; what else its subject has; what began near it in time. With the id of a group: the group and its members.',
  reaches: ['findings', 'groups', 'groundTruth', 'sources', 'now', 'namesOf', 'history'],
  args: { id: z.string().max(64).describe('the id of a finding, or of a group: its first 8 characters or more') },
  run: async (view, { id: written }) => {
    // The briefing shows ids in brackets.
    const id = written
      .trim()
      .replaceAll(/^\[|\]$/g, '')
      .toLowerCase();
    const found = id.length >= 8 ? view.findings.filter((x) => x.id.startsWith(id)) : [];
    const [x] = found;
    const group = id.length >= 8 ? view.groups.find((g) => g.id.startsWith(id)) : undefined;
    if (!x && group) return groupPage(view, group);
    if (!x) return { ok: false, error: 'no finding has this id; list_conditions gives ids, of 8 characters or more' };
    if (found.length > 1) return { ok: false, error: 'more than one finding begins so; give more of the id' };
    const history = await view.history(x.id);
    return page([
      {
        ...brief(view, x),
        since: x.conditions[0]?.since ?? x.firstSeen,
        values: x.conditions[0]?.values ?? {},
        evidence: x.evidence.map((e) => ({ ref: shortRef(view, e.ref), ...(e.quote !== undefined && { quote: e.quote }) })),
        hint: x.hint,
        reason: x.reason,
        ...(x.episode > 1 && { episode: x.episode }),
        ...(x.count > 1 && { count: x.count }),
        ...(x.escalated && { escalated: `${x.escalated.from} → ${x.severity}: ${x.escalated.reason}` }),
        neighbours: neighbours(view, x),
        same_subject: sameSubject(view, x),
        near_in_time: nearInTime(view, x),
        groups: view.groups
          .filter((g) => g.findings.includes(x.id))
          .map((g) => ({ id: g.id.slice(0, 8), message: g.message, against: g.counterEvidence })),
        history: history.slice(-6).map((t) => `${t.at} ${t.to}: ${t.reason}`),
      },
    ]);
  },
});

const MEMBERS_SHOWN = 10;
/** What `list_conditions` takes for a node. */
const LONGEST_SET = 253;

/** A group and its worst members; the others are a list of their own. */
function groupPage(view: Pick<ReadView, 'findings' | 'now'>, group: Group): Answer {
  const ids = new Set(group.findings);
  const members = view.findings.filter((f) => ids.has(f.id));
  const node = group.subjects.length <= LONGEST_SET ? ` and node ${group.subjects}` : '';
  const about = { all_members: `list_conditions with kind ${group.kind}${node}` };
  const shown = page([groupRow(group), ...members.map((f) => brief(view, f))], { limit: 1 + MEMBERS_SHOWN, about });
  return { ...shown, next: null };
}

/** For each place that holds its subject: who else there has the same, and how many have nothing. */
function neighbours(view: Pick<ReadView, 'findings' | 'groundTruth'>, x: Finding): JsonObject[] {
  const places = PlaceBook.of(view);
  const open = view.findings.filter(isOpen).map((f) => ({ f, where: places.whereIs(f) }));
  const rows: JsonObject[] = [];
  for (const [type, names] of places.whereIs(x)) {
    for (const name of names) {
      const there = open.filter(({ where }) => where.get(type)?.includes(name)).map(({ f }) => f);
      const same = new Set(there.filter((f) => f.kind === x.kind).map((f) => f.subject.id));
      const ill = new Set(there.map((f) => f.knownAs ?? f.subject.id));
      const members = places.fleet.filter(({ where }) => where.get(type)?.includes(name)).map(({ node }) => node);
      const well = members.filter((node) => !ill.has(node)).length;
      if (members.length < 2 && same.size < 2) continue;
      const subjects = foldShared(same);
      rows.push({
        place: `${type} ${name}`,
        same_kind: same.size,
        subjects: subjects.length > 120 ? `${subjects.slice(0, 120)}…` : subjects,
        ...(members.length > 0 && { nodes_there: members.length, without_any_finding: well }),
      });
    }
  }
  return rows.slice(0, 8);
}

function sameSubject(view: Pick<ReadView, 'findings' | 'namesOf'>, x: Finding): Json[] {
  const names = new Set(view.namesOf(x.subject.id));
  return view.findings
    .filter((f) => f.id !== x.id && isOpen(f) && names.has(f.subject.id))
    .slice(0, MAX_NEAR)
    .map((f) => ({ id: shortId(view, f.id), kind: f.kind, severity: f.severity }));
}

/** What began before and after it, the closest first. */
function nearInTime(view: Pick<ReadView, 'findings'>, x: Finding): Json[] {
  const began = (f: Finding): number => Date.parse(f.conditions[0]?.since ?? f.firstSeen);
  const at = began(x);
  return view.findings
    .filter((f) => f.id !== x.id && isOpen(f) && f.subject.id !== x.subject.id && Math.abs(began(f) - at) <= NEAR)
    .sort((a, b) => Math.abs(began(a) - at) - Math.abs(began(b) - at))
    .slice(0, MAX_NEAR)
    .map((f) => {
      const apart = began(f) - at;
      const when = apart === 0 ? 'at the same time' : `${formatDuration(Math.abs(apart))} ${apart < 0 ? 'before' : 'after'}`;
      return { id: shortId(view, f.id), kind: f.kind, subject: f.subject.id, when };
    });
}
