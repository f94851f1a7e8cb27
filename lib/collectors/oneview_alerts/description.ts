import { oneLine } from '../../model/text.ts';
import { hashId } from '../../model/identity.ts';

/** What is looked at of a description; real ones are a few hundred characters. */
const MAX_DESCRIPTION = 2000;

const LINK = /\{\s*"(?:name|uri)"\s*:\s*"((?:[^"\\]|\\.)*)"\s*,\s*"(?:name|uri)"\s*:\s*"((?:[^"\\]|\\.)*)"\s*\}/g;

/** Replaces the links that OneView puts into its texts, `{"name":"X","uri":"/rest/…"}`. */
function withoutLinks(description: string, put: (name: string) => string): string {
  return description
    .slice(0, MAX_DESCRIPTION)
    .replaceAll(LINK, (_, first: string, second: string) => put(first.startsWith('/rest/') ? second : first));
}

/** A description for people: links give way to the names that they show; one bounded line. */
export function readableDescription(description: string, max = 200): string {
  const plain = withoutLinks(description, (name) => name);
  return oneLine(plain.replaceAll(/\s+/g, ' ').trim(), max);
}

/** A description without what its links name: the words that are OneView's own. */
export function ownWords(description: string): string {
  return withoutLinks(description, () => ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const COMPONENT =
  'power supply|supply|psu|fan|dimm|memory module|module|slot|bay|box|port|processor|cpu|proc|drive|disk|controller|socket|zone|nic|adapter|battery|bank|sensor|channel|interconnect|mezz|array|volume|gpu|riser|backplane|feed';
const UNIT =
  '%|°|degrees?\\b|celsius\\b|c\\b|f\\b|rpm\\b|w\\b|watts?\\b|v\\b|volts?\\b|[kmgt]i?b\\b|ms\\b|s\\b|seconds?\\b|minutes?\\b|hours?\\b|days?\\b|times?\\b|errors?\\b';

// `Power supply 2`, `Fan #3`, `DIMM A1`, `port 1I:1:4`; never `fan 80 %`.
const ORDINAL = new RegExp(
  `\\b(${COMPONENT})s?[ _]?(?:number |no\\. ?|id )?:? ?#?(\\d{1,4}[A-Z]{0,2}(?:[:-]\\d{1,4})*|[A-Z]\\d{1,3})\\b(?![.,:]\\d| ?(?:${UNIT}))`,
  'gi',
);

const MAX_ORDINALS = 4;

/** The component that a description speaks of, with its ordinal (`power supply 2`); '' where it names none. */
export function componentOf(description: string): string {
  const found = [...ownWords(description).matchAll(ORDINAL)].map(([, component, ordinal]) => `${component} ${ordinal}`.toLowerCase());
  return [...new Set(found)].slice(0, MAX_ORDINALS).join(' ');
}

const VOLATILE: readonly RegExp[] = [
  /\/rest\/[^\s"')]+/g,
  /\b\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?/g,
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi,
  /\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b/gi,
  /\b(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{1,4}\b/gi,
  /\b0x[0-9a-f]+\b/gi,
];

/**
 * What stays the same of a description from one occurrence to the next: without links, addresses, times and measured
 * values, in lower case, but with the ordinals of components, since supply 1 is not supply 2.
 */
export function fingerprint(description: string): string {
  const plain = ownWords(description);
  let result = '';
  let at = 0;
  for (const match of plain.matchAll(ORDINAL)) {
    result += steady(plain.slice(at, match.index)) + match[0];
    at = match.index + match[0].length;
  }
  result += steady(plain.slice(at));
  return bounded(oneLine(result.toLowerCase(), MAX_DESCRIPTION));
}

function steady(text: string): string {
  return VOLATILE.reduce((rest, pattern) => rest.replaceAll(pattern, '#'), text).replaceAll(/\d+(?:[.,:]\d+)*/g, '#');
}

/** The longest part of an identity that we make, in bytes of UTF-8; a longer text ends in its hash. */
const MAX_PART = 160;

export function bounded(part: string): string {
  if (new TextEncoder().encode(part).length <= MAX_PART) return part;
  return `${Array.from(part).slice(0, 30).join('').trim()}… ${hashId([part])}`;
}
