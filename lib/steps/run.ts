import type { Report } from '../model/report.ts';
import type { CollectResult } from '../model/snapshot.ts';
import { collectors } from '../collectors/registry.ts';
import { collectAll } from './collect.ts';
import { alone, type Observer } from './observer.ts';
import { tick } from './tick.ts';

/**
 * Collect everything, diff, tick.
 * @throws StepError `busy` when another run is under way
 */
export async function run(observer: Observer): Promise<{ results: CollectResult[]; report: Report }> {
  return alone(observer, 'run', async () => {
    const results = await collectAll(
      observer,
      collectors.map((c) => c.source),
    );
    return { results, report: await tick(observer) };
  });
}
