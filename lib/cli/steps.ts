import * as z from 'zod';
import { CollectResult } from '../model/snapshot.ts';
import { Report } from '../model/report.ts';
import { render } from '../report/render.ts';
import { CommandFailed, EXIT, fetchJson, fetchReport, type Session, tickOf } from './session.ts';
import { formatProblem } from './problem.ts';

/** `collect [SOURCE…]`: exit 1 when a source failed. */
export async function collectCommand(session: Session, asked: readonly string[], json: boolean): Promise<number> {
  const unknown = asked.filter((s) => !session.sources.includes(s));
  if (unknown.length > 0)
    throw new CommandFailed(`no such source: ${unknown.join(', ')}; known: ${session.sources.join(', ')}`, EXIT.usage);
  const results = await Promise.all((asked.length > 0 ? asked : session.sources).map((source) => collectOne(session, source)));
  if (json) session.out(`${JSON.stringify({ results }, null, 2)}\n`);
  else for (const result of results) session.out(`${describe(result)}\n`);
  return results.some((r) => r.status === 'failed') ? EXIT.failed : EXIT.done;
}

const WithResult = z.looseObject({ result: CollectResult });

async function collectOne(session: Session, source: string): Promise<CollectResult> {
  const response = await session.request(`/collect/${source}`, { method: 'POST' });
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  if (response.ok) return CollectResult.parse(body);
  const failed = WithResult.safeParse(body);
  if (failed.success) return failed.data.result;
  const detail = await formatProblem(response);
  return {
    source,
    status: 'failed',
    snapshot: null,
    conditions: 0,
    coverage: null,
    problem: { code: response.status === 409 ? 'busy' : 'internal', detail, advice: '' },
  };
}

function describe({ source, status, conditions, coverage, problem }: CollectResult): string {
  const seen = coverage
    ? `, ${coverage.records} records from ${coverage.inputsTotal} inputs${coverage.rejected ? `, ${coverage.rejected} rejected` : ''}`
    : '';
  const head = `${source.padEnd(18)} ${status}${status === 'skipped' ? ' (not configured)' : `: ${conditions} conditions${seen}`}`;
  const flaws = (coverage?.problems ?? [])
    .filter((p) => p.effect === 'input')
    .map((p) => `  ${[p.input, p.place, p.message].filter(Boolean).join(': ')}`);
  return [head, ...(problem ? [`  ${problem.detail}`, ...(problem.advice ? [`  → ${problem.advice}`] : [])] : flaws)].join('\n');
}

const Changes = z.looseObject({
  changes: z.array(
    z.looseObject({
      source: z.string(),
      appeared: z.array(z.unknown()),
      cleared: z.array(z.unknown()),
      changed: z.array(z.unknown()),
      unknown: z.array(z.unknown()),
    }),
  ),
});

export async function diffCommand(session: Session, json: boolean): Promise<number> {
  const answer = await fetchJson(session, '/diff', { method: 'POST' });
  if (json) session.out(`${JSON.stringify(answer, null, 2)}\n`);
  else {
    const { changes } = Changes.parse(answer);
    for (const c of changes)
      session.out(
        `${c.source.padEnd(18)} ${c.appeared.length} appeared, ${c.cleared.length} cleared, ${c.changed.length} changed, ${c.unknown.length} unknown\n`,
      );
    if (changes.length === 0) session.out('nothing new to diff\n');
  }
  return EXIT.done;
}

/** `tick`: exit 1 when no report could be stored. */
export async function tickCommand(session: Session, json: boolean): Promise<number> {
  const tick = tickOf(await fetchJson(session, '/tick', { method: 'POST' }));
  print(session, await fetchReport(session, tick), json);
  return EXIT.done;
}

const RunAnswer = z.looseObject({ results: z.array(CollectResult), report: z.looseObject({ tick: z.string() }) });

/** `run`: collect, diff, tick; exit 1 when a source failed. */
export async function runCommand(session: Session, json: boolean): Promise<number> {
  const { results, report } = RunAnswer.parse(await fetchJson(session, '/run', { method: 'POST' }));
  print(session, await fetchReport(session, report.tick), json);
  const failed = results.filter((r) => r.status === 'failed');
  for (const result of failed) session.err(`${describe(result)}\n`);
  return failed.length > 0 ? EXIT.failed : EXIT.done;
}

function print(session: Session, report: Report, json: boolean): void {
  session.out(json ? render(Report.parse(report), 'json') : render(report, 'txt', { colour: session.colour, width: session.width }));
}
