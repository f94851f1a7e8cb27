import * as z from 'zod';
import { Severity, Subject } from '../model/condition.ts';
import { Finding, Group, Suppressed, Transition } from '../model/finding.ts';
import { JsonObject } from '../model/json.ts';
import type { Report } from '../model/report.ts';
import { readReport } from '../report/publish.ts';
import { StoreError } from '../store/store.ts';
import { getCondition } from '../tools/condition.ts';
import { readHistory } from './history.ts';
import type { Observer } from './observer.ts';
import { storedView } from './view.ts';

/** Everything that is known of one finding: what `explain` tells. */
export const Story = z.object({
  id: z.string(),
  /** When the last tick looked. */
  at: z.string(),
  /** As the last report lists it; null where it is held back or long over. */
  finding: Finding.nullable(),
  /** What keeps it out of the open list, and what it would be there; null where nothing does. */
  heldBack: z
    .object({ ...Suppressed.omit({ findings: true, subjects: true }).shape, kind: z.string(), severity: Severity, subject: Subject })
    .nullable(),
  /** Its steps, oldest first. */
  history: z.array(Transition),
  groups: z.array(Group),
  /** Neighbours with the same, what else its subject has, what began near it in time; null where it is not open. */
  related: JsonObject.nullable(),
});
export type Story = z.infer<typeof Story>;

/**
 * The story of a finding.
 * @param begun its id, or the beginning of it as reports show it
 * @returns the ids that begin so where there are several; null where nothing is known of it
 */
export async function readStory(observer: Observer, begun: string): Promise<Story | { alike: string[] } | null> {
  const report = await readReport(observer.reports, 'latest');
  const known = [...new Set([...(report?.findings ?? []), ...(report?.suppressed.flatMap((s) => s.findings) ?? [])].map((f) => f.id))];
  const alike = /^[0-9a-f]{8,31}$/.test(begun) ? known.filter((id) => id.startsWith(begun)) : [];
  if (alike.length > 1) return { alike };
  const id = alike[0] ?? begun;
  if (!/^[0-9a-f]{32}$/.test(id)) return null;
  const finding = report?.findings.find((f) => f.id === id) ?? null;
  const heldBack = report ? heldBackBy(report, id) : null;
  const history = await readHistory(observer.store, id);
  if (!finding && !heldBack && history.length === 0) return null;
  return {
    id,
    at: report?.generatedAt ?? history.at(-1)?.at ?? '',
    finding,
    heldBack,
    history,
    groups: report?.groups.filter((g) => g.findings.includes(id)) ?? [],
    related: finding ? await relatedTo(observer, id) : null,
  };
}

function heldBackBy({ suppressed }: Report, id: string): Story['heldBack'] {
  for (const { findings, subjects: _, ...cover } of suppressed) {
    const held = findings.find((f) => f.id === id);
    if (held) return { ...cover, kind: held.kind, severity: held.severity, subject: held.subject };
  }
  return null;
}

/** What the model could learn of it with one call. A snapshot that is damaged costs this part alone. */
async function relatedTo(observer: Observer, id: string): Promise<JsonObject | null> {
  try {
    const view = await storedView(observer);
    const answer = view && (await getCondition.run(view, { id }));
    return answer?.ok ? ((answer.data[0] as JsonObject | undefined) ?? null) : null;
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}
