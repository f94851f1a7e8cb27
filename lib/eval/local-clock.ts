/** Writes times as programs do that know only their own zone. */
const QUARTER = 900_000;
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export class LocalClock {
  readonly #format: Intl.DateTimeFormat;
  readonly #zone: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number>();

  constructor(timezone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
    this.#zone = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'short' });
  }

  /** The wall clock at an instant, as a date whose UTC fields are read. */
  #wall(at: number): Date {
    const quarter = Math.floor(at / QUARTER);
    let offset = this.#offsets.get(quarter);
    if (offset === undefined) {
      const part = new Map(this.#format.formatToParts(quarter * QUARTER).map(({ type, value }) => [type, Number(value)]));
      const [year, month, day, hour, minute] = (['year', 'month', 'day', 'hour', 'minute'] as const).map(
        (name) => part.get(name) as number,
      ) as [number, number, number, number, number];
      offset = Date.UTC(year, month - 1, day, hour, minute) - quarter * QUARTER;
      this.#offsets.set(quarter, offset);
    }
    return new Date(at + offset);
  }

  /** `Mon Nov 30 08:45:00 2026`, as `ctime()` writes it. */
  ctime(at: number): string {
    const w = this.#wall(at);
    const day = String(w.getUTCDate()).padStart(2, ' ');
    return `${DAYS[w.getUTCDay()]} ${MONTHS[w.getUTCMonth()]} ${day} ${w.toISOString().slice(11, 19)} ${w.getUTCFullYear()}`;
  }

  /** `2026-11-30 08:45:00`. */
  stamp(at: number): string {
    return this.#wall(at).toISOString().slice(0, 19).replace('T', ' ');
  }

  /** `MST`. */
  zone(at: number): string {
    return this.#zone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC';
  }

  /** `11-30 08:45`. */
  short(at: number): string {
    return this.#wall(at).toISOString().slice(5, 16).replace('T', ' ');
  }
}
