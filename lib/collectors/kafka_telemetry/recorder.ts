import type { Subject } from '../../model/condition.ts';
import { subjectId } from '../../model/identity.ts';
import { oneLine } from '../../model/text.ts';
import { locate } from './place.ts';
import type { Measure, Quantity } from './quantity.ts';
import { hashText, SampleStore } from './samples.ts';
import { isSentinel, isPlausible, type Suspect } from './suspect.ts';
import type { ValueFault } from './values.ts';

/** What series are rolled up in: one metric of one quantity in one unit. */
export interface Group {
  quantity: Quantity;
  metric: string;
  unit: string;
}

/** How the values of a series run: up and down, ever upwards, or as increases since the sample before. */
const MODES = ['gauge', 'counter', 'delta'] as const;
export type Mode = (typeof MODES)[number];

export interface Series {
  key: string;
  subject: Subject;
  group: Group;
  /** The sensor's place within its subject. */
  part: string;
  mode: Mode;
  scale: number;
  offset: number;
  suspect: Suspect | undefined;
  /** What the last run knew of it. */
  before?: Memory;
}

/** What one run hands on of a series. */
export interface Memory {
  /** Its newest sample. */
  time: number;
  value: number;
  /** Its usual time from sample to sample, ms; 0 where only one was seen. */
  interval: number;
  /** What it usually shows, of quantities that are judged by it. */
  baseline?: number;
}

/** What a format knows of a series when it first meets it. */
export interface SeriesDraft {
  location: string;
  telemetrySource?: string;
  measure: Measure;
  metric: string;
  /** The sensor's place within its location. */
  part: string;
  mode?: Mode;
}

/** Why samples were left out of the roll-up. */
export const EXCLUSIONS = [
  'duplicate',
  'late',
  'covered',
  'future',
  'nonFinite',
  'missing',
  'malformed',
  'sentinel',
  'implausible',
  'noTime',
  'noName',
  'skipped',
  'overSeries',
  'notScalar',
] as const;
export type Exclusion = (typeof EXCLUSIONS)[number];

const NAME_LENGTH = 200;
/** Subjects with clocks ahead, sensors with sentinels, …: named up to here, counted beyond. */
const NAMED = 1000;

