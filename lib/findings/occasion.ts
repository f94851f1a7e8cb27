import type { Finding } from '../model/finding.ts';

/** What can happen to a finding in a tick that is worth telling somebody. */
export type Occasion = 'new' | 'escalated' | 'resolved' | 'flapping';

/**
 * What happened to a finding in the tick of a report: what its sections, the question to the model and, for a sink that
 * never failed, the notifications go by. Nothing is told twice in an episode, and while a finding flaps only that it gets
 * worse. Null where nothing did.
 * @param at the report's `generatedAt`
 */
export function occasionOf(finding: Finding, at: string): Occasion | null {
  if (finding.state === 'candidate') return null;
  if (finding.state === 'resolved') return finding.resolvedAt === at ? 'resolved' : null;
  const isFirst = finding.reportedAt === at;
  if (!isFirst && finding.escalated?.at === at) return 'escalated';
  if (finding.flapping?.since === at) return 'flapping';
  return isFirst ? 'new' : null;
}
