import type { Finding } from '../model/finding.ts';

export type Occasion = 'new' | 'escalated' | 'resolved' | 'flapping';

/**
 * What happened to a finding in a tick that is worth telling somebody, if anything did. Nothing is told twice in an
 * episode, and while a finding flaps only that it gets worse.
 * @param at the report's `generatedAt`
 */
export function occasionOf(finding: Finding, at: string): Occasion | null {
  if (finding.state === 'candidate') return null;
  if (finding.state === 'resolved') return finding.resolvedAt === at ? 'resolved' : null;
  if (finding.flapping?.since === at) return 'flapping';
  if (finding.reportedAt === at) return 'new';
  return finding.escalated?.at === at ? 'escalated' : null;
}
