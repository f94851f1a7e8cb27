import type { Subject } from '../../model/condition.ts';
import type { JsonObject } from '../../model/json.ts';
import { compareNames } from '../../model/text.ts';
import type { Container } from './containers.ts';
import { known } from './digest.ts';

const MAX_CONTAINERS = 8;

/** What each host, server or client, has of storage: facts of the node, beside what other sources know of it. */
export function hostFacts(
  containers: readonly Container[],
  drives: ReadonlyMap<string, { drives: number; failed: number }>,
): { subject: Subject; facts: JsonObject }[] {
  const hosts = new Map<string, Container[]>([...drives.keys()].map((host) => [host, []]));
  for (const container of containers) {
    if (container.host === null) continue;
    const own = hosts.get(container.host);
    if (own) own.push(container);
    else hosts.set(container.host, [container]);
  }
  return [...hosts]
    .sort(([a], [b]) => compareNames(a, b))
    .map(([host, own]) => {
      const mode = own.length === 0 ? null : own.every((c) => c.client) ? 'client' : 'backend';
      const states = own.slice(0, MAX_CONTAINERS).map((c) => known({ id: c.hostId, name: c.name, state: c.state, status: c.status }));
      // In the order in which facts are stored.
      const storage = known({ containers: states, drives: drives.get(host)?.drives, drivesFailed: drives.get(host)?.failed, mode });
      return { subject: { type: 'node', id: host }, facts: { storage } };
    });
}
