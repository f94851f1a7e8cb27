import { doctor } from '../lib/steps/doctor.ts';
import { authorised } from './auth.ts';
import { createFunction } from './function.ts';

const app = createFunction();
app.use('/', authorised);

/** Looks at everything that a tick depends on; 200 whatever it finds, `healthy` tells. */
app.post('/', async (c) => c.json(await doctor(c.get('observer'))));

export default app;
