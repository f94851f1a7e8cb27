import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { lint } from '../lib/steps/lint.ts';
import { oneLine } from '../lib/model/text.ts';
import { authorised } from './auth.ts';
import { createFunction, type FunctionEnv, problem } from './function.ts';

const MAX_TEXT = 4 * 1024 * 1024;

const app = createFunction();

/** What is wrong with the configured ground truth: each mistake with its line. */
app.get('/lint', async (c) => answer(c));

app.use(
  '/lint',
  authorised,
  bodyLimit({ maxSize: MAX_TEXT, onError: (c) => problem(c, 413, { title: 'Too large', detail: `the text is over ${MAX_TEXT} bytes` }) }),
);
/** The same of the body, before it is put in place; `?file=` is what mistakes call it. */
app.post('/lint', async (c) => answer(c, { text: await c.req.text(), file: oneLine(c.req.query('file') ?? 'body', 200) }));

async function answer(c: Context<FunctionEnv>, given?: { text: string; file: string }): Promise<Response> {
  const linted = await lint(c.get('observer'), given);
  return linted
    ? c.json(linted)
    : problem(c, 404, { title: 'No ground truth', detail: 'the configuration has no ground_truth; give a text to check' });
}

export default app;
