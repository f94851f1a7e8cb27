import type { ConditionDraft, Place } from '../../model/condition.ts';
import type { JsonObject } from '../../model/json.ts';
import { compareNames } from '../../model/text.ts';
import { setJson } from '../oneview/sets.ts';
import type { Server } from './server.ts';

export const COMPONENTS = ['bios', 'bmc'] as const;
export type Component = (typeof COMPONENTS)[number];

/** Under this many servers there is no majority worth the name. */
const MIN_GROUP = 4;

/** Servers of one model, by the version that one of their components runs. */
export interface FirmwareGroup {
  component: Component;
  /** The server's model for the BIOS, the processor's (`iLO6`) for the BMC. */
  model: string;
  servers: number;
  /** The most frequent first. */
  versions: { version: string; members: Server[] }[];
  /** The version that the group is held to; null where none dominates. */
  expected: string | null;
}

/** How a group is told from others, in the carry. */
export function groupKey(component: string, model: string): string {
  return JSON.stringify([component, model]);
}

/**
 * Groups servers by model and version. A version is expected where at least `share` of the group run it: in the middle
 * of a roll-out neither version is.
 * @param known expected versions by {@link groupKey} that take precedence: those of the last whole inventory, while the
 *   present one has gaps and its majorities may be those of a few
 */
export function groupFirmware(servers: readonly Server[], share: number, known: ReadonlyMap<string, string>): FirmwareGroup[] {
  const groups = new Map<string, { component: Component; model: string; versions: Map<string, Server[]> }>();
  for (const component of COMPONENTS) {
    for (const server of servers) {
      const version = server.firmware[component];
      const model = component === 'bmc' ? server.mp.model : server.model;
      if (version === undefined || model === null) continue;
      const key = groupKey(component, model);
      const group = groups.get(key) ?? { component, model, versions: new Map<string, Server[]>() };
      const members = group.versions.get(version) ?? [];
      members.push(server);
      group.versions.set(version, members);
      groups.set(key, group);
    }
  }
  return [...groups.entries()]
    .map(([key, { component, model, versions }]) => {
      const ordered = [...versions]
        .map(([version, members]) => ({ version, members }))
        .sort((a, b) => b.members.length - a.members.length || compareNames(a.version, b.version));
      const total = ordered.reduce((sum, { members }) => sum + members.length, 0);
      const first = ordered[0];
      const dominates = first !== undefined && total >= MIN_GROUP && first.members.length / total >= share;
      const held = known.get(key);
      const expected = held !== undefined && versions.has(held) ? held : dominates ? first.version : null;
      return { component, model, servers: total, versions: ordered, expected };
    })
    .sort((a, b) => b.servers - a.servers || compareNames(a.component, b.component) || compareNames(a.model, b.model));
}

/** One condition for each component that runs another version than its group is held to. */
export function firmwareConditions(groups: readonly FirmwareGroup[], placeOf: (server: Server) => Place | undefined): ConditionDraft[] {
  return groups.flatMap(({ component, model, servers, versions, expected }) => {
    if (expected === null) return [];
    const like = versions.find((v) => v.version === expected)?.members.length ?? 0;
    return versions
      .filter(({ version }) => version !== expected)
      .flatMap(({ version, members }) =>
        members.map((server): ConditionDraft => {
          const place = placeOf(server);
          return {
            kind: 'firmware_minority',
            subject: server.subject,
            part: component,
            message: `${server.subject.id}: ${component} ${version}, while ${like} of ${servers} ${model} run ${expected}`,
            values: { component, version, expected, model, servers, like },
            ...(place && { place }),
          };
        }),
      );
  });
}

/** The groups for the summary: the largest, and of each its versions with the servers of those that differ. */
export function firmwareSummary(groups: readonly FirmwareGroup[], maxGroups = 4, maxVersions = 3): JsonObject[] {
  const split = (group: FirmwareGroup): number => (group.versions.length > 1 ? 0 : 1);
  return groups
    .toSorted((a, b) => split(a) - split(b))
    .slice(0, maxGroups)
    .map(({ component, model, servers, versions, expected }) => ({
      component,
      model,
      servers,
      expected,
      versions: versions.slice(0, maxVersions).map(({ version, members }) => ({
        version,
        ...(version === expected || versions.length === 1
          ? { count: members.length }
          : setJson(
              members.map((m) => m.subject.id),
              120,
            )),
      })),
      ...(versions.length > maxVersions && { more: versions.length - maxVersions }),
    }));
}
