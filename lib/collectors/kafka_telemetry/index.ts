import { fold } from '../../nodeset.ts';
import { type CollectContext, type Collected, defineCollector, type Input, ReadError, UnusableInput } from '../../model/collector.ts';
import type { Subject } from '../../model/condition.ts';
import type { CoverageProblem } from '../../model/snapshot.ts';
import { compareNames, oneLine } from '../../model/text.ts';
import { toIso } from '../../model/time.ts';
import { NOTHING, pack, remember, restore, type Restored, restorePreceding, TelemetryCarry } from './carry.ts';
import { factsOf, rounded, seriesOf, summarise } from './digest.ts';
import { digestEvents, expiries } from './events.ts';
import { Intake, UNREAD } from './intake.ts';
import { judge, type LiveStanding, standingKey } from './judge.ts';
import { telemetryKinds } from './kinds.ts';
import { limitsOf } from './limits.ts';
import { MessageReader } from './messages.ts';
import { TelemetryOptions } from './options.ts';
import { findOutliers } from './outliers.ts';
import { findPowerLoss } from './power.ts';
import { Recorder } from './recorder.ts';
import { rollUp, windowOf } from './rollup.ts';
import { findSilence } from './silence.ts';
import { InputReader } from './stream.ts';
import { SUSPECTS } from './suspect.ts';

type Context = CollectContext<TelemetryOptions, TelemetryCarry>;

export const kafkaTelemetry = defineCollector<TelemetryOptions, TelemetryCarry>({
  source: 'kafka_telemetry',
  title: 'Streaming telemetry: windows of Cray, HPCM, Prometheus, Telegraf and OTLP messages, live or captured',
  maxAge: '15m',
  inputs: { shape: 'logs', kafka: true },
  options: TelemetryOptions,
  carryVersion: 2,
  carry: TelemetryCarry,
  kinds: telemetryKinds,
  collect: collectTelemetry,
});

async function collectTelemetry(inputs: readonly Input[], context: Context): Promise<Collected<TelemetryCarry>> {
  const { config, carry, now } = context;
  const recorder = new Recorder({
    cluster: context.cluster,
    nodeDomains: context.nodeDomains,
    latest: now + config.skew,
    window: config.window,
    maxSamples: config.max_samples,
    maxSeries: config.max_series,
    skip: config.skip,
    suspects: SUSPECTS,
  });
  const intake = new Intake(recorder, config.max_series);
  const restored =
    carry === undefined ? NOTHING : restore(carry, recorder, { latest: now + config.skew, instead: now - config.window - 1 });
  const problems: CoverageProblem[] = [];
  const reader = new InputReader(intake, new MessageReader(intake), context.schemas);
  for (const input of inputs.toSorted((a, b) => compareNames(a.name, b.name))) await takeOne(input, intake, context, reader, problems);
  reader.close();
  intake.close();
  recorder.settleTimes();
  if (!Number.isFinite(recorder.newest)) throw new UnusableInput(whyNothing(intake, inputs.length, problems[0]?.message));

  const window = windowOf(recorder.newest, config.window, carry);
  if (carry !== undefined && window.again === 'same') restorePreceding(carry, restored.indices, recorder);
  const rollup = rollUp(recorder, window, config.window);
  const { samples } = recorder;
  recorder.exclude('late', samples.late);
  recorder.exclude('covered', samples.covered);
  recorder.exclude('duplicate', samples.duplicates);
  const { limits, mistakes } = limitsOf(context.rules);
  const judged = judge(recorder, rollup, limits, liveStandings(restored));
  samples.clear();
  const power = findPowerLoss(recorder, rollup);
  const events = digestEvents(intake.events, restored.incidents, recorder, {
    window: rollup.window,
    floor: rollup.window.end - config.window,
    now,
  });
  const beyond = new Set(judged.standings.filter((s) => s.level > 0).map((s) => s.series));
  const memories = remember(recorder, rollup, beyond);
  const silence = findSilence(recorder, rollup, memories, {
    end: rollup.window.end,
    staleAfter: config.stale_after,
    forgetAfter: config.forget_after,
    cluster: context.cluster,
  });
  const conditions = [
    ...judged.conditions,
    ...power,
    ...events.conditions,
    ...silence.conditions,
    ...findOutliers(recorder, rollup, beyond),
  ].sort(
    (a, b) =>
      compareNames(a.kind, b.kind) ||
      compareNames(a.subject.type, b.subject.type) ||
      compareNames(a.subject.id, b.subject.id) ||
      compareNames(a.part ?? '', b.part ?? ''),
  );
  const packed = pack(recorder, rollup, {
    memories,
    standings: judged.standings,
    incidents: events.incidents,
    end: Math.min(rollup.window.end, now),
  });
  const dropped = recorder.excluded.get('overSeries') ?? 0;
  return {
    summary: summarise({ intake, rollup, requested: config.window, silence, conditions, eventsBySeverity: events.bySeverity }),
    conditions,
    cleared: [...judged.cleared, ...events.cleared],
    coverage: {
      records: rollup.samples + intake.events.length,
      rejected: intake.rejected,
      problems: [
        ...problems,
        ...intake.problems,
        ...mistakes.map((message) => note(message)),
        ...(rollup.window.gapFrom === undefined
          ? []
          : [
              note(
                `nothing covers ${toIso(rollup.window.gapFrom)} to ${toIso(rollup.window.start)}: the last run was longer ago than window`,
              ),
            ]),
        ...(restored.ahead === 0
          ? []
          : [note(`${restored.ahead} sensors were last heard of ahead of the clock, which must have gone back since; they count as old`)]),
        ...(samples.thinning > 0 ? [lost(`more than max_samples in the window: one sample in ${2 ** samples.thinning} is rolled up`)] : []),
        ...(dropped > 0 ? [lost(`${dropped} samples belong to more series than max_series`)] : []),
        ...(intake.eventsDropped + events.dropped > 0
          ? [lost(`${intake.eventsDropped + events.dropped} hardware events were too many to keep`)]
          : []),
        ...(packed.dropped > 0 ? [note(`${packed.dropped} series are too many to remember: whether they go silent will not be seen`)] : []),
      ],
      observed: observedOf(silence.heard, context.cluster),
    },
    asOf: rollup.window.end,
    ...(isDated(inputs, context) &&
      rollup.window.end <= now &&
      (recorder.excluded.get('future') ?? 0) === 0 && { turns: expiries(events.incidents) }),
    facts: factsOf(recorder, rollup, memories),
    series: { ...seriesOf(rollup, recorder, conditions.length), silent_sensors: rounded(silence.sensors) },
    carry: packed.carry,
  };
}

