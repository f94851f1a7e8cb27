import { run } from '../lib/steps/run.ts';
import { authorised } from './auth.ts';
import { createFunction } from './function.ts';
import { headOf } from './report.ts';

const app = createFunction();
app.use('/', authorised);
app.post('/', async (c) => {
  const { results, report } = await run(c.get('observer'));
  return c.json({ results, report: headOf(report) });
});
export default app;
