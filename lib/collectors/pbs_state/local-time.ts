/**
 * A wall clock reading (given as if it were UTC) of an IANA zone → ms since the epoch; of a zone that the platform does not
 * know it is taken as UTC. In the hour that occurs twice the later instant is meant.
 */
export function instantOf(reading: number, timezone: string): number {
  let formatter: Intl.DateTimeFormat;
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
    return reading;
  }
  const offsetAt = (instant: number): number => {
    const part = new Map(formatter.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const at = (name: string): number => part.get(name as Intl.DateTimeFormatPartTypes) ?? 0;
    return Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second')) - instant;
  };
  const guess = reading - offsetAt(reading);
  return reading - offsetAt(guess);
}
