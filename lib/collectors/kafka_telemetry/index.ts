import { fold } from '../../nodeset.ts';
import {
  type CollectContext,
  type Collected,
  type Collector,
  defineCollector,
  type Input,
  ReadError,
  UnusableInput,
} from '../../model/collector.ts';
import type { Subject } from '../../model/condition.ts';
import type { CoverageProblem } from '../../model/snapshot.ts';
import { compareNames, oneLine } from '../../model/text.ts';
import { toIso } from '../../model/time.ts';
import { pack, remember, restore, TelemetryCarry } from './carry.ts';
import { factsOf, rounded, seriesOf, summarise } from './digest.ts';
import { digestEvents } from './events.ts';
import { Intake, type MessageContext, UNREAD } from './intake.ts';
import { judge, type LiveStanding, standingKey } from './judge.ts';
import { telemetryKinds } from './kinds.ts';
import { limitsOf } from './limits.ts';
import type { AvroDecoder } from './messages.ts';
import { TelemetryOptions } from './options.ts';
import { findOutliers } from './outliers.ts';
import { findPowerLoss } from './power.ts';
import { Recorder } from './recorder.ts';
import { rollUp, windowOf } from './rollup.ts';
import { findSilence } from './silence.ts';
import { takeInput } from './stream.ts';
import { SUSPECTS } from './suspect.ts';

type Context = CollectContext<TelemetryOptions, TelemetryCarry>;

/** What an entry may add that needs packages or files of its own. */
export interface TelemetryDependencies {
  avro?: AvroDecoder;
}

/** The collector, with or without a decoder for Avro. */
export function makeKafkaTelemetry(dependencies: TelemetryDependencies = {}): Collector {
  return defineCollector<TelemetryOptions, TelemetryCarry>({
    source: 'kafka_telemetry',
    title: 'Streaming telemetry: captured windows of Cray, HPCM, Prometheus, Telegraf and OTLP messages',
    maxAge: '15m',
    inputs: { shape: 'logs', kafka: true },
    options: TelemetryOptions,
    carryVersion: 1,
    carry: TelemetryCarry,
    kinds: telemetryKinds,
    collect: (inputs, context) => collectTelemetry(inputs, context, dependencies),
  });
}

export const kafkaTelemetry = makeKafkaTelemetry();

async function collectTelemetry(
  inputs: readonly Input[],
  context: Context,
  { avro }: TelemetryDependencies,
): Promise<Collected<TelemetryCarry>> {
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
  const restored = carry === undefined ? [] : restore(carry, recorder);
  const problems: CoverageProblem[] = [];
  for (const input of inputs.toSorted((a, b) => compareNames(a.name, b.name))) await takeOne(input, intake, context, avro, problems);
  recorder.settleTimes();
  if (!Number.isFinite(recorder.newest)) throw new UnusableInput(whyNothing(intake, inputs.length));

  const rollup = rollUp(recorder, windowOf(recorder.newest, config.window, carry), config.window);
  const { samples } = recorder;
  recorder.exclude('late', samples.late);
  recorder.exclude('covered', samples.covered);
  recorder.exclude('duplicate', samples.duplicates);
  const { limits, mistakes } = limitsOf(context.rules);
  const judged = judge(recorder, rollup, limits, liveStandings(carry, restored));
  const power = findPowerLoss(recorder, rollup);
  const events = digestEvents(intake.events, carry?.incidents ?? [], recorder, rollup.window, now);
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
    facts: factsOf(recorder, rollup, memories),
    series: { ...seriesOf(rollup, recorder, conditions.length), silent_sensors: rounded(silence.sensors) },
    carry: packed.carry,
  };
}

async function takeOne(
  input: Input,
  intake: Intake,
  context: Context,
  avro: AvroDecoder | undefined,
  problems: CoverageProblem[],
): Promise<void> {
  const time = input.mtime === undefined ? (context.asOf ?? context.now) : Date.parse(input.mtime);
  const message: MessageContext = { topic: '', input: oneLine(input.name, 253), place: '', time, recorded: false };
  const before = { rejected: intake.rejected, problems: intake.problems.length, read: readMessages(intake) };
  try {
    await takeInput(input, intake, message, avro);
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    problems.push({ effect: 'input', input: input.name, message: error.message });
    return;
  }
  const rejected = intake.rejected - before.rejected;
  if (rejected === 0 || readMessages(intake) > before.read) return;
  // Nothing in it could be read: another file in the same folder, which is no fault of ours or its own.
  const [first] = intake.problems.splice(before.problems);
  intake.rejected = before.rejected;
  problems.push({
    effect: 'note',
    input: message.input,
    ...(first?.place !== undefined && first.place !== '' && { place: first.place }),
    message: `no telemetry in it: ${first?.message ?? `${rejected} messages of unknown form`}`,
  });
}

/** Messages that were recognised. */
function readMessages(intake: Intake): number {
  let n = 0;
  for (const [format, count] of intake.formats) if (!UNREAD.has(format)) n += count;
  return n;
}

function whyNothing(intake: Intake, inputs: number): string {
  const seen = [...intake.formats, ...intake.recorder.excluded].filter(([, n]) => n > 0).map(([name, n]) => `${n} ${name}`);
  return `no usable sample in ${inputs} inputs${seen.length > 0 ? ` (${seen.join(', ')})` : ''}`;
}

function note(message: string): CoverageProblem {
  return { effect: 'note', message };
}

function lost(message: string): CoverageProblem {
  return { effect: 'input', message };
}

/** The standings that the last run handed on, by this run's series. */
function liveStandings(carry: TelemetryCarry | undefined, restored: readonly (number | undefined)[]): Map<string, LiveStanding> {
  const open = new Map<string, LiveStanding>();
  for (const standing of carry?.standings ?? []) {
    const series = restored[standing.series];
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
