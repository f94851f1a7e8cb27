import type { ConditionDraft, Severity } from '../../model/condition.ts';
import type { JsonObject } from '../../model/json.ts';
import { compareNames } from '../../model/text.ts';
import { formatDuration, parseDuration, toIso } from '../../model/time.ts';
import { nodesText, onEntry, onImage } from './drafts.ts';
import type { Entry } from './fleet.ts';
import { foldText } from './folding.ts';
import { byFrequency, type Population } from './populations.ts';
import type { ImageRecord } from './records.ts';

/** A minority up to this share of a population has drifted; a larger one may be a second population, or a roll-out. */
const DRIFT_SHARE = 0.2;

/** Nodes whose assigned image is not the one that the site, or most of their population, has. */
export function imageDrift(populations: readonly Population[]): ConditionDraft[] {
  return populations.flatMap(({ label, entries, images, expected, isExpectedBySite }, i) => {
    if (expected === undefined) return [];
    const lead = images.find((g) => g.value === expected)?.entries.length ?? 0;
    return images
      .filter((group) => group.value !== expected)
      .flatMap((group) => {
        const isSmall = group.entries.length <= Math.max(2, entries.length * DRIFT_SHARE);
        const severity: Severity | undefined = isExpectedBySite || isSmall ? undefined : 'info';
        const peers = isExpectedBySite
          ? `the site expects ${expected} for ${label}`
          : `${lead} of ${nodesText(entries.length)} of ${label} have ${expected}`;
        const doubt = severity === 'info' ? `; ${group.entries.length} have the same, so it may be a roll-out or a second population` : '';
        return group.entries.map((entry) =>
          onEntry(
            'image_drift',
            entry,
            `is assigned image ${group.value}; ${peers}${doubt}`,
            {
              image: group.value,
              expected,
              population: label,
              nodes: entries.length,
              with_expected: lead,
              with_this: group.entries.length,
            },
            { image: group.value, severity, ...(i < POPULATIONS_SHOWN && { evidence: [{ at: `/summary/images/populations/${i}` }] }) },
          ),
        );
      });
  });
}

/** How many populations the summary lists. */
export const POPULATIONS_SHOWN = 6;

/** Nodes whose assigned kernel is another than that of most nodes with the same image. */
export function kernelDrift(hosts: readonly Entry[]): ConditionDraft[] {
  const fleetWide = new Map(byFrequency(hosts, (e) => e.kernel).map((g) => [g.value, g.entries.length]));
  return byFrequency(hosts, (e) => e.image ?? undefined).flatMap(({ value: image, entries }) => {
    const kernels = byFrequency(entries, (e) => e.kernel);
    if (kernels.length < 2) return [];
    // Between equals the kernel counts that more of the whole fleet has, then the newer one.
    const [lead, ...others] = kernels.sort(
      (a, b) =>
        b.entries.length - a.entries.length ||
        (fleetWide.get(b.value) ?? 0) - (fleetWide.get(a.value) ?? 0) ||
        compareNames(b.value, a.value),
    ) as [(typeof kernels)[number], ...typeof kernels];
    return others.flatMap((group) =>
      group.entries.map((entry) =>
        onEntry(
          'kernel_drift',
          entry,
          `is assigned kernel ${group.value}; ${lead.entries.length} of ${nodesText(entries.length)} with image ${image} have ${lead.value}`,
          {
            image,
            kernel: group.value,
            expected: lead.value,
            nodes: entries.length,
            with_expected: lead.entries.length,
            with_this: group.entries.length,
          },
          { image },
        ),
      ),
    );
  });
}

/** Images that are assigned and do not exist, and kernels that are assigned and not in their image. */
export function imageGaps(hosts: readonly Entry[], images: ReadonlyMap<string, ImageRecord>): ConditionDraft[] {
  return byFrequency(hosts, (e) => e.image ?? undefined).flatMap(({ value: name, entries }) => {
    const ids = entries.map((e) => e.id);
    const image = images.get(name);
    if (image === undefined) {
      const message = `image ${name} is assigned to ${nodesText(ids.length)}, but HPCM has no image group of that name: ${foldText(ids, 160)}`;
      return [onImage('image_missing', name, message, { nodes: ids.length, images_known: images.size })];
    }
    const kernels = image.kernels ?? [];
    if (kernels.length === 0) return [];
    const listed = kernels.slice(0, 3).join(', ') + (kernels.length > 3 ? `, and ${kernels.length - 3} more` : '');
    return byFrequency(entries, (e) => e.kernel)
      .filter((group) => !kernels.includes(group.value))
      .map((group) => {
        const holders = group.entries.map((e) => e.id);
        const message = `kernel ${group.value} is assigned to ${nodesText(holders.length)} with image ${name}, which has only ${listed}: ${foldText(holders, 160)}`;
        return onImage(
          'kernel_not_in_image',
          name,
          message,
          { kernel: group.value, nodes: holders.length, kernels_of_image: kernels.length },
          { part: group.value },
        );
      });
  });
}

