import { performance } from 'node:perf_hooks';
import { run } from '../steps/run.ts';
import type { Contender } from './contenders.ts';
import { MemoryFolder } from './memory.ts';
import { memoryObserver } from './observer.ts';
import type { Played } from './played.ts';
import { Recorder } from './recorder.ts';
import { fleetOf, type Scenario, writeLook } from './scenario.ts';

/**
 * Plays a scenario from its first look to its last: raw files, seven collects, tick. After the look at which models are
 * asked, each contender makes its own report of that same tick.
 */
export async function play(scenario: Scenario, contenders: readonly Contender[]): Promise<Played> {
  const began = performance.eventLoopUtilization();
  const fleet = fleetOf(scenario);
  const folder = new MemoryFolder();
  const now = fleet.timeOf(0);
  const observer = memoryObserver(folder, { config: fleet.configuration(now), groundTruth: fleet.groundTruth(scenario.truth) }, { now });
  const recorder = new Recorder(scenario, fleet);
  for (let look = 0; look <= scenario.looks; look++) {
    observer.now = fleet.timeOf(look);
    writeLook(scenario, { fleet, folder, look });
    recorder.bytes(folder);
    const { report } = await run(observer);
    const expected = fleet.expected(observer.now);
    recorder.look(look, report, expected);
    if (look === scenario.ask) await recorder.ask(report, expected, observer, contenders);
  }
  return recorder.played(Math.round(performance.eventLoopUtilization(began).active));
}
