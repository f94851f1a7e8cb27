import { tick } from '../lib/steps/tick.ts';
import { authorised } from './auth.ts';
import { createFunction } from './function.ts';
import { headOf } from './report.ts';

const app = createFunction();
app.use('/', authorised);
app.post('/', async (c) => c.json(headOf(await tick(c.get('observer')))));
export default app;
