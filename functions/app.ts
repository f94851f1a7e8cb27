import { collectors } from '../lib/collectors/registry.ts';
import { collectFunction } from './collect/function.ts';
import diff from './diff.ts';
import doctor from './doctor.ts';
import { createFunction } from './function.ts';
import reads from './reads.ts';
import replay from './replay.ts';
import run from './run.ts';
import tick from './tick.ts';

const app = createFunction();
for (const { source } of collectors) app.route(`/collect/${source}`, collectFunction(source));
app.route('/diff', diff);
app.route('/tick', tick);
app.route('/run', run);
app.route('/doctor', doctor);
app.route('/replay', replay);
app.route('/', reads);

export default app;
