import * as z from 'zod';
import { AuditLog } from '../audit/audit.ts';
import { OBSERVER } from '../findings/derive.ts';
import { LifecycleState } from '../findings/judge.ts';
import type { Recording } from '../model/recording.ts';
import type { Report } from '../model/report.ts';
import { TimeId, fromTimeId, toTimeId } from '../model/time.ts';
import { entryOf, keepEntry } from '../report/chronicle.ts';
import { notify } from '../report/notify.ts';
import { publishReport } from '../report/publish.ts';
import { allEnded } from '../store/at-once.ts';
import { unlessDamaged } from '../store/store.ts';
import { retentionTime, sweepHourly } from '../store/retention.ts';
import { NO_FACTS } from '../store/shards.ts';
import { compose, type TickInputs } from './compose.ts';
import { diffSources } from './diff.ts';
import { appendHistory, sweepHistory } from './history.ts';
import { gather } from './gather.ts';
import { type Head, readHead } from './lifecycle-before.ts';
import { alone, type Observer } from './observer.ts';
import { readProfile, writeProfile } from './profiles.ts';

/** The tick that began last, and those before it that began and never ended, with no report since. */
const Started = z.object({ tick: TimeId, before: z.array(TimeId).default([]) });
const MAX_UNFINISHED = 20;
/** A clock that stands so little behind the last tick was not set back. */
const SAME_READING = 1000;

/**
 * One run of the agent: diff what is undiffed → derive → lifecycle → model and tools → report.
 * It writes `started` first and a report at its end, whatever failed in between; the next one names one that never ended.
 * @throws StepError `busy`; any other error means that no report could be stored
 */
export async function tick(observer: Observer): Promise<Report> {
  return alone(observer, 'tick', async (lease) => {
    const { store } = observer;
    const head = await readHead(store);
    const startedBefore = await unlessDamaged(store.get('ticks/started', Started));
    const readings: number[] = [];
    const clock = (): number => {
      const now = observer.clock();
      readings.push(now);
      return now;
    };
    const read = observer.clock();
    const last = [head?.tick, startedBefore?.tick]
      .filter((t) => t !== undefined)
      .sort()
      .at(-1);
    const after = last === undefined ? read : fromTimeId(last) + 1;
    const id = toTimeId(Math.max(read, after));
    // Two ticks within one reading of the clock have times of their own: what the first told is not told again by the second.
    const now = after - read < SAME_READING ? Math.max(read, after) : read;
    readings.push(now);
    // A tick that is killed before it could name the ones before it hands them on.
    const unfinished = startedBefore && startedBefore.tick !== head?.tick ? [...startedBefore.before, startedBefore.tick] : [];
    await store.put('ticks/started', { tick: id, before: unfinished.slice(-MAX_UNFINISHED) } satisfies z.infer<typeof Started>);
    observer.log('info', 'tick started', { tick: id });

    await diffSources(observer);
    const inputs: TickInputs = {
      tick: id,
      now,
      ...(await gather(observer, { lastTick: head?.tick ?? null, damage: head?.damage ?? null, now })),
      previous: head?.assessment ?? null,
      nonce: newNonce(),
      profile: observer.model && (await readProfile(store, observer.model.label)),
      unfinished: unfinished.at(-1) ?? null,
      alsoUnfinished: unfinished.slice(-MAX_UNFINISHED, -1),
      derived: {
        id: await observer.snapshots.nextId(OBSERVER, now),
        previous: (await unlessDamaged(observer.snapshots.latest(OBSERVER)))?.id ?? null,
      },
    };
    const audit = new AuditLog(store, { writer: `tick-${id}`, now: observer.clock });
    const made = await compose(observer, inputs, { client: observer.model, clock, audit });
    const { facts: _, previous: __, ...derived } = made.derived;
    await observer.snapshots.commit({ snapshot: derived, facts: NO_FACTS });
    // Pins first: a recording whose snapshots retention may take is worth nothing.
    await store.put(`ticks/${id}/pins`, pinsOf(made.recording));
    // None of these rests on another, and all of them go before the head.
    await allEnded([
      store.put(`ticks/${id}/recording`, { ...made.recording, clock: readings } satisfies Recording),
      store.putShared(`findings/states/${id}`, made.judged.state, LifecycleState),
      appendHistory(store, made.judged.transitions, unfinished),
      made.profile ? writeProfile(store, made.profile) : Promise.resolve(),
      keepEntry(store, entryOf(made.report, made.judged.transitions)),
    ]);
    await publishReport(observer, made.report);
    await lease.check();
    await store.put('findings/head', { tick: id, assessment: made.report.assessment } satisfies Head);
    const report: Report = { ...made.report, sinks: await notify(observer, made.report) };
    // It is written before anybody is told of it; that nobody was is nothing to add.
    if (report.sinks.length > 0) await publishReport(observer, report);
    await tidy(observer, made.judged.state, { id, now });
    observer.log('info', 'tick ended', { tick: id, verdict: report.verdict, findings: report.findings.length });
    return report;
  });
}

/** Sixteen letters that nobody can foresee: text in the data cannot close a fence that it cannot name. */
function newNonce(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => String.fromCharCode(97 + (byte & 15))).join('');
}

/** Thins what is kept, a bounded piece each time; that it failed is no reason to take the report back. */
async function tidy(
  { store, reports, log }: Observer,
  { tracked, past }: LifecycleState,
  { id, now }: { id: string; now: number },
): Promise<void> {
  try {
    const time = await retentionTime(store, now);
    await sweepHistory(store, { tick: id, time, followed: new Set([...tracked.map((t) => t.condition.id), ...past.map((p) => p.id)]) });
    await sweepHourly(store, reports, time);
  } catch (error) {
    log('warn', 'retention', { error: String(error) });
  }
}

function pinsOf({ pinned, before }: Pick<Recording, 'pinned' | 'before'>): string[] {
  const snapshots = Object.entries(pinned).flatMap(([source, { snapshot, since }]) =>
    [...new Set([...since, ...(snapshot === null ? [] : [snapshot])])].map((id) => `${source}/${id}`),
  );
  return [...snapshots, ...(before === null ? [] : [`findings/states/${before}`])];
}
