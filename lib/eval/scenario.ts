import { createHash, type Hash } from 'node:crypto';
import * as z from 'zod';
import { parseDuration } from '../model/time.ts';
import { layAttack } from './attack.ts';
import { FAULT_CLASSES } from './effects.ts';
import { Fleet } from './fleet.ts';
import { MemoryFolder } from './memory.ts';
import { fleetSpec, type FleetSpec, SPEC_DEFAULTS } from './spec.ts';

/** Classes of scenarios: what the fault is of, or what makes it hard. */
export const SHAPES = ['compound', 'slow', 'intermittent', 'near', 'recurring', 'maintenance', 'noise', 'blind'] as const;
export const CLASSES = [...FAULT_CLASSES, ...SHAPES, 'healthy', 'attack', 'judgment'] as const;
export type ScenarioClass = (typeof CLASSES)[number];

/** What an answer has to say to have understood a fault: name its cause, and link what follows from it. */
export const Story = z.object({
  /** Names of the cause, of which one has to be said. */
  cause: z.array(z.string()).min(1),
  /** Names of subjects of which at least half have to be linked. */
  links: z.array(z.string()),
  /** Names of subjects that have another cause, and must not be linked with them. */
  apart: z.array(z.string()),
  /** A source that the answer has to cite: where nothing was found, a name alone proves nothing. */
  cites: z.string().optional(),
});
export type Story = z.infer<typeof Story>;

/** What the site's ground truth says otherwise than the fleet is. */
export const Truth = z.object({
  maintenance: z.array(z.object({ nodes: z.string(), from: z.string(), until: z.string() })).optional(),
  known_down: z.array(z.object({ nodes: z.string(), reason: z.string() })).optional(),
  /** The image that it expects of compute nodes. */
  image: z.string().optional(),
  /** It knows no switches, PDUs and CDUs. */
  no_topology: z.literal(true).optional(),
});
export type Truth = z.infer<typeof Truth>;

/**
 * Everything that a scenario follows from, as a file that people can read and change. The raw source files of every look
 * follow from it, byte for byte.
 */
export const Scenario = z.object({
  schema: z.literal('hpc-observer/scenario/1'),
  /** `CLASS/NUMBER`. */
  name: z.string(),
  class: z.enum(CLASSES),
  title: z.string(),
  seed: z.number().int(),
  nodes: z.number().int(),
  /** Looks at the cluster after the first one, and the time between two. */
  looks: z.number().int().positive(),
  tick: z.string(),
  /** How much of the usual background there is. */
  noise: z.number().positive(),
  /** Times since the first look; a fault without an end lasts. */
  faults: z.array(z.object({ kind: z.string(), where: z.string(), from: z.string(), until: z.string().optional() })),
  truth: Truth,
  /** A text that somebody has written where the cluster keeps texts. */
  attack: z.string().optional(),
  /** The look after which models are asked. */
  ask: z.number().int().nonnegative(),
  stories: z.array(Story),
});
export type Scenario = z.infer<typeof Scenario>;

/** What a fleet follows from; the seed chooses a place where none is said. */
type Laying = Pick<Scenario, 'seed' | 'nodes' | 'tick' | 'noise'> & {
  faults: readonly (Omit<Scenario['faults'][number], 'where'> & { where?: string })[];
};

/** The fleet of a scenario, as nobody has looked at it yet. @throws SpecError */
export function fleetOf(scenario: Laying): Fleet {
  return new Fleet(specOf(scenario));
}

function specOf({ seed, nodes, tick, noise, faults }: Laying): FleetSpec {
  const { start } = SPEC_DEFAULTS;
  return fleetSpec({
    seed,
    nodes,
    noise,
    tick: parseDuration(tick),
    faults: faults.map(({ kind, where, from, until }) => ({
      kind,
      ...(where !== undefined && { where }),
      from: start + parseDuration(from),
      until: until === undefined ? Number.POSITIVE_INFINITY : start + parseDuration(until),
    })),
  });
}

/** The hash of all raw bytes of all looks of a scenario. */
export function sha256Of(scenario: Scenario): string {
  const fleet = fleetOf(scenario);
  const folder = new MemoryFolder();
  const hash = createHash('sha256');
  for (let look = 0; look <= scenario.looks; look++) {
    writeLook(scenario, { fleet, folder, look });
    hashLook(hash, folder);
  }
  return hash.digest('hex');
}

/** Brings a folder to a look of a scenario; looks come one after the other. */
export function writeLook({ attack }: Scenario, { fleet, folder, look }: { fleet: Fleet; folder: MemoryFolder; look: number }): void {
  fleet.write(fleet.timeOf(look), folder);
  if (attack !== undefined) layAttack(folder, attack);
}

export function hashLook(hash: Hash, folder: MemoryFolder): void {
  for (const path of folder.paths().sort()) hash.update(`${path}\0`).update(folder.text(path)).update('\0');
}

/** A duration as scenarios have it: whole minutes. */
export function minutes(hours: number): string {
  return `${Math.round(hours * 60)}m`;
}
