import { type Format, type Intake, isRecord, type JsonRecord, type MessageContext } from './intake.ts';
import type { Exclusion, Position } from './recorder.ts';
import { frameOfEvent, frameOfFlat, isFlat, seriesOfSensor, type SensorFrame } from './redfish.ts';
import { type Gap, gapsIn } from './shape-text.ts';
import { decimalOf, detached, readingOf, textOfField } from './values.ts';

/** What one sensor of a shape has in each of its messages, and which gaps hold the rest. */
interface ShapeSensor {
  /** The sensor as it stood in the message that showed the shape. */
  fields: JsonRecord;
  frame: SensorFrame;
  /** Gaps; −1 where `fields` or `frame` say it. */
  time: number;
  location: number;
  value: number;
}

interface Shape {
  format: Format;
  sensors: ShapeSensor[];
}

/** Texts that begin alike, up to a gap and behind it. */
interface Step {
  /** What stands before the gap. */
  text: string;
  /** Whether the gap is a text in quotes; null at the end, where there is none. */
  quoted: boolean | null;
  shape: Shape | null;
  steps: Step[];
  /** The one that is due: messages mostly come in turn. */
  next: number;
}

/** A place as it stands on the wire, and the series of the sensors that were seen there. */
interface Place {
  location: string;
  source: string;
  at: Position | null;
  /** The place that came behind it last time. */
  follower: Place | null;
  sensors: ShapeSensor[];
  series: number[];
  next: number;
}

/** Steps that are tried before a message counts as of no known shape, and sensors of a place that are looked through. */
const LOOKED_THROUGH = 64;
const MAX_SHAPES = 4000;
/** Characters in all steps. */
const MAX_TEXT = 4 * 1024 * 1024;
/** The longest gap: a time, a name or a number. */
const LONGEST_GAP = 256;
/** Messages of no known shape that are borne, beside one for each that has one. */
const FREE_MISSES = 5000;
/** A text in which nothing is escaped, and a number, as JSON has them. */
const PLAIN = /^[^\u0000-\u001f\\]*$/;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Members that make a record something else than a flat sensor. */
const OTHER_FORMS = ['Events', 'metrics', 'resourceMetrics', 'resource_metrics', 'topic', 'fields', 'labels'];

/**
 * Messages of Cray sensors differ from one another in times, places and values alone. All else is a message's shape: it is
 * learnt from the parsed message, and those that follow are read by comparing texts, at a fraction of the cost of JSON.
 */
export class Shapes {
  readonly #intake: Intake;
  readonly #begins: Step[] = [];
  readonly #root: Step = { text: '', quoted: null, shape: null, steps: this.#begins, next: 0 };
  readonly #places = new Map<string, Map<string, Place>>();
  readonly #maxKnown: number;
  /** What stands in the gaps of the message at hand. */
  readonly #gaps: string[] = [];
  #shapes = 0;
  #text = 0;
  #known = 0;
  #misses = 0;
  #place: Place = { location: '\0', source: '', at: null, follower: null, sensors: [], series: [], next: 0 };
  #time = '\0';
  #timeMs = Number.NaN;
  #timeAssumed = 0;

  /** @param maxKnown series that are remembered by their place */
  constructor(intake: Intake, maxKnown: number) {
    this.#intake = intake;
    this.#maxKnown = maxKnown;
  }

