import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { ModelConfig } from '../config.ts';
import { abortAfter } from '../deadline.ts';
import { openaiClient } from '../harness/openai.ts';
import { probeEndpoint } from '../harness/probe.ts';
import { oneLine } from '../model/text.ts';
import { parseDuration } from '../model/time.ts';
import { collectDay, DAYS, type Run, runDay } from './model-check/days.ts';
import { lineOf, verdictOf } from './model-check/verdict.ts';

const { values } = parseArgs({
  options: {
    'model-url': { type: 'string' },
    'model-name': { type: 'string' },
    timeout: { type: 'string', default: '120s' },
    context: { type: 'string' },
    runs: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const [url, name] = [values['model-url'], values['model-name']];
const runsPerDay = Number(values.runs);
if (url === undefined || name === undefined || !URL.canParse(url) || !(runsPerDay >= 1)) {
  console.error(
    `usage: npm run model-check -- --model-url http://127.0.0.1:8000/v1 --model-name NAME [--timeout 120s] [--context TOKENS] [--runs 1] [--json]
The key, where one is needed, is taken from OBSERVER_MODEL_KEY. Exit 0: usable; 1: of no use, or broken; 2: usage.`,
  );
  process.exit(2);
}

const config: ModelConfig = {
  url,
  name,
  timeout: parseDuration(values.timeout),
  max_turns: 12,
  max_calls: 40,
  max_tokens: 120_000,
  temperature: 0,
  ...(values.context !== undefined && { context: Number(values.context) }),
};
const client = openaiClient(config, async () => process.env['OBSERVER_MODEL_KEY']);
const say = (line: string): void => {
  if (!values.json) console.log(line);
};

say(`${client.label}\nthe wire`);
const { profile, checks } = await probeEndpoint({
  client,
  clock: Date.now,
  context: config.context ?? null,
  signal: abortAfter(config.timeout * 2),
});
for (const c of checks) say(`  ${c.status.padEnd(8)} ${c.name}: ${c.detail}${c.advice === undefined ? '' : `\n           → ${c.advice}`}`);
say(`  known of it: ${oneLine(JSON.stringify(profile?.capabilities ?? {}), 600)}\nthe bundled days`);

const fixtures = fileURLToPath(new URL('../../../fixtures/democluster', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'hpc-observer-model-check-'));
const runs: Run[] = [];
try {
  for (const day of DAYS) {
    const collected = await collectDay(day, fixtures, scratch);
    for (let n = 0; n < runsPerDay; n++) {
      const run = await runDay(collected, client, config, profile);
      runs.push(run);
      say(`  ${lineOf(run)}${run.notes.length > 0 ? `\n           notes: ${run.notes.join('; ')}` : ''}`);
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const verdict = verdictOf(checks, runs);
if (values.json) console.log(JSON.stringify({ model: client.label, profile, checks, runs, ...verdict }, null, 2));
else console.log(`verdict: ${verdict.verdict}: ${verdict.because}`);
process.exitCode = verdict.verdict === 'good' || verdict.verdict === 'usable' ? 0 : 1;
