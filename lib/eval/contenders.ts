import type { ModelConfig } from '../config.ts';
import type { ModelClient } from '../harness/client.ts';
import { mockClient } from '../harness/mocks.ts';
import { startMock } from '../harness/mocks/server.ts';
import { openaiClient } from '../harness/openai.ts';
import { oracle } from './oracle.ts';
import type { Scenario } from './scenario.ts';

/** A model that takes part, as plain data: it goes to other processes. */
export interface Entry {
  name: string;
  /** How often it is asked about each scenario. */
  times: number;
  /** A real endpoint; absent = the mock of that name. */
  model?: ModelConfig;
  key?: string;
}

/** A model that takes part. */
export interface Contender {
  name: string;
  times: number;
  client: (scenario: Scenario) => Promise<ModelClient> | ModelClient;
}

/** A mock that hangs need not do so for long. */
const PATIENCE = 1500;

/** Makes the clients of entries; mocks that speak over the wire get a server each. */
export async function enter(entries: readonly Entry[]): Promise<{ contenders: Contender[]; close: () => Promise<void> }> {
  const servers: { close: () => Promise<void> }[] = [];
  const contenders: Contender[] = [];
  for (const { name, times, model, key } of entries) {
    if (model) {
      const client = openaiClient(model, async () => key);
      contenders.push({ name, times, client: () => client });
    } else if (name === 'perfect') contenders.push({ name, times, client: ({ stories }) => oracle(stories) });
    else {
      const inside = mockClient(name);
      const server = inside === null ? await startMock(name, { timeout: PATIENCE }) : null;
      if (server) servers.push(server);
      const client = inside ?? server?.client;
      if (!client) throw new RangeError(`there is no mock ${name}`);
      contenders.push({ name, times, client: () => client });
    }
  }
  return { contenders, close: async () => void (await Promise.all(servers.map((s) => s.close()))) };
}
