/** Local times that carry no zone, as console servers and schedulers write them. Formatters are dear, so each zone's is kept. */
const formatters = new Map<string, Intl.DateTimeFormat | null>();
/** By zone, then by quarter of an hour: a key of both would be made anew for every line. */
const offsets = new Map<string, Map<number, number>>();
const MAX_OFFSETS = 4096;

function formatterOf(timezone: string): Intl.DateTimeFormat | null {
  const known = formatters.get(timezone);
  if (known !== undefined) return known;
  let formatter: Intl.DateTimeFormat | null = null;
  try {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    // A zone that this platform does not know is read as UTC.
  }
  formatters.set(timezone, formatter);
  return formatter;
}

/** How far a zone's clock is ahead of UTC at an instant, in ms; the instant is cut to the quarter of an hour. */
function offsetAt(ms: number, timezone: string): number {
  const quarter = Math.floor(ms / 900_000) * 900_000;
  let ofZone = offsets.get(timezone);
  const known = ofZone?.get(quarter);
  if (known !== undefined) return known;
  if (ofZone === undefined || ofZone.size >= MAX_OFFSETS) offsets.set(timezone, (ofZone = new Map()));
  const formatter = formatterOf(timezone);
  let offset = 0;
  if (formatter) {
    const part: Record<string, number> = {};
    for (const { type, value } of formatter.formatToParts(quarter)) part[type] = Number(value);
    offset = Date.UTC(part['year'] ?? 0, (part['month'] ?? 1) - 1, part['day'], part['hour'], part['minute'], part['second']) - quarter;
  }
  ofZone.set(quarter, offset);
  return offset;
}

/**
 * A wall clock reading (given as if it were UTC) of an IANA zone → ms since the epoch; of a zone that the platform does
 * not know it is taken as UTC. In the hour that occurs twice the earlier instant is meant; a reading that the zone skips
 * is taken with the offset before the jump.
 */
export function fromLocal(reading: number, timezone: string): number {
  if (timezone === 'UTC') return reading;
  const early = reading - offsetAt(reading - 86_400_000, timezone);
  if (early + offsetAt(early, timezone) === reading) return early;
  const late = reading - offsetAt(early, timezone);
  return late + offsetAt(late, timezone) === reading ? late : early;
}
