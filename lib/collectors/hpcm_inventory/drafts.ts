import type { ConditionDraft, Place, Values } from '../../model/condition.ts';
import type { Entry } from './fleet.ts';

/** A condition on one entry. */
export function onEntry(
  kind: string,
  entry: Entry,
  message: string,
  values: Values,
  more: Partial<ConditionDraft> & { image?: string | undefined } = {},
): ConditionDraft {
  const { image, ...rest } = more;
  const place: Place = { ...entry.place, ...(image !== undefined && { image }) };
  return {
    kind,
    subject: { type: entry.subject, id: entry.id },
    message: `${entry.id} ${message}`,
    values,
    ...(Object.keys(place).length > 0 && { place }),
    ...rest,
  };
}

/** A condition on one image. */
export function onImage(kind: string, image: string, message: string, values: Values, more: Partial<ConditionDraft> = {}): ConditionDraft {
  return { kind, subject: { type: 'image', id: image }, message, values, place: { image }, ...more };
}

/** `1 node`, `72 nodes`. */
export function nodesText(count: number): string {
  return count === 1 ? '1 node' : `${count} nodes`;
}

/** `warning_after: 7d` and the like are read from the site's rules; anything else is left alone. */
export function ruleNumber(rule: Readonly<Record<string, unknown>> | undefined, key: string, fallback: number): number {
  const value = rule?.[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
}