/** Whether no message is dated by the clock. */
function isDated(inputs: readonly Input[], { asOf }: Context): boolean {
  return inputs.every((input) => input.messages === undefined && (input.mtime ?? asOf) !== undefined);
}

/** Reads one input. One that cannot be read, or holds nothing of ours, costs the others nothing. */
async function takeOne(input: Input, intake: Intake, context: Context, reader: InputReader, problems: CoverageProblem[]): Promise<void> {
  const time = input.mtime === undefined ? (context.asOf ?? context.now) : Date.parse(input.mtime);
  const name = oneLine(input.name, 253);
  const before = {
    rejected: intake.rejected,
    problems: intake.problems.length,
    read: readMessages(intake),
    formats: new Map(intake.formats),
  };
  try {
    await reader.input(input, { topic: '', input: name, place: '', line: 0, time, recorded: false });
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    problems.push({ effect: 'input', input: name, message: error.message });
    return;
  }
  const rejected = intake.rejected - before.rejected;
  if (rejected === 0 || readMessages(intake) > before.read) return;
  if (input.messages !== undefined) {
    // A topic is read because somebody named it.
    problems.push({ effect: 'input', input: name, message: `none of its ${rejected} messages could be read` });
    return;
  }
  const onlyAvro = [...intake.formats].every(
    ([format, n]) => format === 'avro_no_schema' || format === 'gzip' || n === (before.formats.get(format) ?? 0),
  );
  if (onlyAvro || intake.problems.slice(before.problems).some((problem) => problem.effect === 'input')) return;
  // Nothing in it could be read: another file in the same folder, which is no fault of ours or its own.
  const [first] = intake.problems.splice(before.problems);
  intake.rejected = before.rejected;
  intake.formats.clear();
  for (const [format, n] of before.formats) intake.formats.set(format, n);
  problems.push({
    effect: 'note',
    input: name,
    ...(first?.place !== undefined && { place: first.place }),
    message: `no telemetry in it: ${first?.message ?? `${rejected} messages of unknown form`}`,
  });
}

/** Messages that were recognised. */
function readMessages(intake: Intake): number {
  let n = 0;
  for (const [format, count] of intake.formats) if (!UNREAD.has(format)) n += count;
  return n;
}

function whyNothing(intake: Intake, inputs: number, problem: string | undefined): string {
  const seen = [...intake.formats, ...intake.recorder.excluded].filter(([, n]) => n > 0).map(([name, n]) => `${n} ${name}`);
  const why = [...seen, ...(problem === undefined ? [] : [problem])].join(', ');
  return `no usable sample in ${inputs} ${inputs === 1 ? 'input' : 'inputs'}${why === '' ? '' : `: ${why}`}`;
}

function note(message: string): CoverageProblem {
  return { effect: 'note', message };
}

function lost(message: string): CoverageProblem {
  return { effect: 'input', message };
}

/** The standings that the last run handed on, by this run's series. */
function liveStandings({ indices, standings }: Restored): Map<string, LiveStanding> {
  const open = new Map<string, LiveStanding>();
  for (const standing of standings) {
    const series = indices[standing.series];
    if (series !== undefined) open.set(standingKey(standing.kind, series), { ...standing, series });
  }
  return open;
}

/** What was heard of within its own rhythm, folded by type of subject. */
function observedOf(heard: ReadonlySet<Subject>, cluster: string): Record<string, string> {
  const names = new Map<string, string[]>();
  for (const subject of heard) {
    const known = names.get(subject.type);
    if (known === undefined) names.set(subject.type, [subject.id]);
    else known.push(subject.id);
  }
  names.set('cluster', [cluster]);
  return Object.fromEntries([...names].sort(([a], [b]) => compareNames(a, b)).map(([type, ids]) => [type, fold(ids)]));
}
