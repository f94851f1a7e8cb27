import { compareSeverity, type Severity } from '../model/condition.ts';
import type { Suppressed } from '../model/finding.ts';
import { setText } from '../findings/set-text.ts';
import type { Item } from './items.ts';
import { count, line } from './words.ts';

const MAX_KINDS = 6;

/** What was held back, by the entry that does it. Criticals among it are named one by one. */
export function suppressedItems(suppressed: readonly Suppressed[]): Item[] {
  return suppressed.map((s) => {
    const names = [...new Set(s.findings.map((f) => f.subject.id))];
    const severities = [...new Set(s.findings.map((f) => f.severity))].sort(compareSeverity);
    const hasCritical = severities.includes('critical');
    return {
      title: line(s.reason, 120),
      where: hasCritical ? line(s.subjects, s.subjects.length) : setText(names, 300),
      findings: s.findings.length,
      facts: [
        severities.map((severity) => number(s, severity)).join(', '),
        `by ${line(s.owner, 80)}`,
        `until ${s.until.slice(0, 16).replace('T', ' ')}Z`,
      ].filter((fact) => fact !== ''),
      details: [line(s.entry, 300), kindsOf(s)],
    };
  });
}

function number({ findings }: Suppressed, severity: Severity): string {
  return `${findings.filter((f) => f.severity === severity).length} ${severity}`;
}

function kindsOf({ findings }: Suppressed): string {
  const kinds = new Map<string, number>();
  for (const { kind } of findings) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const shown = [...kinds].slice(0, MAX_KINDS).map(([kind, n]) => `${line(kind, 80)}${n > 1 ? ` (${n})` : ''}`);
  return `${shown.join(', ')}${kinds.size > MAX_KINDS ? ` and ${count(kinds.size - MAX_KINDS, 'more kind')}` : ''}`;
}
