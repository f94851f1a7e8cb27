import * as z from 'zod';
import { collectors } from '../lib/collectors/registry.ts';
import { Change } from '../lib/model/change.ts';
import { Finding } from '../lib/model/finding.ts';
import { Report } from '../lib/model/report.ts';
import { History } from '../lib/report/chronicle.ts';
import { Attempt, CollectResult, Snapshot } from '../lib/model/snapshot.ts';
import { VERSION } from '../lib/version.ts';
import { createFunction } from './function.ts';

const SCHEMAS = { Report, Finding, Snapshot, Change, Attempt, CollectResult, History };

const app = createFunction();
app.get('/', (c) => c.json(document()));
export default app;

type Operation = [method: 'get' | 'post', path: string, summary: string, answers?: keyof typeof SCHEMAS];

/** What there is, in the order of use. */
const OPERATIONS: readonly Operation[] = [
  ...collectors.map((x): Operation => ['post', `/collect/${x.source}`, `Collect: ${x.title}`, 'CollectResult']),
  ['post', '/diff', 'Diff what no diff has seen yet'],
  ['post', '/tick', 'One run of the agent over what is stored; answers the head of its report'],
  ['post', '/run', 'Collect everything, diff, tick'],
  ['get', '/snapshots/{source}', 'Ids of the stored snapshots of a source, newest first'],
  ['get', '/snapshots/{source}/{id}', 'A snapshot: latest, previous, or its id', 'Snapshot'],
  ['get', '/changes/latest', 'The last change of each source'],
  ['get', '/', 'The latest report as a page'],
  ['get', '/reports', 'Ticks that have a report, newest first'],
  ['get', '/reports/{name}', 'A report: latest or a tick, with .json (default), .md, .txt or .html', 'Report'],
  ['get', '/findings', 'The findings of the last tick, all or of one ?state='],
  ['get', '/findings/{id}', 'A finding with its history, its groups, what holds it back, and what may have to do with it'],
  ['get', '/history', 'The last ?ticks=, what moved in them, and numbers over ?days=; ?source= for all of one', 'History'],
  ['get', '/ground-truth/lint', 'What is wrong with the configured ground truth, each mistake with its line'],
  ['post', '/ground-truth/lint', 'The same of the body, before it is put in place'],
  ['get', '/tools', "The model's read-only menu"],
  ['post', '/tools/{name}', 'A call of a tool by hand, its arguments as the body'],
  ['post', '/doctor', 'Looks at everything that a tick depends on: permissions, clock, sources, model, one seeded fault'],
  ['get', '/audit/verify', 'Walks the hash chains of the audit log'],
  ['post', '/replay/{tick}', 'Plays a tick back from its recording, or asks the configured model again (?model=now)'],
  ['get', '/healthz', 'Alive'],
  ['get', '/readyz', 'Ready: store, sources, last tick'],
  ['get', '/metrics', "Gauges in Prometheus' text format"],
];

function document(): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [method, path, summary, answers] of OPERATIONS) {
    const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    }));
    const schema = answers ? { $ref: `#/components/schemas/${answers}` } : {};
    const operation = {
      summary,
      ...(parameters.length > 0 && { parameters }),
      ...(method === 'post' && { security: [{}, { bearer: [] }] }),
      responses: {
        200: { description: 'Done', ...(answers && { content: { 'application/json': { schema } } }) },
        default: {
          description: 'A problem (RFC 9457)',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    };
    paths[path] = { ...paths[path], [method]: operation };
  }
  const schemas = Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, schema]) => [name, z.toJSONSchema(schema, { unrepresentable: 'any' })]),
  );
  return {
    openapi: '3.1.0',
    info: { title: 'hpc-observer', version: VERSION, description: 'Read-only observability agent for HPC clusters.' },
    paths,
    components: {
      schemas: {
        ...schemas,
        Problem: {
          type: 'object',
          properties: {
            type: { type: 'string' },
            title: { type: 'string' },
            status: { type: 'integer' },
            detail: { type: 'string' },
            source: { type: 'string' },
            advice: { type: 'string' },
          },
        },
      },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}
