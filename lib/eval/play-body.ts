import { parentPort } from 'node:worker_threads';
import { type Contender, enter } from './contenders.ts';
import type { Errand, Reply } from './evaluate.ts';
import { scenarioOf } from './library.ts';
import { play } from './play.ts';

/** The body of a thread that plays scenarios, one after the other, as it is told. Mocks are started once. */
const known = new Map<string, Contender>();

async function contendersOf({ entries }: Errand): Promise<Contender[]> {
  const contenders: Contender[] = [];
  for (const entry of entries) {
    const contender = known.get(entry.name) ?? (await enter(entry));
    known.set(entry.name, contender);
    contenders.push(contender);
  }
  return contenders;
}

parentPort?.on('message', (errand: Errand) => {
  const answer = (reply: Reply): void => parentPort?.postMessage(reply);
  contendersOf(errand)
    .then((contenders) => play(scenarioOf(errand.class, errand.number, errand.seed), contenders))
    .then((played) => answer({ played }))
    .catch((error: unknown) => answer({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }));
});
