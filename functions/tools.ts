import { bodyLimit } from 'hono/body-limit';
import { etag } from 'hono/etag';
import { storedView } from '../lib/steps/view.ts';
import { invoke, tools } from '../lib/tools/registry.ts';
import { answerBytes, jsonBytes } from './answer.ts';
import { authorised } from './auth.ts';
import { createFunction, problem } from './function.ts';

const MAX_ARGUMENTS = 64 * 1024;

const app = createFunction();

let menu: Uint8Array<ArrayBuffer> | undefined;
app.get('/', etag(), (c) => {
  menu ??= jsonBytes({ tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })) });
  return answerBytes(c, menu);
});

app.use(
  '/:name',
  authorised,
  bodyLimit({
    maxSize: MAX_ARGUMENTS,
    onError: (c) => problem(c, 413, { title: 'Too large', detail: `the arguments are over ${MAX_ARGUMENTS} bytes` }),
  }),
);
app.post('/:name', async (c) => {
  const observer = c.get('observer');
  const text = await c.req.text();
  let args: unknown;
  try {
    args = text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return problem(c, 400, { title: 'Bad arguments', detail: 'expected the arguments as a JSON object' });
  }
  const view = await storedView(observer);
  if (!view) return problem(c, 404, { title: 'Nothing to look at', detail: 'no tick has ended yet: POST /run' });
  const { result, auditEntry } = await invoke(view, c.req.param('name'), args);
  await observer.audit.append(auditEntry);
  return result.ok
    ? c.json(result)
    : problem(c, auditEntry.decision === 'executed' ? 422 : 404, {
        title: 'Refused',
        detail: result.error,
        tool: c.req.param('name').slice(0, 80),
      });
});

export default app;
