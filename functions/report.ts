import type { Context } from 'hono';
import { etag } from 'hono/etag';
import type { Report } from '../lib/model/report.ts';
import { listReports, readReport } from '../lib/report/publish.ts';
import { renderBytes, REPORT_TYPES, type ReportFormat } from '../lib/report/render.ts';
import { answerBytes } from './answer.ts';
import { createFunction, type FunctionEnv, problem } from './function.ts';

const NAME = /^(latest|\d{8}t\d{6}\.\d{3}z)(?:\.(json|md|txt|html))?$/;
const MAX_LISTED = 500;

/** What `/tick` and `/run` answer: the verdict, the counts, and where the whole report lies. */
export function headOf(report: Report): Record<string, unknown> {
  const states: Record<string, number> = {};
  for (const finding of report.findings) states[finding.state] = (states[finding.state] ?? 0) + 1;
  return {
    tick: report.tick,
    cluster: report.cluster,
    generatedAt: report.generatedAt,
    verdict: report.verdict,
    because: report.because,
    findings: states,
    assessment: { status: report.assessment.status, reason: report.assessment.reason },
    sinks: report.sinks,
    report: `/reports/${report.tick}.json`,
  };
}

const app = createFunction();
app.get('/', etag(), async (c) => show(c, 'latest', 'html'));
app.get('/reports', async (c) => {
  const ticks = await listReports(c.get('observer').reports);
  return c.json({ reports: ticks.slice(0, MAX_LISTED), total: ticks.length });
});
app.get('/reports/:name', etag(), async (c) => {
  const name = NAME.exec(c.req.param('name'));
  if (!name) return problem(c, 404, { title: 'No such report', detail: 'expected latest or a tick, with .json, .md, .txt or .html' });
  return show(c, name[1] as string, (name[2] ?? 'json') as ReportFormat);
});

async function show(c: Context<FunctionEnv>, tick: string, format: ReportFormat): Promise<Response> {
  const report = await readReport(c.get('observer').reports, tick);
  if (!report)
    return problem(c, 404, {
      title: 'No such report',
      detail: tick === 'latest' ? 'no tick has ended yet: POST /run' : `no report of tick ${tick} is stored`,
    });
  c.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; img-src data:");
  c.header('x-content-type-options', 'nosniff');
  // A stored tick is looked up as it was; the latest is taken for the present, which it may not be.
  const { clock } = c.get('observer');
  return answerBytes(c, renderBytes(report, format, tick === 'latest' ? clock() : undefined), REPORT_TYPES[format]);
}

export default app;
