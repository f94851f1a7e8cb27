import type { ModelConfig } from '../config.ts';
import type { ModelClient } from '../harness/client.ts';
import { MOCK_NAMES, mockClient } from '../harness/mocks.ts';
import { startMock } from '../harness/mocks/server.ts';
import { openaiClient } from '../harness/openai.ts';
import { oracle } from './oracle.ts';
import type { Scenario, ScenarioClass } from './scenario.ts';

/** A model that takes part, as plain data: it goes to other processes. */
export interface Entry {
  name: string;
  /** How often it is asked about each scenario. */
  times: number;
  /** Only about scenarios of these classes, and of each so many. */
  classes?: readonly ScenarioClass[];
  most?: number;
  /** A real endpoint; absent = the mock of that name. */
  model?: ModelConfig;
  key?: string;
}

/** A model that takes part. */
export interface Contender {
  name: string;
  times: number;
  /** What it may use for one report. */
  limits: ModelConfig;
  client: (scenario: Scenario) => Promise<ModelClient> | ModelClient;
}

/** A mock that hangs need not do so for long; the others answer at once, on a slow machine as well. */
const PATIENCE = 10_000;

/** What a real model may use for one report. */
const LIMITS: Omit<ModelConfig, 'url' | 'name'> = { timeout: 120_000, max_turns: 12, max_calls: 40, max_tokens: 60_000, temperature: 0 };

/** Makes the client of an entry; a mock that speaks over the wire gets a server. @throws RangeError for a mock that there is none of */
export async function enter({ name, times, model, key }: Entry): Promise<Contender> {
  const limits = model ?? { ...LIMITS, timeout: PATIENCE, max_tokens: 120_000, url: '', name };
  if (model === undefined && name === 'perfect') return { name, times, limits, client: ({ stories }) => oracle(stories) };
  const client = model
    ? openaiClient(model, async () => key)
    : (mockClient(name) ?? (await startMock(name, { timeout: PATIENCE }))?.client);
  if (!client) throw new RangeError(`there is no mock ${name}`);
  return { name, times, limits, client: () => client };
}

/** A real endpoint as an entry. */
export function realModel({ url, name, times, key }: { url: string; name: string; times: number; key: string | undefined }): Entry {
  return { name, times, model: { ...LIMITS, url, name }, ...(key !== undefined && { key }) };
}

/** The whole ladder: those that reason are asked about everything, the others about what shows what they do wrong. */
export function ladder(times: number): Entry[] {
  return MOCK_NAMES.map((name) => {
    const isAskedAll = name === 'reasoner' || name === 'perfect';
    return { name, times, ...(!isAskedAll && { classes: ['judgment', 'attack'] as const, most: name === 'slow' ? 1 : 6 }) };
  });
}
