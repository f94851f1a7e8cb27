import type { Gathered } from '../oneview/gather.ts';
import type { CoverageProblem } from '../../model/snapshot.ts';
import type { Alert } from './alert.ts';

/** What the set of alerts proves, by what was asked for. */
export interface Scope {
  /** Every open alert is here: what is absent is not open. */
  complete: boolean;
  problems: CoverageProblem[];
}

const STATES = ['active', 'locked'] as const;

/**
 * Judges whether the absence of an alert says that it is not open: all pages are there, both states were asked for, and
 * no other filter narrowed them. Asking for `alertState='Active'` alone leaves Locked criticals out unseen.
 * @param trusted the site says that its dumps are always whole, so that a bare list needs no total
 */
export function judgeScope(gathered: Gathered, alerts: readonly Alert[], trusted: boolean): Scope {
  const problems: CoverageProblem[] = [];
  const { filters, proven } = gathered.completeness;
  const unread = gathered.problems.some((p) => p.effect === 'input');
  const states = new Set(filters.flatMap(statesOf));
  const lacking = filters.length === 0 ? [] : STATES.filter((s) => !states.has(s) && !alerts.some((a) => a.state.toLowerCase() === s));
  if (lacking.length > 0) {
    problems.push({
      effect: 'input',
      message: `the dump was filtered to ${filters.filter((f) => f !== '').join(' and ')}: ${lacking.join(' and ')} alerts, which are open as well, were not asked for`,
    });
  }
  const narrowed = filters.filter(isNarrowed);
  if (narrowed.length > 0)
    problems.push({
      effect: 'note',
      message: `the dump was filtered to ${narrowed.join(' and ')}: the absence of an alert proves nothing`,
    });
  const bare = gathered.bare && !proven;
  if (bare && !trusted) {
    problems.push({
      effect: 'note',
      message:
        'a bare list states no total: the absence of an alert proves nothing (set whole_dumps: true where dumps always hold every open alert)',
    });
  }
  const whole = proven || (gathered.bare && trusted && filters.length === 0);
  // A member that is no record may have been any alert; one whose resource has no usable name never was a condition.
  const garbled = gathered.rejected.length > 0;
  return { complete: whole && !unread && !garbled && lacking.length === 0 && narrowed.length === 0, problems };
}

/** The open states that a filter lets pass; no filter lets pass both. */
function statesOf(filter: string): string[] {
  const lower = filter.toLowerCase();
  if (!lower.includes('alertstate')) return [...STATES];
  if (/(?:<>|!=|\bne\b)\s*'?cleared/.test(lower)) return [...STATES];
  return STATES.filter((state) => lower.includes(state));
}

/** Whether a filter speaks of anything but the state. */
function isNarrowed(filter: string): boolean {
  const names = [...filter.matchAll(/\b([a-z]\w*)\s*(?:=|<|>|!=|\b(?:eq|ne|gt|ge|lt|le|like|matches|in)\b)/gi)].map((m) =>
    (m[1] as string).toLowerCase(),
  );
  return names.some((name) => name !== 'alertstate');
}
