import type { ConditionDraft } from '../../model/condition.ts';
import { compareNames } from '../../model/text.ts';
import { toIso } from '../../model/time.ts';
import { onEntry } from './drafts.ts';
import type { Entry } from './fleet.ts';

/** Conditions of one kind, and for which nodes the next run has to remember them. */
export interface Remembered {
  drafts: ConditionDraft[];
  seen: [string, number][];
}

/** After this time without an answer, what was last known of a node is let go. */
export const FORGOTTEN = 7 * 864e5;
/** Bounds the carry; a fleet with more nodes off than this needs no memory to say so. */
const MAX_REMEMBERED = 20_000;

/**
 * What was seen of a node stays open while nobody answers for it: a power status that fails, or a capture that a dead node
 * is missing from, is no recovery.
 */
function remember(
  hosts: readonly Entry[],
  before: readonly [string, number][],
  now: number,
  isKnown: (entry: Entry) => boolean,
  toDraft: (entry: Entry, lastSeen: string) => ConditionDraft,
): Remembered {
  const last = new Map(before);
  const silent = hosts.filter((e) => !isKnown(e) && now - (last.get(e.id) ?? Number.NEGATIVE_INFINITY) < FORGOTTEN);
  return {
    drafts: silent.map((entry) => toDraft(entry, toIso(last.get(entry.id) as number))),
    seen: silent.map((entry) => [entry.id, last.get(entry.id) as number]),
  };
}

function join(open: ConditionDraft[], silent: Remembered, now: number): Remembered {
  const seen = [...open.map((d): [string, number] => [d.subject.id, now]), ...silent.seen]
    .sort((a, b) => compareNames(a[0], b[0]))
    .slice(0, MAX_REMEMBERED);
  return { drafts: [...open, ...silent.drafts], seen };
}

/** Nodes that are off. */
export function nodesOff(hosts: readonly Entry[], before: readonly [string, number][], now: number): Remembered {
  const isKnown = ({ power }: Entry): boolean => power !== undefined && power.state !== 'unknown';
  const open = hosts
    .filter((e) => e.power?.state === 'off')
    .map((e) => onEntry('node_off', e, 'is powered off', { power: 'off' }, { evidence: [{ at: '/summary/power' }] }));
  const silent = remember(hosts, before, now, isKnown, (e, lastSeen) =>
    onEntry(
      'node_off',
      e,
      `was powered off when its power was last read, at ${lastSeen}; there is no answer for it now`,
      { power: 'off', last_read: lastSeen },
      { lastSeen },
    ),
  );
  return join(open, silent, now);
}

/** Nodes that run another image or kernel than they are assigned; one whose image is pending is said to be so instead. */
export function bootDrift(hosts: readonly Entry[], before: readonly [string, number][], now: number): Remembered {
  const isKnown = ({ booted }: Entry): boolean => booted?.image !== undefined || booted?.kernel !== undefined;
  const open = hosts.flatMap((e) => {
    const { image, kernel, booted, rootFs } = e;
    if (booted === undefined || typeof image !== 'string' || e.imagePending === true) return [];
    const isOtherImage = booted.image !== undefined && booted.image !== image;
    const isOtherKernel = booted.kernel !== undefined && kernel !== undefined && booted.kernel !== kernel;
    if (!isOtherImage && !isOtherKernel) return [];
    const what = isOtherImage ? `runs image ${booted.image}` : `runs kernel ${booted.kernel}`;
    const assigned = isOtherImage ? image : `${kernel} of image ${image}`;
    const until = rootFs === 'disk' ? 'it keeps that until it is provisioned again' : 'it would take the assigned one at its next boot';
    return onEntry(
      'boot_drift',
      e,
      `${what}; assigned is ${assigned} (${until})`,
      { image, kernel: kernel ?? null, running: booted.image ?? null, running_kernel: booted.kernel ?? null, root_fs: rootFs ?? null },
      { image: booted.image ?? image, evidence: [{ at: '/summary/boot' }] },
    );
  });
  const silent = remember(hosts, before, now, isKnown, (e, lastSeen) =>
    onEntry(
      'boot_drift',
      e,
      `ran another image or kernel than assigned when that was last read, at ${lastSeen}; there is no answer from it now`,
      { last_read: lastSeen },
      { lastSeen },
    ),
  );
  return join(open, silent, now);
}
