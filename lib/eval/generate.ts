import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { Fleet } from './fleet.ts';
import { FolderSink } from './folder.ts';
import { DAY, type FleetSpec, fleetSpec, parseFault, SPEC_DEFAULTS, SpecError } from './spec.ts';

/** What `eval generate` is asked for. */
export interface GenerateRequest {
  nodes: number;
  seed: number;
  days: number;
  /** Minutes between ticks. */
  tickMinutes: number;
  start?: string;
  faults: readonly string[];
  out: string;
}

export interface Generated {
  /** The folder's clock: its last look, ISO 8601. */
  clock: string;
  tick: number;
  bytes: number;
  /** The faults with the places that the seed chose. */
  faults: { kind: string; where: string; from: string; until: string | null }[];
}

/** Beside the sources: what the fleet follows from, and how far it has come. */
const RECORD = 'fleet.json';
const Record = z.object({
  spec: z.object({
    cluster: z.string(),
    nodes: z.number(),
    seed: z.number(),
    start: z.number(),
    tick: z.number(),
    timezone: z.string(),
    firstRack: z.number(),
    noise: z.number().default(1),
    faults: z.array(z.object({ kind: z.string(), where: z.string(), from: z.number(), until: z.number().nullable() })),
  }),
  tick: z.number().int(),
});

/**
 * Writes a fleet as it is at the end of its days: the text of all consoles, and every other source as of its last look.
 * @throws SpecError
 */
export function generate(request: GenerateRequest): Generated {
  const { nodes, seed, days, tickMinutes, out } = request;
  const start = request.start === undefined ? SPEC_DEFAULTS.start : Date.parse(request.start);
  if (!Number.isFinite(start)) throw new SpecError(`--start ${request.start}: expected a time such as 2026-11-30T00:00:00Z`);
  if (!(days > 0 && days <= 366)) throw new SpecError(`--days ${days}: expected up to 366`);
  const end = start + days * DAY;
  const spec = fleetSpec({
    nodes,
    seed,
    start,
    tick: tickMinutes * 60_000,
    faults: request.faults.map((f) => parseFault(f, { start, end })),
  });
  const fleet = new Fleet(spec);
  mkdirSync(out, { recursive: true });
  if (readdirSync(out).length > 0) throw new SpecError(`${out} is not empty: a fleet gets a folder of its own`);
  return writeLook(fleet, Math.floor((end - start) / spec.tick), out);
}

/** Brings a generated folder some ticks on, as if its jobs had gone on writing. @throws SpecError */
export function advance(out: string, ticks: number): Generated {
  const { fleet, tick } = openFleet(out);
  let made = writeLook(fleet, tick + 1, out);
  for (let i = 1; i < ticks; i++) made = writeLook(fleet, tick + 1 + i, out);
  return made;
}

/** The fleet of a generated folder, and the tick that it is at. @throws SpecError */
export function openFleet(out: string): { fleet: Fleet; tick: number } {
  let text: string;
  try {
    text = readFileSync(join(out, RECORD), 'utf8');
  } catch {
    throw new SpecError(`${out} holds no generated fleet`);
  }
  const { spec, tick } = Record.parse(JSON.parse(text));
  const faults = spec.faults.map((f) => ({ ...f, until: f.until ?? Number.POSITIVE_INFINITY }));
  return { fleet: new Fleet({ ...spec, faults }, spec.start + tick * spec.tick), tick };
}

function writeLook(fleet: Fleet, tick: number, out: string): Generated {
  const sink = new FolderSink(out);
  const at = fleet.timeOf(tick);
  fleet.write(at, sink);
  writeFileSync(join(out, 'config.yaml'), fleet.configuration(at));
  writeFileSync(join(out, 'fleet.yaml'), fleet.groundTruth());
  const faults = fleet.plan.faults.map(({ kind, where, from, until }) => ({ kind, where, from, until }));
  const spec: FleetSpec = { ...fleet.plan.spec, faults };
  writeFileSync(join(out, RECORD), `${JSON.stringify({ spec, tick }, null, 1)}\n`);
  return {
    clock: new Date(at).toISOString(),
    tick,
    bytes: sink.bytes,
    faults: faults.map(({ kind, where, from, until }) => ({
      kind,
      where,
      from: new Date(from).toISOString(),
      until: Number.isFinite(until) ? new Date(until).toISOString() : null,
    })),
  };
}
