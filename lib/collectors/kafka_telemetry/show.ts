import type { Place, Subject } from '../../model/condition.ts';
import { placeOfXname } from '../../model/xname.ts';

/** A value for people: at most four digits that mean something, and its unit. */
export function showValue(value: number, unit: string): string {
  const text = Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(4)));
  return unit === '' ? text : `${text} ${unit}`;
}

/** Where a subject stands, as a member to spread: nothing for a name that does not tell. */
export function placeOf(subject: Subject): { place?: Place } {
  const place = placeOfXname(subject.id);
  return place === null ? {} : { place };
}
