import { LifecycleState, type SourceView } from '../findings/judge.ts';
import { OBSERVER } from '../findings/derive.ts';
import { type ChatAnswer, type ErrorDetail, type ModelClient, ModelError } from '../harness/client.ts';
import { Profile } from '../harness/profile.ts';
import { Change } from '../model/change.ts';
import { canonicalJson } from '../model/json.ts';
import { Recording, type Exchange } from '../model/recording.ts';
import type { Assessment, Report } from '../model/report.ts';
import { readReport } from '../report/publish.ts';
import { compose, type TickInputs } from './compose.ts';
import { readIdentities } from './identities.ts';
import { type Observer, StepError } from './observer.ts';

/** How a replay compares with what was recorded. */
export interface Replayed {
  tick: string;
  /** Whether report and transcript are the same to the byte. */
  identical: boolean;
  /** Where they part first: a JSON pointer into the report or the transcript, with both sides. */
  parts: { at: string; recorded: string; replayed: string } | null;
  /** The assessment of then and, where another model was asked, of now. */
  assessments: { recorded: Assessment; replayed: Assessment };
}

/**
 * Runs a tick again from its recording: the pinned snapshots, the clock's readings, the model's answers. It writes nothing.
 * @param client another model to ask instead of playing back the recorded answers
 * @throws StepError `missing` for a tick without a recording, or whose snapshots are gone
 */
export async function replay(observer: Observer, tick: string, client: ModelClient | null = null): Promise<Replayed> {
  const recording = await recordingOf(observer, tick);
  const report = await readReport(observer.reports, tick);
  if (!report) throw missing(tick);
  const readings = [...recording.clock];
  const first = readings.shift() as number;
  const inputs = await inputsOf(observer, recording, first);
  const player = recording.model === null ? null : (client ?? new Player(recording.model, recording.exchanges));
  const lines: unknown[] = [];
  const made = await compose(
    { ...observer, config: { ...observer.config, hash: recording.configuration }, version: recording.version },
    inputs,
    {
      client: player,
      clock: () => readings.shift() ?? first,
      audit: { append: async (entry) => void lines.push(entry), head: () => report.provenance.auditHead },
    },
  );
  const parts =
    client === null
      ? (firstDifference('/report', { ...report, sinks: [] }, made.report) ??
        firstDifference('/transcript', transcript(recording), transcript(made.recording)))
      : null;
  return {
    tick,
    identical: client === null && parts === null,
    parts,
    assessments: { recorded: report.assessment, replayed: made.report.assessment },
  };
}

/**
 * The report that a tick would have made with another model, from its recording. It writes nothing.
 * @throws StepError `missing` as {@link replay}
 */
export async function reportWith(observer: Observer, tick: string, client: ModelClient): Promise<Report> {
  const recording = await recordingOf(observer, tick);
  const now = recording.clock[0] as number;
  const inputs = await inputsOf(observer, recording, now);
  const audit = { append: async () => undefined, head: () => '' };
  return (await compose(observer, { ...inputs, profile: null }, { client, clock: () => now, audit })).report;
}

async function recordingOf({ store }: Observer, tick: string): Promise<Recording> {
  const recording = await store.get(`ticks/${tick}/recording`, Recording);
  if (!recording) throw missing(tick);
  return recording;
}

function missing(tick: string): StepError {
  return new StepError({
    code: 'missing',
    detail: `tick ${tick} has no recording or no report`,
    advice: 'GET /reports lists the ticks; recordings go with their retention.',
  });
}

function transcript({ exchanges, toolResults }: Pick<Recording, 'exchanges' | 'toolResults'>): unknown {
  return { exchanges, toolResults };
}

async function inputsOf(observer: Observer, recording: Recording, now: number): Promise<TickInputs> {
  const { store, snapshots } = observer;
  const { [OBSERVER]: derived, ...pinned } = recording.pinned;
  const load = async (source: string, id: string) => {
    const snapshot = await snapshots.get(source, id);
    if (!snapshot)
      throw new StepError({
        code: 'missing',
        detail: `snapshot ${id} of ${source} is gone`,
        advice: 'Retention has thinned it; a recording and its snapshots go together.',
      });
    return snapshot;
  };
  const sources: SourceView[] = [];
  const changes: Change[] = [];
  for (const [source, pin] of Object.entries(pinned)) {
    const since = [];
    for (const id of pin.since) since.push(await load(source, id));
    const snapshot = pin.snapshot === null ? null : await load(source, pin.snapshot);
    const change = snapshot && since.length > 0 ? await store.get(`changes/${source}/${snapshot.id}`, Change) : null;
    if (change) changes.push(change);
    sources.push({ source, maxAge: observer.config.sources.get(source)?.maxAge ?? 0, attempt: pin.attempt, snapshot, since });
  }
  const before = recording.before;
  const derivedSnapshot = derived?.snapshot ? await load(OBSERVER, derived.snapshot) : null;
  return {
    tick: recording.tick,
    now,
    sources,
    changes,
    before: before === null ? null : await store.get(`findings/states/${before}`, LifecycleState),
    beforeTick: before,
    damage: recording.damage,
    previous: recording.previous,
    groundTruth: recording.groundTruth,
    identities: await readIdentities(observer, sources, { keep: false }),
    series: recording.series.map(({ points, ...of }) => ({ ...of, points: points.map(([at, value]) => ({ at, value })) })),
    unfinished: recording.unfinished,
    alsoUnfinished: recording.alsoUnfinished,
    nonce: recording.nonce,
    profile: Profile.nullable().parse(recording.profile),
    derived: { id: derivedSnapshot?.id ?? recording.tick, previous: derivedSnapshot?.previous ?? null },
  };
}

/** A model that answers what was recorded, and nothing else: a request that differs is told by the transcript. */
class Player implements ModelClient {
  readonly label: string;
  readonly #exchanges: Exchange[];

  constructor(label: string, exchanges: readonly Exchange[]) {
    this.label = label;
    this.#exchanges = [...exchanges];
  }

  async complete(): Promise<ChatAnswer> {
    const next = this.#exchanges.shift();
    if (!next) throw new ModelError('invalid', 'the recording holds no further answer');
    if (next.error) throw errorOf(next.error);
    return next.answer as unknown as ChatAnswer;
  }
}

function errorOf({ code, message, status, detail }: NonNullable<Exchange['error']>): ModelError {
  return new ModelError(code as ModelError['code'], message, status, (detail ?? {}) as ErrorDetail);
}

function firstDifference(at: string, a: unknown, b: unknown): Replayed['parts'] {
  if (a !== null && b !== null && typeof a === 'object' && typeof b === 'object') {
    const [x, y] = [a as Record<string, unknown>, b as Record<string, unknown>];
    for (const key of new Set([...Object.keys(x), ...Object.keys(y)])) {
      const found = firstDifference(`${at}/${key}`, x[key], y[key]);
      if (found) return found;
    }
    return null;
  }
  const [recorded, replayed] = [canonicalJson(a ?? null), canonicalJson(b ?? null)];
  return recorded === replayed ? null : { at, recorded: recorded.slice(0, 300), replayed: replayed.slice(0, 300) };
}
