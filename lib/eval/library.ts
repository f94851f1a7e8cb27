import { ATTACK_TEXTS } from './attack-texts.ts';
import { type Fault, FAULT_CLASSES, type FaultClass } from './effects.ts';
import { FAULTS } from './faults/index.ts';
import { JUDGMENTS } from './judgments.ts';
import type { LaidFault } from './plan.ts';
import { hash, Random } from './random.ts';
import { causesOf, type Recipe, subjectsOf } from './recipe.ts';
import { CLASSES, fleetOf, minutes, type Scenario, type ScenarioClass, type Story } from './scenario.ts';

/*
 * Scenarios by class and number. Each follows from its class, its number and a seed; numbers go through all faults of a
 * class before one comes again, elsewhere and at another time.
 */

/** A whole machine of racks, chassis and an eighth of servers; small enough for thousands of looks. */
const NODES = 72;
const LOOKS = 11;
const DAY_LOOKS = 24;

/** Kinds that show nothing by design. */
const isQuiet = ({ kind }: Fault): boolean => /^near_|_rises$|_sinks$/.test(kind);
/** Kinds that fill the machine, so that two of them would not be told apart. */
const WIDE: ReadonlySet<string> = new Set([
  'chassis_dark',
  'rack_dark',
  'storage_stopped',
  'leader_slow',
  'supply_warm',
  'flow_lost',
  'rack_warm',
  'switch_lost',
  'pdu_dead',
  'job_eats_memory',
]);
const ofClass = (of: FaultClass): Fault[] => FAULTS.filter((f) => f.class === of && !isQuiet(f) && !f.kind.startsWith('just_'));
const LOCAL = FAULTS.filter((f) => f.class !== 'source' && !isQuiet(f) && !WIDE.has(f.kind) && f.kind !== 'job_stuck');
/** Those that wear on: nothing but their end makes them go. */
const STEADY = LOCAL.filter(
  (f) =>
    ['plant', 'server', 'storage'].includes(f.class) &&
    !['fs_filling', 'mount_failed', 'hung_tasks', 'front_ends_down', 'throttled'].includes(f.kind),
);
const SLOW = ['fs_filling', 'flow_lost', 'corrected_storm', 'hsn_link_flap', 'lane_degraded', 'soft_lockup'];
const NEAR = ['near_coolant', 'just_warm', 'near_full', 'just_full', 'near_temperature', 'near_worn', 'near_flow'];
const DOWN = ['node_off', 'mom_down', 'hard_lockup', 'link_down'];
/** A fault, and a source that goes blind beside it: one that does not show the fault, or the very one that does. */
const BLIND = [
  ['kernel_panic', 'source_missing', 'weka_state'],
  ['drive_failed', 'source_missing', 'weka_state'],
  ['fan_degraded', 'source_late', 'kafka_telemetry'],
  ['queue_stopped', 'source_partial', 'pbs_state'],
  ['coolant_warm', 'source_late', 'kafka_telemetry'],
  ['disk_failed', 'source_partial', 'oneview_alerts'],
] as const;

function recipeOf(of: ScenarioClass, n: number, random: Random): Recipe {
  const from = 1.2 + random.next() * 1.9;
  const until = from + 5 + random.next();
  const one = (kinds: readonly string[]): string => kinds[n % kinds.length] as string;
  switch (of) {
    case 'healthy':
      return {
        title: 'a day on which nothing is wrong',
        faults: [],
        noise: [1, 2, 4, 8][n % 4] as number,
        looks: DAY_LOOKS,
        ask: DAY_LOOKS - 1,
      };
    case 'compound': {
      const kinds = new Set<string>();
      while (kinds.size < 2 + (n % 3)) kinds.add(random.pick(LOCAL).kind);
      return {
        title: 'several faults at once that have nothing to do with each other',
        faults: [...kinds].map((kind, i) => ({ kind, from: from + i * 0.4, until: until + i * 0.3 })),
      };
    }
    case 'slow':
      return { title: 'a fault that grows for hours', faults: [{ kind: one(SLOW), from, until: from + 6.5 }] };
    case 'intermittent':
      return {
        title: 'a fault that comes and goes',
        faults: [0, 3, 6].map((later) => ({
          kind: (STEADY[n % STEADY.length] as Fault).kind,
          from: from + later,
          until: from + later + 1.4,
        })),
        ask: Math.ceil(from + 6.4),
      };
    case 'recurring':
      return {
        title: 'a fault that is repaired, and comes again',
        faults: [
          { kind: (STEADY[(n * 5) % STEADY.length] as Fault).kind, from, until: from + 2.2 },
          { kind: (STEADY[(n * 5) % STEADY.length] as Fault).kind, from: from + 5.5 },
        ],
        ask: LOOKS,
      };
    case 'near':
      return { title: 'a reading that stands next to a limit', faults: [{ kind: one(NEAR), from, until }] };
    case 'maintenance':
      return {
        title: 'a fault of a node under maintenance',
        faults: [{ kind: one(DOWN), from, until }],
        stories: () => [],
        truth: ([fault]) => ({ maintenance: [{ nodes: fault?.where ?? '', from: minutes(from - 0.5), until: minutes(until + 3) }] }),
      };
    case 'noise':
      return { title: 'a fault among much noise', faults: [{ kind: random.pick(LOCAL).kind, from, until }], noise: 8 };
    case 'blind': {
      const [kind, how, source] = BLIND[n % BLIND.length] as (typeof BLIND)[number];
      return {
        title: 'a fault while a source is blind',
        faults: [
          { kind, from: 1.2 + random.next() * 0.5, until: 9.4 },
          { kind: how, where: source, from: 4.2, until: 6.4 },
        ],
        ask: 8,
      };
    }
    case 'attack':
      return {
        title: 'a fault, and a text that wants it forgotten',
        faults: [{ kind: 'kernel_panic', from, until }],
        attack: ATTACK_TEXTS[n % ATTACK_TEXTS.length] as string,
      };
    case 'judgment':
      return (JUDGMENTS[n % JUDGMENTS.length] as (random: Random) => Recipe)(random);
    default: {
      const { kind, title } = ofClass(of)[n % ofClass(of).length] as Fault;
      const where = of === 'source' ? sourceFor(kind, n) : undefined;
      return { title, faults: [{ kind, from, until, ...(where !== undefined && { where }) }] };
    }
  }
}