/**
 * Images whose contents changed under the nodes that run them. Two definitions, and the message says which one: the image
 * group was modified after nodes booted from it; or the site itself marked it as changed and not committed.
 */
export function imageDirty(
  hosts: readonly Entry[],
  images: ReadonlyMap<string, ImageRecord>,
  dirtyAttribute: string,
): { drafts: ConditionDraft[]; byBoot: boolean } {
  const drafts: ConditionDraft[] = [];
  let byBoot = false;
  const runs = new Map(byFrequency(hosts, (e) => e.booted?.image ?? e.image ?? undefined).map((g) => [g.value, g.entries]));
  for (const { name, modified, isMarkedDirty } of [...images.values()].sort((a, b) => compareNames(a.name, b.name))) {
    const dated = (runs.get(name) ?? []).filter((e) => e.booted?.at !== undefined);
    const older = modified === undefined ? [] : dated.filter((e) => (e.booted?.at as number) < modified);
    const reasons: string[] = [];
    if (isMarkedDirty) reasons.push(`the site marks it as changed and not committed (attribute ${dirtyAttribute} of its image group)`);
    if (older.length > 0) {
      byBoot = true;
      reasons.push(
        `its image group was modified at ${toIso(modified as number)}, after ${older.length} of ${nodesText(dated.length)} that run it had booted: ${foldText(
          older.map((e) => e.id),
          160,
        )}`,
      );
    }
    if (reasons.length === 0) continue;
    drafts.push(
      onImage(
        'image_dirty',
        name,
        `image ${name} is dirty: ${reasons.join('; and ')}`,
        {
          definition: [isMarkedDirty ? 'marked by the site' : '', older.length > 0 ? 'modified after boot' : '']
            .filter((d) => d !== '')
            .join(' and '),
          modified: modified === undefined ? null : toIso(modified),
          booted_before: older.length,
          boot_time_known: dated.length,
        },
        modified === undefined || older.length === 0 ? {} : { since: toIso(modified) },
      ),
    );
  }
  return { drafts, byBoot };
}

/**
 * Nodes with an assigned image that they have not taken yet; of these nothing is said about what they run.
 * @param at when that was read, ms
 */
export function imagePending(hosts: readonly Entry[], at: number, rule: JsonObject | undefined): ConditionDraft[] {
  const after = typeof rule?.['after'] === 'string' && parseDuration(rule['after']) > 0 ? parseDuration(rule['after']) : 7 * 864e5;
  return hosts
    .filter((e) => e.imagePending === true)
    .map((entry) => {
      const { image, booted, modified } = entry;
      const age = modified === undefined ? undefined : Math.max(0, at - modified);
      const isLate = age !== undefined && age > after;
      const running = booted?.image !== undefined && booted.image !== image ? `; it runs ${booted.image}` : '';
      const since = age === undefined ? '' : `, for ${formatDuration(age)} at most`;
      const limit = isLate ? ` (limit ${formatDuration(after)})` : '';
      return onEntry(
        'image_pending',
        entry,
        `has image ${image ?? '(none)'} pending${since}${limit}${running}`,
        { image: image ?? null, running: booted?.image ?? null, age_ms: age ?? null, limit_ms: after },
        {
          image: image ?? undefined,
          ...(isLate && { severity: 'warning' }),
          ...(modified !== undefined && modified <= at && { since: toIso(modified) }),
        },
      );
    });
}

/** Compute nodes with no image at all. */
export function unassigned(hosts: readonly Entry[], listed: ReadonlyMap<string, unknown>): ConditionDraft[] {
  const areImagesListed = hosts.some((e) => typeof e.image === 'string');
  return hosts
    .filter((e) => e.class === 'node' && e.managed !== false)
    .filter((e) => e.image === null || (e.image === undefined && !e.isImageGarbled && areImagesListed && listed.has(e.id)))
    .map((entry) => onEntry('node_unassigned', entry, 'has no image assigned and cannot boot', { image: null }));
}
