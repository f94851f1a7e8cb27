import { diffSources } from '../lib/steps/diff.ts';
import { authorised } from './auth.ts';
import { createFunction } from './function.ts';

const app = createFunction();
app.use('/', authorised);
app.post('/', async (c) => c.json({ changes: await diffSources(c.get('observer')) }));
export default app;
