import type { ConditionDraft } from '../model/condition.ts';
import { compareNames } from '../model/text.ts';
import { formatDuration, parseDuration } from '../model/time.ts';
import { fold } from '../nodeset.ts';
import { Derivation } from './derivation.ts';
import { onNode } from './expected-nodes.ts';
import type { Hardware } from './hardware.ts';
import type { Inventory } from './inventory.ts';
import type { Names } from './names.ts';
import type { Scheduler } from './scheduler.ts';

/** Two sources that looked further apart than this may both be right. */
const APART = parseDuration('30m');

interface Views {
  inventory: Inventory | { why: string };
  scheduler: Scheduler | { why: string };
  hardware: Hardware | { why: string };
  names: Names;
}

type View<T> = T | { why: string };

/** Where two sources say of one node what cannot both be true, or one says what another should explain. */
export function contradictions({ inventory, scheduler, hardware, names }: Views): Derivation {
  const made = new Derivation();
  const kinds = { power: 'power_contradiction', unexplained: 'node_down_unexplained', silent: 'status_without_alert' } as const;

  // Each pair speaks for the nodes that both know; a node is judged where any pair could judge it.
  const powerKnown = new Set<string>();
  const reasons: string[] = [];
  const pair = <A extends { asOf: number }, B extends { asOf: number }>(
    a: View<A>,
    b: View<B>,
    judge: (a: A, b: B) => { known: Iterable<string>; drafts: ConditionDraft[] },
  ): void => {
    const why = notComparable(a, b);
    if (why !== null || 'why' in a || 'why' in b) return void reasons.push(why ?? '');
    const { known, drafts } = judge(a, b);
    for (const name of known) powerKnown.add(name);
    made.conditions.push(...drafts);
  };
  pair(inventory, scheduler, (hpcm, pbs) => {
    const working = canonical(pbs.inService, names);
    return {
      known: both(canonical(hpcm.hosts ?? hpcm.off, names), canonical(pbs.known, names)),
      drafts: inBoth(hpcm.off, working, names).map((name) =>
        power(name, 'hpcm_inventory and pbs_state', 'is powered off by HPCM, and PBS gives it work'),
      ),
    };
  });
  pair(hardware, scheduler, (oneview, pbs) => {
    const working = canonical(pbs.inService, names);
    return {
      known: both(canonical(oneview.servers, names), canonical(pbs.known, names)),
      drafts: inBoth(oneview.off, working, names).map((name) =>
        power(name, 'oneview_inventory and pbs_state', 'is powered off by OneView, and PBS gives it work'),
      ),
    };
  });
  pair(hardware, inventory, (oneview, hpcm) => {
    const on = canonical(hpcm.on ?? [], names);
    return {
      known: hpcm.on === null ? [] : both(canonical(oneview.servers, names), canonical(hpcm.hosts ?? [], names)),
      drafts: inBoth(oneview.off, on, names).map((name) =>
        power(name, 'hpcm_inventory and oneview_inventory', 'is powered off by OneView, and on by HPCM'),
      ),
    };
  });
  judged(made, kinds.power, powerKnown, reasons[0]);

  const hidden = notComparable(hardware, scheduler);
  if (hidden !== null || 'why' in hardware || 'why' in scheduler) made.leave(kinds.unexplained, hidden ?? '');
  else if (hardware.alerted === null) made.leave(kinds.unexplained, hardware.alertsWhy);
  else {
    const alerted = canonical(hardware.alerted, names);
    const down = inBoth(scheduler.down.keys(), canonical(hardware.on, names), names).filter((name) => !alerted.has(name));
    made.conditions.push(
      ...down.map((name) => ({
        ...onNode(kinds.unexplained, name),
        message: `${name} is down in PBS, powered on in OneView, and no open alert says why`,
        values: {},
      })),
    );
    judged(made, kinds.unexplained, both(canonical(hardware.servers, names), canonical(scheduler.known, names)));
  }

  if ('why' in hardware) made.leave(kinds.silent, hardware.why);
  else if (hardware.alerted === null) made.leave(kinds.silent, hardware.alertsWhy);
  else {
    const alerted = canonical(hardware.alerted, names);
    for (const [name, status] of hardware.unwell) {
      const node = names.canonical(name);
      if (alerted.has(node)) continue;
      made.conditions.push({
        ...onNode(kinds.silent, node),
        message: `${node} has status ${status} in OneView, and no open alert says why`,
        values: { status },
      });
    }
    judged(made, kinds.silent, canonical(hardware.servers, names));
  }
  return made;
}

function judged(made: Derivation, kind: string, known: Iterable<string>, otherwise?: string): void {
  const all = fold(known);
  if (all === '') made.leave(kind, otherwise ?? 'no two sources know the same nodes');
  else made.judged(kind, 'node', all);
}

function notComparable(a: View<{ asOf: number }>, b: View<{ asOf: number }>): string | null {
  if ('why' in a) return a.why;
  if ('why' in b) return b.why;
  const apart = Math.abs(a.asOf - b.asOf);
  return apart > APART ? `the two sources looked ${formatDuration(apart)} apart` : null;
}

function canonical(some: Iterable<string>, names: Names): Set<string> {
  const out = new Set<string>();
  for (const name of some) out.add(names.canonical(name));
  return out;
}

function* both(a: ReadonlySet<string>, b: ReadonlySet<string>): Iterable<string> {
  for (const name of a) if (b.has(name)) yield name;
}

function inBoth(some: Iterable<string>, others: ReadonlySet<string>, names: Names): string[] {
  return [...canonical(some, names)].filter((name) => others.has(name)).sort(compareNames);
}

function power(name: string, between: string, what: string): ConditionDraft {
  return { ...onNode('power_contradiction', name), part: between, message: `${name} ${what}`, values: { between } };
}
