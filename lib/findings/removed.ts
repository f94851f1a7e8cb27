import type { Inventory } from './inventory.ts';
import type { Names } from './names.ts';
import type { SourceView } from './observe.ts';
import { kinds } from './kinds.ts';
import { ended, isOpen, type Tracked } from './tracked.ts';

interface Gone {
  inventory: Inventory | { why: string };
  names: Names;
  /** Every expected name; null where the list is not what the site meant. */
  expected: { has(name: string): boolean } | null;
  sources: readonly SourceView[];
  now: number;
}

/** Subjects that are nodes by the inventory's word. */
const NODES: ReadonlySet<string> = new Set(['node', 'service_node']);

/** Ends what is about a node that no longer exists, or is of a kind that this version does not know. */
export function endWhatIsGone(tracked: Map<string, Tracked>, gone: Gone): void {
  const { inventory, names, expected, now } = gone;
  const hosts = 'why' in inventory ? null : inventory.hosts;
  const aliases = 'why' in inventory ? null : inventory.aliases;
  const isListed = (name: string): boolean => names.of(name).some((n) => hosts?.has(n) === true || aliases?.has(n) === true);
  const shownBy = new Map<string, ReadonlySet<string>>();
  const isShownNow = (source: string, id: string): boolean => {
    let shown = shownBy.get(source);
    if (!shown) {
      const snapshot = gone.sources.find((s) => s.source === source)?.snapshot;
      shownBy.set(source, (shown = new Set(snapshot?.conditions.map((c) => c.id))));
    }
    return shown.has(id);
  };
  for (const [id, t] of tracked) {
    const { subject, kind } = t.condition;
    if (!kinds.has(kind) && !isShownNow(t.source, id)) {
      if (isOpen(t)) tracked.set(id, ended(t, `kind ${kind} is not known to this version, and ${t.source} does not show it`, now));
      else tracked.delete(id);
    } else if (hosts !== null && NODES.has(subject.type) && isListed(subject.id)) {
      if (!t.listed) tracked.set(id, { ...t, listed: true });
    } else if (
      hosts !== null &&
      t.listed &&
      isOpen(t) &&
      !isShownNow(t.source, id) &&
      expected !== null &&
      !names.of(subject.id).some((n) => expected.has(n))
    ) {
      const reason = `subject removed: ${subject.id} is in neither the complete inventory nor the list of expected nodes`;
      tracked.set(id, ended(t, reason, now));
    }
  }
}
