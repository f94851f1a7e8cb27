import { occasionOf } from '../findings/occasion.ts';
import type { Assessment } from '../model/report.ts';
import { parseDuration, toIso } from '../model/time.ts';
import type { ReadView } from '../tools/view.ts';

/** An assessment that nothing has called into question holds for as long as this. */
const HOLDS_FOR = parseDuration('6h');

/**
 * Why the model is asked now; null while the last assessment still holds. Values that drift are no reason: what is told of
 * a condition changes when its severity does, when it turns stale, or when it begins or ends.
 */
export function reasonToAsk(view: ReadView, previous: Assessment | null): string | null {
  if (!previous?.madeAt || (previous.status !== 'ok' && previous.status !== 'carried')) return 'there is no earlier assessment that holds';
  if (view.now - Date.parse(previous.madeAt) > HOLDS_FOR) return 'the last assessment is over 6 hours old';
  const now = toIso(view.now);
  for (const f of view.findings) {
    const what = `${f.kind} on ${f.subject.id}`;
    const occasion = occasionOf(f, now);
    if (occasion) return `${occasion}: ${what}`;
    if (f.state === 'stale' && f.changedAt === now) return `stale: ${what}`;
  }
  const changed = view.changes.flatMap((c) => c.changed).find((c) => c.was.severity !== c.severity);
  return changed ? `changed: ${changed.kind} on ${changed.subject.id}` : null;
}
