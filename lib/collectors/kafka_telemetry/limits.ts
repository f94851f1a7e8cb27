import * as z from 'zod';
import type { JsonObject } from '../../model/json.ts';
import { QUANTITIES, type Quantity, wordsOf } from './quantity.ts';
import type { Series } from './recorder.ts';

const Bound = z.strictObject({ warning: z.number().optional(), critical: z.number().optional() });

/**
 * One row of a kind's table of limits. A sensor is judged by the first row that fits it; a row without bounds exempts it.
 * In a site's configuration: `rules: { temperature_high: { limits: [ { match: [gpu], unit: °C, high: { warning: 88 } } ] } }`.
 */
export const LimitRow = z.strictObject({
  quantity: z.enum(QUANTITIES).optional(),
  /** The unit of the bounds where they are absolute: a sensor in another unit is not judged by the row. */
  unit: z.string().optional(),
  /** Words of which the sensor's metric or place must have one. */
  match: z.array(z.string().min(1)).optional(),
  /** Words of which it may have none. */
  except: z.array(z.string().min(1)).optional(),
  /** Types of subject. */
  subjects: z.array(z.string().min(1)).optional(),
  /**
   * What bounds are compared with: the value itself; its share of what its `siblings` show (other sensors of the quantity
   * on the subject), its `peers` (the same sensor on other subjects), or it itself usually (`baseline`).
   */
  of: z.enum(['value', 'siblings', 'peers', 'baseline']).default('value'),
  high: Bound.optional(),
  low: Bound.optional(),
  /** How far back over the bound a value must come before it counts as good, in the bound's own unit. */
  hysteresis: z.number().nonnegative().default(0),
});
export type LimitRow = z.infer<typeof LimitRow>;

export interface Limit extends LimitRow {
  kind: string;
  quantity: Quantity;
}

/** Kinds that are judged by limits, and the quantity of each. */
const QUANTITY_OF: Readonly<Record<string, Quantity>> = {
  temperature_high: 'temperature',
  power_high: 'power',
  fan_low: 'fan',
  flow_low: 'flow',
  pressure_off: 'pressure',
  voltage_off: 'voltage',
  humidity_off: 'humidity',
  leak_detected: 'leak',
};

function rows(kind: string, ...list: Omit<Partial<Limit>, 'kind' | 'quantity'>[]): Limit[] {
  return list.map((row): Limit => ({ of: 'value', hysteresis: 0, kind, quantity: QUANTITY_OF[kind] as Quantity, ...row }));
}

/**
 * Our limits where a site gives none. Neither Cray telemetry nor HPCM carries any on the wire. Liquid and air follow
 * ASHRAE's classes (W32/W40; A1/A2 allowable); node and cabinet power are published limits of Frontier's cabinets (node
 * 2,683 W, SIVOC 3,200 W; cabinet 391 kW of 400); the others are starting points of ours for a site to tune.
 */
