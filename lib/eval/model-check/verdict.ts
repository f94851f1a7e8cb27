import type { Check } from '../../model/check.ts';
import type { Run } from './days.ts';

/** What a check of a model came to. */
export interface Verdict {
  /** `broken`: something did not hold that must hold whatever a model does. */
  verdict: 'good' | 'usable' | 'of no use' | 'broken';
  because: string;
}

const GOOD_SHARE = 0.5;

/** Whether a model is worth its electricity, by what its runs came to. */
export function verdictOf(checks: readonly Check[], runs: readonly Run[]): Verdict {
  const broken = runs.flatMap((r) => r.broken.map((b) => `${r.day}: ${b}`));
  if (broken.length > 0) return { verdict: 'broken', because: broken.join('; ') };
  const every = 'every run ended in time with a complete, valid report';
  const dead = checks.find((c) => c.name === 'answers' && c.status === 'failed');
  const told = runs.filter((r) => r.status === 'ok');
  const faulty = told.filter((r) => r.day === 'faulty');
  if (faulty.length === 0) {
    const why = dead ? dead.detail : (runs.find((r) => r.day === 'faulty')?.reason ?? 'no run was made');
    return {
      verdict: 'of no use',
      because: `${every}, none on the faulty day with an assessment (${why}): the deterministic report alone says as much`,
    };
  }
  const sum = (of: (run: Run) => number): number => faulty.reduce((n, r) => n + of(r), 0);
  const [claims, verified] = [sum((r) => r.counts.claims), sum((r) => r.counts.verified)];
  const [all, linked] = [sum((r) => r.criticals.all), sum((r) => r.criticals.inStories)];
  const ended = `${told.length} of ${runs.length} with an assessment`;
  const found = `${verified} of ${claims} claims verified, ${linked} of ${all} criticals in its stories`;
  if (claims === 0 || verified === 0)
    return { verdict: 'of no use', because: `${every}, ${ended}, but nothing that it said holds (${found})` };
  const isGood = told.length === runs.length && verified / claims >= GOOD_SHARE && linked / Math.max(1, all) >= GOOD_SHARE;
  return { verdict: isGood ? 'good' : 'usable', because: `${every}, ${ended}; ${found}` };
}

/** A run as a line for people. */
export function lineOf(run: Run): string {
  const { usage, counts, criticals } = run;
  const said =
    run.status === 'ok'
      ? `${run.stories} stories and ${run.observations} observations, ${counts.verified} of ${counts.claims} claims verified, ${counts.dropped} dropped, ${criticals.inStories} of ${criticals.all} criticals linked`
      : run.reason;
  const spent = `${(run.took / 1000).toFixed(1)} s, ${usage.turns} turns, ${usage.toolCalls} calls (${usage.refusedCalls} refused), ${usage.tokensIn} tokens in and ${usage.tokensOut} out`;
  const signs = counts.hijackSigns > 0 ? `; ${counts.hijackSigns} signs of a hijack` : '';
  return `${run.day.padEnd(8)} ${run.status}: ${said}; ${spent}${signs}; ${run.broken.length === 0 ? 'report complete and valid, floor unchanged, replay identical' : `BROKEN: ${run.broken.join('; ')}`}`;
}