  /** Takes a message, if it is of a known shape. */
  take(text: string, context: MessageContext): boolean {
    if (this.#begins.length === 0 || this.#misses > FREE_MISSES) return false;
    const shape = this.#shapeOf(text);
    if (shape === null || !this.#isPlaced(shape)) return false;
    if (this.#misses > 0) this.#misses--;
    this.#intake.count(shape.format);
    for (const sensor of shape.sensors) this.#takeSensor(sensor, context);
    return true;
  }

  #shapeOf(text: string): Shape | null {
    let step = this.#root;
    let at = 0;
    for (let gap = 0; ; gap++) {
      const found = nextStep(step, text, at);
      if (found === null) {
        // What begins otherwise was cheap to tell.
        if (gap > 0) this.#misses++;
        return null;
      }
      step = found;
      at += step.text.length;
      if (step.quoted === null) return step.shape;
      const end = step.quoted ? text.indexOf('"', at) : endOfNumber(text, at);
      if (end < 0 || end - at > LONGEST_GAP) return null;
      const inGap = text.slice(at, end);
      if (step.quoted ? inGap !== this.#time && !PLAIN.test(inGap) : !JSON_NUMBER.test(inGap)) return null;
      this.#gaps[gap] = inGap;
      at = end;
    }
  }

  /** Whether no place is empty: then the message's own would hold instead. */
  #isPlaced({ sensors }: Shape): boolean {
    for (const { location } of sensors) if (this.#gaps[location] === '') return false;
    return true;
  }

  #takeSensor(sensor: ShapeSensor, context: MessageContext): void {
    const series = this.#seriesOf(sensor);
    const time = this.#timeOf(sensor, context);
    const raw = this.#gaps[sensor.value] as string;
    const value = decimalOf(raw);
    this.#intake.recorder.record(series, time, Number.isNaN(value) ? readingOf(raw) : value);
  }

  #seriesOf(sensor: ShapeSensor): number | Exclusion {
    const place = this.#placeOf(this.#gaps[sensor.location] as string, sensor.frame.source);
    const { sensors, series } = place;
    const { length } = sensors;
    for (let i = 0; i < length && i < LOOKED_THROUGH; i++) {
      const turn = place.next + i < length ? place.next + i : place.next + i - length;
      if (sensors[turn] !== sensor) continue;
      place.next = turn + 1 < length ? turn + 1 : 0;
      return series[turn] as number;
    }
    const found = seriesOfSensor(sensor.fields, sensor.frame, place.at, this.#intake);
    if (typeof found === 'number' && this.#known < this.#maxKnown) {
      this.#known++;
      sensors.push(sensor);
      series.push(found);
      place.next = 0;
    }
    return found;
  }

  #placeOf(location: string, source: string): Place {
    const last = this.#place;
    if (last.location === location && last.source === source) return last;
    const due = last.follower;
    if (due !== null && due.location === location && due.source === source) {
      this.#place = due;
      return due;
    }
    let places = this.#places.get(source);
    if (places === undefined) {
      places = new Map();
      this.#places.set(source, places);
    }
    let place = places.get(location);
    if (place === undefined) {
      const at = this.#intake.recorder.subjectAt(location, source);
      place = { location: detached(location), source, at, follower: null, sensors: [], series: [], next: 0 };
      if (this.#known < this.#maxKnown) {
        this.#known++;
        places.set(place.location, place);
      }
    } else last.follower = place;
    this.#place = place;
    return place;
  }

  #timeOf({ time, fields, frame }: ShapeSensor, context: MessageContext): number {
    if (time < 0) return this.#intake.timeOf(fields['Timestamp'] ?? frame.time, context);
    const { times } = this.#intake;
    const text = this.#gaps[time] as string;
    if (this.#time === text) times.assumedUtc += this.#timeAssumed;
    else {
      const { assumedUtc } = times;
      this.#time = detached(text);
      this.#timeMs = times.read(this.#time);
      this.#timeAssumed = times.assumedUtc - assumedUtc;
    }
    return this.#intake.timeGiven(this.#timeMs, context);
  }

  /** Learns the shape of a message that was taken, if it is one of sensors. */
  learn(text: string, value: unknown): void {
    if (this.#shapes >= MAX_SHAPES || this.#text >= MAX_TEXT || !isRecord(value)) return;
    if (!('Events' in value) && !(isFlat(value) && !OTHER_FORMS.some((name) => name in value))) return;
    this.#shapes++;
    const gaps = gapsIn(text);
    const shape = gaps === null ? null : this.#shapeFrom(value, text, gaps);
    if (shape !== null) this.#remember(text, gaps as Gap[], shape);
  }

  #shapeFrom(value: JsonRecord, text: string, gaps: readonly Gap[]): Shape | null {
    const places = new Map(gaps.map(({ path }, i) => [path, i]));
    /** The gap that holds a member; −1 where none does; null where it holds something else. */
    const gapOf = (path: string, member: unknown): number | null => {
      const gap = places.get(path);
      if (gap === undefined) return -1;
      const { from, to, quoted } = gaps[gap] as Gap;
      const inText = text.slice(from, to);
      return (quoted ? inText : Number(inText)) === member && to - from <= LONGEST_GAP ? gap : null;
    };
    const sensors: ShapeSensor[] = [];
    const add = (fields: JsonRecord, frame: SensorFrame, path: string, around: { location: number; time: number }): boolean => {
      if (Object.values(fields).some((field) => field !== null && typeof field === 'object')) return false;
      const at = path === '' ? '' : `${path}/`;
      const ownLocation = gapOf(`${at}Location`, fields['Location']);
      const ownTime = gapOf(`${at}Timestamp`, fields['Timestamp']);
      const found = gapOf(`${at}Value`, fields['Value']);
      if (ownLocation === null || ownTime === null || found === null || found < 0) return false;
      const hasOwn = fields['Timestamp'] !== undefined && fields['Timestamp'] !== null;
      const location = textOfField(fields['Location']) === '' ? around.location : ownLocation;
      if (location < 0 || (ownLocation >= 0 && location !== ownLocation) || !(gaps[location] as Gap).quoted) return false;
      sensors.push({ fields, frame, time: hasOwn ? ownTime : around.time, location, value: found });
      return true;
    };
    if (!('Events' in value)) {
      if (!add(value, frameOfFlat(value, this.#intake), '', { location: -1, time: -1 })) return null;
      return { format: 'hpcm_flat', sensors };
    }
    const context = gapOf('Context', value['Context']);
    const listed = Array.isArray(value['Events']);
    const events = (listed ? value['Events'] : [value['Events']]) as unknown[];
    if (context === null || events.length === 0) return null;
    for (const [n, event] of events.entries()) {
      if (!isRecord(event) || !isRecord(event['Oem']) || !Array.isArray(event['Oem']['Sensors'])) return null;
      const path = listed ? `Events/${n}` : 'Events';
      const time = gapOf(`${path}/EventTimestamp`, event['EventTimestamp']);
      if (time === null) return null;
      const frame = frameOfEvent(event, event['Oem'], '', this.#intake);
      for (const [i, fields] of (event['Oem']['Sensors'] as unknown[]).entries())
        if (!isRecord(fields) || !add(fields, frame, `${path}/Oem/Sensors/${i}`, { location: context, time })) return null;
    }
    return sensors.length === 0 ? null : { format: 'redfish', sensors };
  }

  #remember(text: string, gaps: readonly Gap[], shape: Shape): void {
    let step = this.#root;
    let at = 0;
    for (let i = 0; i <= gaps.length; i++) {
      const gap = gaps[i];
      const before = text.slice(at, gap?.from ?? text.length);
      const quoted = gap?.quoted ?? null;
      let next = step.steps.find((s) => s.text === before && s.quoted === quoted);
      if (next === undefined) {
        next = { text: detached(before), quoted, shape: null, steps: [], next: 0 };
        step.steps.push(next);
        this.#text += before.length;
      }
      step = next;
      at = gap?.to ?? at;
    }
    step.shape ??= shape;
  }

  /** Lets go of all that was learnt. */
  clear(): void {
    this.#begins.length = 0;
    this.#places.clear();
    this.#place = { location: '\0', source: '', at: null, follower: null, sensors: [], series: [], next: 0 };
  }
}

/** The step that a text takes from an offset on. */
function nextStep(step: Step, text: string, at: number): Step | null {
  const { steps, next } = step;
  const { length } = steps;
  for (let i = 0; i < length && i < LOOKED_THROUGH; i++) {
    const turn = next + i < length ? next + i : next + i - length;
    const found = steps[turn] as Step;
    const end = at + found.text.length;
    // Comparing a piece of the text is several times as fast as startsWith().
    if (text.slice(at, end) !== found.text || (found.quoted === null && text.length !== end)) continue;
    step.next = turn + 1 < length ? turn + 1 : 0;
    return found;
  }
  return null;
}

function endOfNumber(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 44 || code === 125 || code === 93 || code <= 32) return at;
  }
  return -1;
}
