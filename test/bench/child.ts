import { type Aside, type Measured, type Part, processorTime } from './part.ts';
import { peakMemory } from './peak.ts';

/** What one process of the benchmark is asked for. */
export interface Errand {
  part: string;
  size: number;
  folder: string;
  /** `prepare`, `measure`, or the name of something that runs alone. */
  what: string;
}

/** What it answers. */
export type Answer =
  | { what: 'prepare' }
  | { what: 'measure'; measured: Omit<Measured, 'size'> }
  | { what: 'alone'; ms: number; processor: number; peak: number; aside: Aside };

/** Does one errand, in this process. */
export async function runErrand(part: Part, { size, folder, what }: Errand): Promise<Answer> {
  if (what === 'prepare') {
    await part.prepare?.(size, folder);
    return { what };
  }
  if (what === 'measure') {
    const measured = await part.measure(size, folder);
    return { what, measured: { ...measured, peak: peakMemory() } };
  }
  const work = part.alone?.[what];
  if (!work) throw new Error(`${part.name} has no ${what}`);
  const [began, processor] = [performance.now(), processorTime()];
  const aside = (await work(size, folder)) ?? {};
  const took = { ms: aside.ms ?? performance.now() - began, processor: aside.processor ?? processorTime() - processor };
  return { what: 'alone', ...took, peak: peakMemory(), aside };
}

/** Measures a part at one size, each errand by a process of its own. */
export async function measureAt(part: Part, size: number, folder: string, send: (errand: Errand) => Promise<Answer>): Promise<Measured> {
  const errand = { part: part.name, size, folder };
  if (part.prepare) await send({ ...errand, what: 'prepare' });
  const answer = await send({ ...errand, what: 'measure' });
  if (answer.what !== 'measure') throw new Error(`${part.name} measured nothing`);
  const measured: Measured = { size, ...answer.measured };
  for (const name of Object.keys(part.alone ?? {})) {
    const alone = await send({ ...errand, what: name });
    if (alone.what !== 'alone') throw new Error(`${part.name} did not run ${name}`);
    const { ms, processor, peak, aside } = alone;
    measured.stages.push({ name, ms, peak, ...(aside.note !== undefined && { note: aside.note }) });
    measured.stages.push({ name: `${name}, processor`, ms: processor });
    if (aside.amounts) measured.amounts = [...(measured.amounts ?? []), ...aside.amounts];
  }
  return measured;
}
