import type { Subject } from '../../model/condition.ts';
import { subjectId } from '../../model/identity.ts';
import { oneLine } from '../../model/text.ts';
import { locate } from './place.ts';
import { type Measure, QUANTITIES, type Quantity } from './quantity.ts';
import { hashText, SampleStore } from './samples.ts';
import { GREATEST, isSentinel, isPlausible, type Suspect } from './suspect.ts';
import { MemoryTable } from './tables.ts';
import { detached, type ValueFault } from './values.ts';

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
  subject: Subject;
  group: Group;
  /** The sensor's place within its subject. */
  part: string;
  /** The same number for the same sensor of every subject of a type. */
  like: number;
  mode: Mode;
  scale: number;
  offset: number;
}

/** The same sensor of all subjects of a type. */
export interface Sensor {
  measure: Measure;
  group: Group;
  part: string;
  like: number;
  code: number;
  /** What its series are told apart by, but for their subject. */
  key: string;
  /** Its series. */
  series: Map<Subject, number>;
}

/** What a format knows of a series when it first meets it. */
export interface SeriesDraft {
  at: Position;
  measure: Measure;
  metric: string;
  /** The sensor's place within its location. */
  part: string;
  mode?: Mode;
}

/** Whom a location speaks of, and the rest of it below that. */
export interface Position {
  subject: Subject;
  within: string;
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
/** Locations are names of at most 253 bytes, and what stands below them. */
const LONGEST_LOCATION = 2048;
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
  /** The newest sample or event with a time of its own, not later than the clock allows. */
  newest = Number.NEGATIVE_INFINITY;
  /** Samples with a time of their own, and those that have only their input's. */
  dated = 0;
  dateless = 0;
  /** What the last run knew of series. */
  before = new MemoryTable(0);
  /** What it knew of some before its own window: it is asked where that window is seen again. */
  preceding = new MemoryTable(0);
  /** Per series a hash of its key. */
  readonly hashes: number[] = [];
  readonly #codes: number[] = [];
  readonly #suspects: (Suspect | undefined)[];
  readonly #cleaned = new Map<string, string>();
  readonly #sensors = new Map<string, Sensor>();
  readonly #groups = new Map<string, Group>();
  readonly #places = new Map<string, Map<string, Position | null>>();
  readonly #likes = new Map<Group, Map<string, Map<string, number>>>();
  #likeCount = 0;
  #placeCount = 0;
  readonly #options: RecorderOptions;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.samples = new SampleStore(options.maxSamples, this.hashes);
    this.#suspects = QUANTITIES.map((quantity) => options.suspects.get(quantity));
  }

  exclude(why: Exclusion, count = 1): void {
    this.excluded.set(why, (this.excluded.get(why) ?? 0) + count);
  }

  /**
   * The index of a series, new or known.
   * @returns a reason where it cannot be one
   */
  define({ at, measure, metric, part, mode = 'gauge' }: SeriesDraft): number | Exclusion {
    const below = at.within === '' ? part : part === '' ? at.within : `${at.within}/${part}`;
    const sensor = this.sensorOf(at.subject.type, measure, metric, below);
    return sensor === null ? 'skipped' : this.seriesOf(at.subject, sensor, mode);
  }

  /** A sensor by its names as they are written; null where the site wants none of its quantity. */
  sensorOf(type: string, measure: Measure, metric: string, part: string): Sensor | null {
    if (this.#options.skip.includes(measure.quantity)) return null;
    const name = this.#clean(metric) || measure.quantity;
    return this.cleanSensor(type, measure, name, this.#clean(part) || name);
  }

  /** The same by the location as it stands on the wire. */
  defineAt(location: string, draft: Omit<SeriesDraft, 'at'>): number | Exclusion {
    const at = this.subjectAt(location);
    return at === null ? 'noName' : this.define({ at, ...draft });
  }

  /** The same, whose names are clean already. */
  cleanSensor(type: string, measure: Measure, metric: string, part: string): Sensor {
    const key = keyOfSensor(measure, metric, part);
    const full = `${type}${key}`;
    let sensor = this.#sensors.get(full);
    if (sensor === undefined) {
      const group = this.#group(measure, metric);
      sensor = { measure, group, part, key, like: this.#likeOf(type, group, part), code: this.#codeOf(measure), series: new Map() };
      this.#sensors.set(full, sensor);
    }
    return sensor;
  }

  /** The index of a subject's series of a sensor. */
  seriesOf(subject: Subject, { measure, group, part, like, code, key, series: bySubject }: Sensor, mode: Mode): number | Exclusion {
    const known = bySubject.get(subject);
    if (known !== undefined) {
      // Whichever message says so first or last: what once was called a counter is one.
      const series = this.series[known] as Series;
      if (MODES.indexOf(mode) > MODES.indexOf(series.mode)) series.mode = mode;
      return known;
    }
    if (this.series.length >= this.#options.maxSeries) return 'overSeries';
    const index = this.series.length;
    this.series.push({ subject, group, part, like, mode, scale: measure.scale, offset: measure.offset });
    this.hashes.push(hashText(key, hashOfSubject(subject)));
    bySubject.set(subject, index);
    this.#codes.push(code);
    return index;
  }

  #likeOf(type: string, group: Group, part: string): number {
    const byType = childOf(this.#likes, group);
    const byPart = childOf(byType, type);
    let like = byPart.get(part);
    if (like === undefined) {
      like = this.#likeCount++;
      byPart.set(part, like);
    }
    return like;
  }

  /** What record() must know of a series, in a number: its quantity, and whether its values have to be scaled. */
  #codeOf({ quantity, scale, offset }: Measure): number {
    return QUANTITIES.indexOf(quantity) * 2 + (scale === 1 && offset === 0 ? 0 : 1);
  }

  /** A text as one bounded line; names come again with every subject, and cleaning them is dear. */
  #clean(text: string): string {
    let clean = this.#cleaned.get(text);
    if (clean === undefined) {
      const own = detached(text);
      clean = oneLine(own, NAME_LENGTH);
      if (this.#cleaned.size < this.#options.maxSeries) this.#cleaned.set(own, clean);
    }
    return clean;
  }

  /** The subject of a location; no location speaks of the cluster as a whole. Null where the name is none. */
  subjectAt(location: string, telemetrySource = ''): Position | null {
    if (location.length > LONGEST_LOCATION) return null;
    let places = this.#places.get(telemetrySource);
    let at = places?.get(location);
    if (at !== undefined) return at;
    const own = detached(location);
    at = this.#locate(own, telemetrySource);
    if (this.#placeCount++ >= this.#options.maxSeries) return at;
    if (places === undefined) {
      places = new Map();
      this.#places.set(detached(telemetrySource), places);
    }
    places.set(own, at);
    return at;
  }

  #locate(location: string, telemetrySource: string): Position | null {
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
    const key = `${measure.quantity}\0${metric}\0${measure.unit}`;
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
   * @param time ms since the epoch; negative where it is not the sample's own, but that of the input it stands in
   * @param raw in the unit of the wire
   */
  record(index: number | Exclusion, time: number, raw: number | ValueFault): void {
    if (typeof index === 'string') return this.exclude(index);
    if (typeof raw === 'string') return this.exclude(raw);
    const own = time > 0;
    if (!own && !(time < 0)) return this.exclude('noTime');
    if (time > this.#options.latest || -time > this.#options.latest) {
      if (this.ahead.size < NAMED) this.ahead.add((this.series[index] as Series).subject.id);
      return this.exclude('future');
    }
    // Only small columns are touched here, and no series: with many of them memory is what a sample waits for.
    const code = this.#codes[index] as number;
    const value = (code & 1) === 0 ? raw : this.#scaled(index, raw);
    if (!Number.isFinite(value)) return this.exclude('nonFinite');
    const suspect = this.#suspects[code >> 1];
    if (suspect !== undefined) {
      const sentinel = isSentinel(suspect, raw);
      if (sentinel || !isPlausible(suspect, value)) {
        if (this.suspects.size < NAMED) this.suspects.add(index);
        return this.exclude(sentinel ? 'sentinel' : 'implausible');
      }
    } else if (value > GREATEST || value < -GREATEST) return this.exclude('implausible');
    if (own) {
      this.dated++;
      if (time > this.newest) this.newest = time;
    } else this.dateless++;
    const from = this.newest - this.#options.window;
    if (own && time < from) return this.exclude('late');
    this.samples.add(index, time, value, from);
  }

  /**
   * Gives samples without a time of their own one: that of their input, which is when they were captured. Where most
   * samples are dated, they are no newer than those: an old capture that was copied today is still old.
   */
  settleTimes(): void {
    if (this.dateless === 0) return;
    let cap = Number.POSITIVE_INFINITY;
    if (this.dated > 0) {
      // Each sample counts once, however often it came.
      this.samples.compact(this.newest - this.#options.window);
      if (this.samples.countDated() * 2 >= this.samples.length) cap = this.newest;
    }
    this.newest = Math.max(this.newest, this.samples.settleTimes(cap));
  }

  /** Ends the intake: what only finds series and subjects again is let go, before the results take its room. */
  close(): void {
    this.#sensors.clear();
    this.#cleaned.clear();
    this.#places.clear();
    this.#groups.clear();
    this.#likes.clear();
  }

  #scaled(index: number, raw: number): number {
    const { scale, offset } = this.series[index] as Series;
    return raw * scale + offset;
  }
}

/** Clean names hold no NUL, so that it parts them safely. */
function keyOfSensor({ quantity, unit, scale, offset }: Measure, metric: string, part: string): string {
  const wire = scale === 1 && offset === 0 ? '' : `\0${scale}\0${offset}`;
  return `\0${quantity}\0${metric}\0${part}\0${unit}${wire}`;
}

/** What a series is told apart by from all others. */
export function keyOf({ subject, group, part, scale, offset }: Series): string {
  return `${subject.type}\0${subject.id}${keyOfSensor({ ...group, scale, offset }, group.metric, part)}`;
}

export function hashOfSubject({ type, id }: Subject): number {
  return hashText(id, hashText('\0', hashText(type)));
}

function childOf<K, C, V>(parents: Map<K, Map<C, V>>, key: K): Map<C, V> {
  let child = parents.get(key);
  if (child === undefined) {
    child = new Map();
    parents.set(key, child);
  }
  return child;
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
