import * as z from 'zod';
import { Check } from '../model/check.ts';
import { oneLine } from '../model/text.ts';
import { EXIT, fetchJson, type Session } from './session.ts';

const Diagnosis = z.looseObject({
  healthy: z.boolean(),
  areas: z.array(z.object({ area: z.string(), checks: z.array(Check) })),
  profile: z.looseObject({ capabilities: z.record(z.string(), z.unknown()) }).nullable(),
});

/** `doctor`: exit 1 when something failed; warnings alone are no failure. */
export async function doctorCommand(session: Session, json: boolean): Promise<number> {
  const answer = await fetchJson(session, '/doctor', { method: 'POST' });
  const { healthy, areas, profile } = Diagnosis.parse(answer);
  if (json) session.out(`${JSON.stringify(answer, null, 2)}\n`);
  else {
    for (const { area, checks } of areas) {
      session.out(`${area}\n`);
      for (const check of checks) session.out(lines(check));
    }
    const known = Object.entries(profile?.capabilities ?? {}).map(([what, value]) => `${what}: ${String(value)}`);
    if (known.length > 0) session.out(`what is known of the endpoint\n  ${oneLine(known.join('; '), 2000)}\n`);
    const count = (status: Check['status']): number => areas.flatMap((a) => a.checks).filter((c) => c.status === status).length;
    session.out(
      `${healthy ? 'healthy' : 'not healthy'}: ${count('ok')} ok, ${count('warning')} warnings, ${count('failed')} failed, ${count('skipped')} skipped\n`,
    );
  }
  return healthy ? EXIT.done : EXIT.failed;
}

function lines({ name, status, detail, advice }: Check): string {
  const told = `  ${status.padEnd(8)} ${oneLine(name, 120)}: ${oneLine(detail, 800)}\n`;
  return advice === undefined || advice === '' ? told : `${told}           → ${oneLine(advice, 400)}\n`;
}
