import audit from './audit.ts';
import findings from './findings.ts';
import { createFunction } from './function.ts';
import groundTruth from './ground-truth.ts';
import health from './health.ts';
import history from './history.ts';
import metrics from './metrics.ts';
import openapi from './openapi.ts';
import report from './report.ts';
import snapshots from './snapshots.ts';
import tools from './tools.ts';

/** All functions that look at what is stored; none of them does a step. */
const app = createFunction();
app.route('/findings', findings);
app.route('/history', history);
app.route('/ground-truth', groundTruth);
app.route('/tools', tools);
app.route('/metrics', metrics);
app.route('/audit', audit);
app.route('/openapi.json', openapi);
app.route('/', health);
app.route('/', snapshots);
app.route('/', report);

export default app;
