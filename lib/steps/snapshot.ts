import { kinds } from '../findings/kinds.ts';
import type { ClearedDraft, Condition, ConditionDraft, Severity } from '../model/condition.ts';
import { compareSeverity, worse } from '../model/condition.ts';
import type { Collected } from '../model/collector.ts';
import { conditionId } from '../model/identity.ts';
import type { Kind } from '../model/kind.ts';
import type { Coverage, Snapshot } from '../model/snapshot.ts';
import { compareNames, oneLine } from '../model/text.ts';
import { toIso } from '../model/time.ts';

export interface SnapshotParts {
  source: string;
  cluster: string;
  id: string;
  collectedAt: number;
  asOf: number;
  asOfFrom: Snapshot['asOfFrom'];
  status: 'ok' | 'partial';
  coverage: Coverage;
  collected: Omit<Collected<unknown>, 'facts' | 'carry'>;
  rules: Readonly<Record<string, { severity?: Severity }>>;
}

/** Makes a snapshot of what a collector returned: ids, hints, references and the site's severities are filled in here. */
export function makeSnapshot(parts: SnapshotParts): Omit<Snapshot, 'facts' | 'previous'> {
  const { collected } = parts;
  return {
    schema: 'hpc-observer/snapshot/1',
    source: parts.source,
    cluster: parts.cluster,
    id: parts.id,
    collectedAt: toIso(parts.collectedAt),
    asOf: toIso(parts.asOf),
    asOfFrom: parts.asOfFrom,
    status: parts.status,
    coverage: parts.coverage,
    summary: collected.summary,
    conditions: stampConditions(collected.conditions, parts),
    cleared: stampCleared(collected.cleared ?? [], parts.cluster),
    series: Object.fromEntries(
      Object.entries(collected.series ?? {})
        .filter(([, v]) => Number.isFinite(v))
        .slice(0, 50),
    ),
  };
}

/** The snapshot that the same inputs come to at a later look. */
export function seenAgain(before: Snapshot, id: string, collectedAt: number): Omit<Snapshot, 'facts' | 'previous'> {
  const { facts: _, previous: __, ...rest } = before;
  const old = `${before.source}@${before.id}#`;
  const now = `${before.source}@${id}#`;
  return {
    ...rest,
    id,
    collectedAt: toIso(collectedAt),
    conditions: before.conditions.map((condition) => ({
      ...condition,
      evidence: condition.evidence.map((e) => ({ ...e, ref: e.ref.startsWith(old) ? now + e.ref.slice(old.length) : e.ref })),
    })),
  };
}

function stampConditions(drafts: readonly ConditionDraft[], parts: SnapshotParts): Condition[] {
  const byId = new Map<string, { condition: Condition; evidence: ConditionDraft['evidence'] }>();
  for (const draft of drafts) {
    const kind = kindOf(draft);
    const id = conditionId({ cluster: parts.cluster, ...draft });
    const condition: Condition = {
      id,
      kind: draft.kind,
      subject: draft.subject,
      ...(draft.part !== undefined && { part: draft.part }),
      severity: parts.rules[draft.kind]?.severity ?? draft.severity ?? kind.severity,
      message: oneLine(draft.message, 600),
      values: draft.values ?? {},
      since: draft.since ?? toIso(parts.asOf),
      lastSeen: draft.lastSeen ?? toIso(parts.asOf),
      count: draft.count ?? 1,
      evidence: [],
      ...(draft.place && { place: draft.place }),
      hint: kind.hint,
    };
    const twin = byId.get(id);
    byId.set(id, {
      condition: twin ? merge(twin.condition, condition) : condition,
      evidence: [...(twin?.evidence ?? []), ...(draft.evidence ?? [])],
    });
  }
  const ordered = [...byId.values()].sort(
    ({ condition: a }, { condition: b }) =>
      compareSeverity(a.severity, b.severity) ||
      compareNames(a.kind, b.kind) ||
      compareNames(a.subject.id, b.subject.id) ||
      compareNames(a.id, b.id),
  );
  return ordered.map(({ condition, evidence }, index) => {
    const own = `${parts.source}@${parts.id}#/conditions/${index}/values`;
    const cited = (evidence ?? []).map((e) => ({
      ref: e.at === undefined ? own : `${parts.source}@${parts.id}#${e.at}`,
      ...(e.quote !== undefined && { quote: oneLine(e.quote, 300) }),
    }));
    return { ...condition, evidence: cited.length > 0 ? cited.slice(0, 8) : [{ ref: own }] };
  });
}

/** Two records of one identity (a name that occurs twice in a source) are one condition: the worst of both, counted. */
function merge(a: Condition, b: Condition): Condition {
  const [lead, other] = compareSeverity(a.severity, b.severity) <= 0 ? [a, b] : [b, a];
  return {
    ...lead,
    severity: worse(a.severity, b.severity),
    since: a.since < b.since ? a.since : b.since,
    lastSeen: a.lastSeen > b.lastSeen ? a.lastSeen : b.lastSeen,
    count: lead.count + other.count,
  };
}

function stampCleared(drafts: readonly ClearedDraft[], cluster: string): Snapshot['cleared'] {
  return drafts.map((draft) => {
    kindOf(draft);
    return { id: conditionId({ cluster, ...draft }), by: draft.by, at: draft.at };
  });
}

function kindOf(draft: { kind: string; part?: string | undefined }): Kind {
  const kind = kinds.get(draft.kind);
  if (!kind) throw new TypeError(`no kind ${draft.kind} is declared`);
  if ((kind.part === undefined) !== (draft.part === undefined)) {
    throw new TypeError(`kind ${draft.kind} ${kind.part === undefined ? 'has no part' : `needs its part: ${kind.part}`}`);
  }
  return kind;
}