export const LIMITS: readonly Limit[] = [
  ...rows(
    'temperature_high',
    { unit: '°C', match: ['hbm', 'gpumem', 'gpumemory'], high: { warning: 90, critical: 98 }, hysteresis: 3 },
    { unit: '°C', match: ['gpu', 'amdgpu', 'dcgm', 'accelerator'], high: { warning: 85, critical: 95 }, hysteresis: 3 },
    { unit: '°C', match: ['voltageregulator', 'vr', 'vrm', 'asic'], high: { warning: 105, critical: 115 }, hysteresis: 3 },
    { unit: '°C', match: ['cpu', 'processor', 'coretemp', 'tctl', 'package'], high: { warning: 85, critical: 95 }, hysteresis: 3 },
    { unit: '°C', match: ['dimm', 'memory'], high: { warning: 80, critical: 85 }, hysteresis: 3 },
    { unit: '°C', match: ['return'], high: { warning: 60, critical: 65 }, hysteresis: 2 },
    { unit: '°C', match: ['coolant', 'liquid', 'supply', 'liquidinlet', 'water'], high: { warning: 32, critical: 40 }, hysteresis: 1 },
    { unit: '°C', match: ['inlet', 'intake', 'ambient'], high: { warning: 32, critical: 35 }, hysteresis: 1 },
    { unit: '°C', high: { warning: 95, critical: 105 }, hysteresis: 3 },
  ),
  ...rows(
    'power_high',
    { unit: 'W', subjects: ['node'], high: { warning: 2683, critical: 3200 }, hysteresis: 50 },
    { unit: 'W', subjects: ['rack'], high: { warning: 391_000, critical: 400_000 }, hysteresis: 5000 },
  ),
  ...rows('fan_low', { of: 'siblings', low: { warning: 0.2 }, hysteresis: 0.1 }),
  ...rows('flow_low', { of: 'baseline', low: { warning: 0.8, critical: 0.5 }, hysteresis: 0.05 }),
  ...rows('pressure_off', {
    of: 'baseline',
    low: { warning: 0.8, critical: 0.6 },
    high: { warning: 1.2, critical: 1.4 },
    hysteresis: 0.05,
  }),
  ...rows('voltage_off', {
    unit: 'V',
    of: 'peers',
    low: { warning: 0.9, critical: 0.8 },
    high: { warning: 1.1, critical: 1.2 },
    hysteresis: 0.02,
  }),
  ...rows('humidity_off', { unit: '%', low: { warning: 20, critical: 8 }, high: { warning: 80, critical: 90 }, hysteresis: 2 }),
  ...rows('leak_detected', { high: { critical: 1 }, hysteresis: 0.5 }),
];

/** A site's rows before ours, and what is wrong with its rules. */
export function limitsOf(rules: Readonly<Record<string, JsonObject>>): { limits: readonly Limit[]; mistakes: string[] } {
  const own: Limit[] = [];
  const mistakes: string[] = [];
  for (const kind of Object.keys(QUANTITY_OF)) {
    const given = Object.hasOwn(rules, kind) ? rules[kind]?.['limits'] : undefined;
    if (given === undefined) continue;
    const parsed = z.array(LimitRow).safeParse(given);
    if (parsed.success) own.push(...parsed.data.map((row) => ({ quantity: QUANTITY_OF[kind] as Quantity, ...row, kind }) as Limit));
    else
      mistakes.push(
        `rules.${kind}.limits: ${parsed.error.issues[0]?.path.join('.') ?? ''} ${parsed.error.issues[0]?.message ?? 'not understood'}; ours hold instead`,
      );
  }
  return { limits: [...own, ...LIMITS], mistakes };
}

/** The words by which rows recognise a sensor: those of its metric and place, alone and joined in pairs. */
function sensorWords(series: Series): Set<string> {
  const words = [...wordsOf(series.group.metric), ...wordsOf(series.part)];
  return new Set([...words, ...words.slice(1).map((word, i) => `${words[i] as string}${word}`)]);
}

/** Finds the row that holds for a sensor; one answer is worked out for the same sensor of all subjects. */
export function limitFinder(limits: readonly Limit[]): (series: Series) => readonly Limit[] {
  const known: (readonly Limit[] | undefined)[] = [];
  const byQuantity = new Map<Quantity, Limit[]>();
  for (const limit of limits) byQuantity.set(limit.quantity, [...(byQuantity.get(limit.quantity) ?? []), limit]);
  return (series) => {
    const candidates = byQuantity.get(series.group.quantity);
    if (candidates === undefined) return [];
    let found = known[series.like];
    if (found === undefined) {
      const words = sensorWords(series);
      const fits = candidates.filter(
        (limit) =>
          (limit.unit === undefined || limit.unit === series.group.unit) &&
          (limit.subjects === undefined || limit.subjects.includes(series.subject.type)) &&
          (limit.match === undefined || limit.match.some((word) => words.has(word.toLowerCase()))) &&
          !(limit.except?.some((word) => words.has(word.toLowerCase())) ?? false),
      );
      found = fits.filter((limit, i) => fits.findIndex((other) => other.kind === limit.kind) === i);
      known[series.like] = found;
    }
    return found;
  };
}