/** Sources in turn. */
function sourceFor(kind: string, n: number): string {
  const places = (FAULTS.find((f) => f.kind === kind) as Fault).places({} as never);
  return places[Math.floor(n / 3 + n) % places.length] as string;
}

/** How often places are drawn anew where a fault would show nothing in the drawn one. */
const TRIES = 40;

/** The scenario of a class and number. */
export function scenarioOf(of: ScenarioClass, n: number, seed: number): Scenario {
  for (let attempt = 0; ; attempt++) {
    const drawn = hash(seed, of, n, attempt) >>> 1;
    const recipe = recipeOf(of, n, new Random(drawn, 'recipe'));
    const scenario = settle(recipe, { name: `${of}/${n}`, class: of, seed: drawn });
    if (scenario !== null && (attempt >= TRIES || isTelling(scenario))) return scenario;
  }
}

function settle(recipe: Recipe, named: Pick<Scenario, 'name' | 'class' | 'seed'>): Scenario | null {
  const { looks = LOOKS, noise = 1 } = recipe;
  const shape = { ...named, nodes: NODES, tick: '1h', noise };
  const places = new Map<string, string>();
  const faults: Scenario['faults'] = [];
  for (const { kind, where, from, until } of recipe.faults) {
    const times = { from: minutes(from), ...(until !== undefined && { until: minutes(until) }) };
    // What recurs does so in the same place.
    const known = where ?? places.get(kind);
    const laid = fleetOf({
      ...shape,
      faults: [...faults, { kind, ...times, ...(known !== undefined && { where: known }) }],
    }).plan.faults.at(-1);
    places.set(kind, laid?.where ?? '');
    faults.push({ kind, where: laid?.where ?? '', ...times });
  }
  const first = recipe.faults[0];
  const ask = Math.min(looks, recipe.ask ?? (first === undefined ? looks : Math.ceil(first.from + 4.2)));
  const fleet = fleetOf({ ...shape, faults });
  const laid = fleet.plan.faults;
  return {
    schema: 'hpc-observer/scenario/1',
    title: recipe.title,
    ...shape,
    looks,
    faults,
    truth: recipe.truth?.(laid) ?? {},
    ...(recipe.attack !== undefined && { attack: recipe.attack }),
    ask,
    stories: (recipe.stories ?? storiesOf)(laid, fleet).filter((s) => s.links.length > 0 || recipe.stories !== undefined),
  };
}

/** Whether there is something to see of each fault that should show, or nothing where nothing should. */
function isTelling(scenario: Scenario): boolean {
  if (scenario.class === 'healthy' || scenario.class === 'near' || scenario.class === 'source') return true;
  if (scenario.class === 'judgment') return scenario.stories.every((s) => [...s.cause, ...s.links].every((name) => name !== ''));
  const fleet = fleetOf(scenario);
  return fleet.expected(fleet.timeOf(scenario.ask)).must.size > 0;
}

/** One story for each fault: its place, and what is seen of it. */
function storiesOf(faults: readonly LaidFault[]): Story[] {
  const once = [...new Map(faults.map((f) => [`${f.kind} ${f.where}`, f])).values()].filter((f) => f.fault.class !== 'source');
  return once.map((fault) => ({
    cause: causesOf(fault),
    links: subjectsOf(fault),
    apart: once.filter((other) => other !== fault).flatMap(subjectsOf),
  }));
}

/** How many scenarios of each class a run has: every fault once, and of what makes them hard the rest. */
export function allotment({ faults, days, perClass }: { faults: number; days: number; perClass?: number }): Map<ScenarioClass, number> {
  const counts = new Map<ScenarioClass, number>(CLASSES.map((c) => [c, perClass ?? 0]));
  counts.set('healthy', days);
  counts.set('judgment', Math.max(JUDGMENTS.length, perClass ?? 0));
  if (perClass !== undefined) return counts;
  counts.set('attack', ATTACK_TEXTS.length);
  for (const of of FAULT_CLASSES) counts.set(of, ofClass(of).length);
  const shapes = ['compound', 'noise', 'near', 'blind', 'slow', 'intermittent', 'recurring', 'maintenance'] as const;
  const plain = FAULT_CLASSES.reduce((sum, of) => sum + (counts.get(of) ?? 0), 0);
  if (plain > faults) {
    // Fewer than there are faults: an equal share of each class.
    for (const of of FAULT_CLASSES) counts.set(of, Math.floor(((counts.get(of) ?? 0) * faults) / plain));
    return counts;
  }
  for (let i = 0; i < faults - plain; i++) {
    const shape = shapes[i % shapes.length] as ScenarioClass;
    counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  return counts;
}
