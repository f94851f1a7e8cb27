import { collectors } from '../lib/collectors/registry.ts';
import { collectFunction } from './collect/function.ts';
import diff from './diff.ts';
import findings from './findings.ts';
import { createFunction } from './function.ts';
import health from './health.ts';
import metrics from './metrics.ts';
import openapi from './openapi.ts';
import report from './report.ts';
import run from './run.ts';
import snapshots from './snapshots.ts';
import tick from './tick.ts';
import tools from './tools.ts';

const app = createFunction();
for (const { source } of collectors) app.route(`/collect/${source}`, collectFunction(source));
app.route('/diff', diff);
app.route('/tick', tick);
app.route('/run', run);
app.route('/findings', findings);
app.route('/tools', tools);
app.route('/metrics', metrics);
app.route('/openapi.json', openapi);
app.route('/', health);
app.route('/', snapshots);
app.route('/', report);

export default app;
