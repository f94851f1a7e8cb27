import type { Context } from 'hono';
import { etag } from 'hono/etag';
import { FindingState } from '../lib/model/finding.ts';
import { onceOfFrozen } from '../lib/model/once.ts';
import type { Report } from '../lib/model/report.ts';
import { readReport } from '../lib/report/publish.ts';
import { readStory } from '../lib/steps/story.ts';
import { answerBytes, jsonBytes } from './answer.ts';
import { createFunction, type FunctionEnv, problem } from './function.ts';

const app = createFunction();

app.get('/', etag(), async (c) => {
  const state = c.req.query('state');
  if (state !== undefined && !FindingState.safeParse(state).success) {
    return problem(c, 400, { title: 'Bad state', detail: `expected one of ${FindingState.options.join(', ')}` });
  }
  const report = await readReport(c.get('observer').reports, 'latest');
  if (!report) return problem(c, 404, { title: 'No report', detail: 'no tick has ended yet: POST /run' });
  return answerBytes(c, listOf(report)(state));
});

/** The lists of a report that were asked for, by state, as JSON. */
const listOf = onceOfFrozen((report: Report) => {
  const lists = new Map<string | undefined, Uint8Array<ArrayBuffer>>();
  return (state: string | undefined): Uint8Array<ArrayBuffer> => {
    const known = lists.get(state);
    if (known) return known;
    const findings = report.findings.filter((f) => state === undefined || f.state === state);
    const list = jsonBytes({ tick: report.tick, verdict: report.verdict, total: findings.length, findings });
    lists.set(state, list);
    return list;
  };
});

app.get('/:id', async (c) => tell(c, c.req.param('id')));

async function tell(c: Context<FunctionEnv>, id: string): Promise<Response> {
  const story = await readStory(c.get('observer'), id);
  if (story === null) return problem(c, 404, { title: 'No such finding', detail: `no finding ${id.slice(0, 40)} is open or remembered` });
  if ('alike' in story)
    return problem(c, 404, {
      title: 'Which finding?',
      detail: `${story.alike.length} findings begin with ${id}: ${story.alike.slice(0, 5).join(', ')}`,
    });
  return c.json(story);
}

export default app;