/** Takes in what the formats found: defines series, and keeps or counts each sample exactly once. */
export class Recorder {
  readonly series: Series[] = [];
  readonly subjects = new Map<string, Subject>();
  readonly excluded = new Map<Exclusion, number>();
  /** Subjects whose samples are dated ahead of the clock. */
  readonly ahead = new Set<string>();
  /** Sensors with values that stand for a failed reading. */
  readonly suspects = new Set<number>();
  readonly samples: SampleStore;
  /** The newest sample, not later than the clock allows. */
  newest = Number.NEGATIVE_INFINITY;
  readonly #seeds: number[] = [];
  readonly #byKey = new Map<string, number>();
  readonly #groups = new Map<string, Group>();
  readonly #places = new Map<string, { subject: Subject; within: string } | null>();
  readonly #options: RecorderOptions;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.samples = new SampleStore(options.maxSamples, this.#seeds);
  }

  exclude(why: Exclusion, count = 1): void {
    this.excluded.set(why, (this.excluded.get(why) ?? 0) + count);
  }

  /**
   * The index of a series, new or known.
   * @returns a reason where it cannot be one
   */
  define(draft: SeriesDraft): number | Exclusion {
    const { measure } = draft;
    if (this.#options.skip.includes(measure.quantity)) return 'skipped';
    const at = this.#locate(draft);
    if (at === null) return 'noName';
    const metric = oneLine(draft.metric, NAME_LENGTH) || measure.quantity;
    const part = oneLine([at.within, draft.part].filter((t) => t !== '').join('/'), NAME_LENGTH) || metric;
    return this.seriesOf({ subject: at.subject, measure, metric, part, mode: draft.mode ?? 'gauge' });
  }

  /** The index of a series whose names are clean already. */
  seriesOf({
    subject,
    measure,
    metric,
    part,
    mode,
  }: {
    subject: Subject;
    measure: Measure;
    metric: string;
    part: string;
    mode: Mode;
  }): number | Exclusion {
    const { scale, offset } = measure;
    const wire = scale === 1 && offset === 0 ? [] : [scale, offset];
    const key = JSON.stringify([subject.type, subject.id, measure.quantity, metric, part, measure.unit, ...wire]);
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      // Whichever message says so first or last: what once was called a counter is one.
      const series = this.series[known] as Series;
      if (MODES.indexOf(mode) > MODES.indexOf(series.mode)) series.mode = mode;
      return known;
    }
    if (this.series.length >= this.#options.maxSeries) return 'overSeries';
    const index = this.series.length;
    const suspect = this.#options.suspects.get(measure.quantity);
    this.series.push({ key, subject, group: this.#group(measure, metric), part, mode, scale, offset, suspect });
    this.#seeds.push(hashText(key));
    this.#byKey.set(key, index);
    return index;
  }

  #locate(draft: SeriesDraft): { subject: Subject; within: string } | null {
    const key = `${draft.telemetrySource ?? ''}\0${draft.location}`;
    let at = this.#places.get(key);
    if (at !== undefined) return at;
    at = this.subjectAt(draft.location, draft.telemetrySource);
    if (this.#places.size < this.#options.maxSeries) this.#places.set(key, at);
    return at;
  }

  /** The subject of a location; no location speaks of the cluster as a whole. Null where the name is none. */
  subjectAt(location: string, telemetrySource = ''): { subject: Subject; within: string } | null {
    if (location === '') return { subject: this.subject('cluster', this.#options.cluster), within: '' };
    const { type, name, within } = locate(location, telemetrySource);
    const id = subjectId(type, name, this.#options.nodeDomains);
    return id === null ? null : { subject: this.subject(type, id), within };
  }

  /** The one object that stands for a subject. */
  subject(type: string, id: string): Subject {
    const key = `${type}:${id}`;
    const known = this.subjects.get(key);
    if (known !== undefined) return known;
    const subject = { type, id };
    this.subjects.set(key, subject);
    return subject;
  }

  #group(measure: Measure, metric: string): Group {
    const key = JSON.stringify([measure.quantity, metric, measure.unit]);
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { quantity: measure.quantity, metric, unit: measure.unit };
      this.#groups.set(key, group);
    }
    return group;
  }

  /** Moves the window's end to a time; false (and counted) for one that lies ahead of the clock. */
  noticeTime(time: number): boolean {
    if (time > this.#options.latest) {
      this.exclude('future');
      return false;
    }
    if (time > this.newest) this.newest = time;
    return true;
  }

  /**
   * Keeps a sample, or counts why not. The order of the checks is fixed, so that each is counted once, and the same
   * whatever came before it.
   * @param raw in the unit of the wire
   * @param time ms since the epoch
   */
  record(index: number | Exclusion, time: number, raw: number | ValueFault): void {
    if (typeof index === 'string') return this.exclude(index);
    if (typeof raw === 'string') return this.exclude(raw);
    if (!(time > 0)) return this.exclude('noTime');
    const series = this.series[index] as Series;
    if (time > this.#options.latest) {
      if (this.ahead.size < NAMED) this.ahead.add(series.subject.id);
      return this.exclude('future');
    }
    const value = raw * series.scale + series.offset;
    const { suspect } = series;
    if (suspect !== undefined) {
      const sentinel = isSentinel(suspect, raw);
      if (sentinel || !isPlausible(suspect, value)) {
        if (this.suspects.size < NAMED) this.suspects.add(index);
        return this.exclude(sentinel ? 'sentinel' : 'implausible');
      }
    }
    if (time > this.newest) this.newest = time;
    const from = this.newest - this.#options.window;
    if (time < from) return this.exclude('late');
    this.samples.add(index, time, value, from);
  }
}

export interface RecorderOptions {
  cluster: string;
  nodeDomains: readonly string[];
  /** No sample is dated later than this. */
  latest: number;
  /** Length of the window, ms. */
  window: number;
  maxSamples: number;
  maxSeries: number;
  skip: readonly Quantity[];
  suspects: ReadonlyMap<Quantity, Suspect>;
}
