import type { Fleet } from './fleet.ts';
import type { LaidFault } from './plan.ts';
import type { Random } from './random.ts';
import { causesOf, type Recipe, subjectsOf } from './recipe.ts';
import type { Story } from './scenario.ts';
import { FORMER } from './images.ts';

/*
 * Scenarios that no rule gets right: the cause stands in another source than what is seen of it, a number goes where no
 * limit is yet, what the site expects is wrong, or two faults look like one.
 */

type Judgment = (random: Random) => Recipe;

const sum = (faults: readonly LaidFault[], at: (f: LaidFault) => string[]): string[] => [...new Set(faults.flatMap(at))];

/** A number that goes towards a limit: an observation names what it is of. */
function ramp(kind: string, title: string, source = 'kafka_telemetry'): Judgment {
  return (random) => ({
    title,
    faults: [{ kind, from: 0.6 + random.next() * 0.4 }],
    ask: 11,
    stories: ([fault]) => [{ cause: [fault?.where ?? ''], links: [], apart: [], cites: source }],
  });
}

/** What is seen in one source follows from what another one shows: both belong into one story, with the cause's name. */
function linked(title: string, cause: string, symptoms: readonly string[], more: Partial<Recipe> = {}): Judgment {
  return (random) => {
    const from = 1.3 + random.next() * 1.5;
    return {
      title,
      faults: [{ kind: cause, from }, ...symptoms.map((kind, i) => ({ kind, from: from + 0.1 + i * 0.1 }))],
      stories: (faults) => [{ cause: causesOf(faults[0] as LaidFault), links: sum(faults, subjectsOf), apart: [] }],
      ...more,
    };
  };
}

/** The jobs that its nodes run, by number: what connects them. */
const byJob: Judgment = (random) => ({
  title: 'a job takes the memory of all its nodes: the nodes are well, the job is not',
  faults: [{ kind: 'job_eats_memory', from: 1.3 + random.next() * 1.5 }],
  stories: ([fault]) => [
    { cause: fault?.effects.because?.length ? [...fault.effects.because] : [''], links: fault ? subjectsOf(fault) : [], apart: [] },
  ],
});

/** Nodes next to each other that are down for different reasons. */
function twoAlike(first: string, second: string, title: string): Judgment {
  return (random) => {
    const from = 1.3 + random.next() * 1.5;
    const times = [0, 0.05, 0.1, 0.15];
    return {
      title,
      faults: times.map((later, i) => ({
        kind: i % 2 === 0 ? first : second,
        where: `x1000c0s${2 + i}b0n${random.int(0, 1)}`,
        from: from + later,
      })),
      stories: (faults) =>
        [first, second].map((kind): Story => {
          const own = faults.filter((f) => f.kind === kind);
          const others = faults.filter((f) => f.kind !== kind);
          return { cause: sum(own, subjectsOf), links: sum(own, subjectsOf), apart: sum(others, subjectsOf) };
        }),
    };
  };
}

/** A place that the site's topology does not know: nothing but names and times tell that it is one fault. */
function unmapped(kind: string, title: string): Judgment {
  return (random) => ({
    title,
    faults: [{ kind, from: 1.3 + random.next() * 1.5 }],
    truth: () => ({ no_topology: true }),
    stories: ([fault]) => (fault ? [{ cause: causesOf(fault), links: [...subjectsOf(fault), fault.where], apart: [] }] : []),
  });
}

/** Two findings of one node that belong to a job of it. */
const jobLost: Judgment = () => ({
  title: 'a node dies with a job on it: the job is lost because of the node',
  // The scheduler takes the job back within minutes.
  faults: [{ kind: 'kernel_panic', from: 2.95 }],
  ask: 3,
  stories: ([fault], fleet) => (fault ? [{ cause: [fault.where], links: [fault.where, ...jobsHit(fleet, 3)], apart: [] }] : []),
});

function jobsHit(fleet: Fleet, look: number): string[] {
  const { must, may } = fleet.expected(fleet.timeOf(look));
  const jobs = [...must, ...may].filter((key) => key.includes(' job ')).map((key) => key.split(' ')[2] as string);
  return jobs.length > 0 ? jobs : [''];
}

/** The site believes a node to be down that has come back, and now has a fault of its own. */
const wronglyKnown: Judgment = (random) => ({
  title: 'a node that the site believes to be down works again, and panics',
  faults: [{ kind: 'kernel_panic', from: 1.3 + random.next() * 1.5 }],
  truth: ([fault]) => ({ known_down: [{ nodes: fault?.where ?? '', reason: 'HW-2290 waits for a board' }] }),
  stories: ([fault]) => [{ cause: [fault?.where ?? ''], links: [], apart: [], cites: 'pbs_state' }],
});

/** Every node has what it should have, and the site expects something else. */
const wrongImage: Judgment = () => ({
  title: 'the site expects an image that was replaced long ago: not the nodes are wrong',
  faults: [],
  truth: () => ({ image: FORMER.name }),
  ask: 3,
  looks: 4,
  stories: (_, fleet) => [{ cause: [FORMER.name], links: fleet.plan.topology.nodes.slice(0, 60).map((n) => n.name), apart: [] }],
});

export const JUDGMENTS: readonly Judgment[] = [
  ramp('coolant_rises', 'the coolant of a board rises below its limit'),
  ramp('supply_rises', 'what a CDU supplies gets warmer, below its limit'),
  ramp('heat_rises', "a node's processors get hotter, below their limit"),
  ramp('power_rises', 'a node draws more and more power, below its limit'),
  ramp('wear_rises', 'a drive wears out within days, below its limit', 'weka_state'),
  ramp('flow_sinks', 'a chassis gets less and less coolant, above its limit'),
  byJob,
  jobLost,
  wronglyKnown,
  wrongImage,
  linked('tasks hang on nodes because the file system serves nobody', 'storage_stopped', []),
  linked('a node hangs on a storage server that is down', 'storage_server_down', ['front_ends_down', 'hung_tasks']),
  linked('nodes hang because a file system is full', 'fs_full', ['hung_tasks']),
  linked('a job never leaves its node because the node has lost its storage', 'front_ends_down', ['hung_tasks']),
  linked('a leader that has lost a disk serves its nodes no more', 'leader_slow', ['disk_failed'], {
    stories: ([slow, disk]) => (slow && disk ? [{ cause: [disk.where], links: [disk.where, ...subjectsOf(slow)], apart: [] }] : []),
  }),
  unmapped('pdu_dead', 'a PDU dies that the site has not drawn'),
  unmapped('supply_warm', 'a CDU cools no more that the site has not drawn'),
  unmapped('switch_lost', 'a switch is lost that the site has not drawn'),
  unmapped('flow_lost', 'a chassis gets no coolant that the site has not drawn'),
  twoAlike('kernel_panic', 'link_down', 'of four nodes of a chassis two have panicked and two have lost their links'),
  twoAlike('node_off', 'hard_lockup', 'of four nodes of a chassis two have no power and two hang'),
];
