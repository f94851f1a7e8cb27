import type { Change } from '../model/change.ts';
import type { Condition } from '../model/condition.ts';
import { canonicalJson, type Json, pointerSegment } from '../model/json.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { observation } from './observed.ts';

const MAX_SUMMARY_CHANGES = 50;

/**
 * The curated difference along a source's snapshots.
 * @param from the last snapshot that was diffed; null at first sight
 * @param later every snapshot committed since, oldest first; not empty
 */
export function diff(from: Snapshot | null, later: readonly Snapshot[]): Change {
  const to = later.at(-1) as Snapshot;
  const change: Change = {
    source: to.source,
    from: from?.id ?? null,
    to: to.id,
    ...(from === null && { reason: 'first sight' }),
    appeared: [],
    cleared: [],
    changed: [],
    unknown: [],
    ...summaryChanges(from?.summary ?? null, to.summary),
  };
  let before = new Map((from?.conditions ?? []).map((c) => [c.id, c]));
  const first = before;
  for (const snapshot of later) {
    const now = new Map(snapshot.conditions.map((c) => [c.id, c]));
    const clearedBy = new Map(snapshot.cleared.map((c) => [c.id, c.by]));
    const isObserved = observation(snapshot.coverage.observed);
    for (const [id, condition] of now) if (!before.has(id)) change.appeared.push(stub(condition));
    for (const [id, condition] of before) {
      if (now.has(id)) continue;
      const by = clearedBy.get(id);
      if (by !== undefined) change.cleared.push({ ...stub(condition), by });
      else if (isObserved(condition.subject, condition.kind)) change.cleared.push({ ...stub(condition), by: 'absence' });
      else change.unknown.push(stub(condition));
    }
    before = now;
  }
  for (const [id, condition] of before) {
    const was = first.get(id);
    if (!was || (was.severity === condition.severity && isSame(was.values, condition.values))) continue;
    change.changed.push({ ...stub(condition), was: { severity: was.severity, values: was.values }, values: condition.values });
  }
  return change;
}

function stub({ id, kind, subject, part, severity, message }: Condition): Change['appeared'][number] {
  return { id, kind, subject, ...(part !== undefined && { part }), severity, message };
}

function summaryChanges(from: Json, to: Json): Pick<Change, 'summary' | 'summaryMore'> {
  if (from === null) return { summary: [], summaryMore: 0 };
  const all: Change['summary'] = [];
  walk('', from, to, all);
  return { summary: all.slice(0, MAX_SUMMARY_CHANGES), summaryMore: Math.max(0, all.length - MAX_SUMMARY_CHANGES) };
}

function walk(path: string, from: Json | undefined, to: Json | undefined, out: Change['summary']): void {
  if (isBranch(from) && isBranch(to) && Array.isArray(from) === Array.isArray(to)) {
    for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
      walk(`${path}/${pointerSegment(key)}`, member(from, key), member(to, key), out);
    }
  } else if (!isSame(from ?? null, to ?? null)) {
    out.push({ path, from: from ?? null, to: to ?? null });
  }
}

/** Whether two values are the same JSON, in whatever order their members stand. */
function isSame(a: Json, b: Json): boolean {
  if (a === b) return true;
  return isBranch(a) && isBranch(b) && (isAlike(a, b) || canonicalJson(a) === canonicalJson(b));
}

/** A yes is sure: nearly everything is as it was, and to write it twice takes longer than to look through it. */
function isAlike(a: Branch, b: Branch): boolean {
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => {
    const [one, other] = [member(a, key), member(b, key)];
    return one === other ? Object.hasOwn(b, key) : isBranch(one) && isBranch(other) && isAlike(one, other);
  });
}

type Branch = Json[] | { [key: string]: Json };

function isBranch(value: Json | undefined): value is Branch {
  return value !== null && typeof value === 'object';
}

function member(branch: Branch, key: string): Json | undefined {
  return Object.hasOwn(branch, key) ? (branch as Record<string, Json>)[key] : undefined;
}
