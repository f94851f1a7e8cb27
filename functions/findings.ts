import { FindingState } from '../lib/model/finding.ts';
import { readReport } from '../lib/report/publish.ts';
import { readHistory } from '../lib/steps/history.ts';
import { createFunction, problem } from './function.ts';

const app = createFunction();

app.get('/', async (c) => {
  const state = c.req.query('state');
  if (state !== undefined && !FindingState.safeParse(state).success) {
    return problem(c, 400, { title: 'Bad state', detail: `expected one of ${FindingState.options.join(', ')}` });
  }
  const report = await readReport(c.get('observer').reports, 'latest');
  if (!report) return problem(c, 404, { title: 'No report', detail: 'no tick has ended yet: POST /run' });
  const findings = report.findings.filter((f) => state === undefined || f.state === state);
  return c.json({ tick: report.tick, verdict: report.verdict, total: findings.length, findings });
});

app.get('/:id', async (c) => {
  const { reports, store } = c.get('observer');
  const begun = c.req.param('id');
  const report = await readReport(reports, 'latest');
  // Reports show the beginning of an id; that is enough where it tells one finding from all others.
  const known = new Set([...(report?.findings ?? []), ...(report?.suppressed.flatMap((s) => s.findings) ?? [])].map((f) => f.id));
  const alike = /^[0-9a-f]{8,31}$/.test(begun) ? [...known].filter((one) => one.startsWith(begun)) : [];
  if (alike.length > 1)
    return problem(c, 404, {
      title: 'Which finding?',
      detail: `${alike.length} findings begin with ${begun}: ${alike.slice(0, 5).join(', ')}`,
    });
  const id = alike[0] ?? begun;
  const finding = report?.findings.find((f) => f.id === id);
  const history = /^[0-9a-f]{32}$/.test(id) ? await readHistory(store, id) : [];
  if (!finding && history.length === 0)
    return problem(c, 404, { title: 'No such finding', detail: `no finding ${id.slice(0, 40)} is open or remembered` });
  return c.json({ finding: finding ?? null, history, groups: report?.groups.filter((g) => g.findings.includes(id)) ?? [] });
});

export default app;
