import type { Severity } from '../model/condition.ts';
import type { FindingState } from '../model/finding.ts';
import type { Verdict } from '../model/report.ts';
import { formatDuration } from '../model/time.ts';
import { setText } from '../findings/set-text.ts';
import type { History, TickEntry, Trend } from './chronicle.ts';
import { wrap } from './text.ts';
import { clockTime, count, line } from './words.ts';

const BARS = '▁▂▃▄▅▆▇█';
const VERDICT: Record<Verdict, string> = { ok: '.', degraded: '!', critical: 'X', blind: '?' };
/** Lines of what moved. */
const MAX_MOVES = 40;

/** The past for a terminal: how ticks ended, what moved in them, numbers over time. */
export function historyText(history: History, { width }: { width: number }): string {
  const { ticks, cluster, total, trendsFrom } = history;
  const [newest, oldest] = [ticks[0], ticks.at(-1)];
  if (!newest || !oldest) return `${line(cluster, 80)}: no tick is stored yet\n`;
  const now = Date.parse(history.at);
  const span = Date.parse(newest.at) - Date.parse(oldest.at);
  return `${[
    `${line(cluster, 80)}: ${ticks.length} of ${count(total, 'tick')}, ${clockTime(oldest.at, now)} to ${clockTime(newest.at, now)} (${formatDuration(span)})`,
    '',
    ...strips(ticks, width),
    '',
    ...table(ticks),
    '',
    'WHAT MOVED',
    ...moved(ticks, now, width),
    '',
    `NUMBERS SINCE ${clockTime(trendsFrom, now)}`,
    ...trends(history, width),
  ].join('\n')}\n`;
}

/** One character a tick, oldest first. */
function strips(ticks: readonly TickEntry[], width: number): string[] {
  const shown = ticks.slice(0, Math.max(10, width - 40)).toReversed();
  const strip = (name: string, of: (t: TickEntry) => number): string => {
    const values = shown.map(of);
    return `${name.padEnd(10)}${sparkline(values)}  ${values.at(-1)} (${Math.min(...values)} to ${Math.max(...values)})`;
  };
  return [
    `${'verdict'.padEnd(10)}${shown.map((t) => VERDICT[t.verdict]).join('')}  ${shown.at(-1)?.verdict} (. ok  ! degraded  X critical  ? blind)`,
    strip('critical', (t) => t.counts.critical),
    strip('warning', (t) => t.counts.warning),
    strip('stale', (t) => t.counts.stale),
  ];
}

/** Values as bars from the least to the greatest; a blank where there is none. */
export function sparkline(values: readonly (number | null)[]): string {
  const known = values.filter((v) => v !== null);
  const [min, max] = [Math.min(...known), Math.max(...known)];
  return values
    .map((v) => {
      if (v === null) return ' ';
      return BARS[max === min ? 0 : Math.round(((v - min) / (max - min)) * (BARS.length - 1))];
    })
    .join('');
}

function table(ticks: readonly TickEntry[]): string[] {
  const head = ['tick', 'verdict', 'critical', 'warning', 'info', 'new', 'resolved', 'stale', 'flapping', 'suppressed', 'sources'];
  const rows = ticks.map(({ tick, verdict, counts: c }) => [
    tick,
    verdict,
    ...[c.critical, c.warning, c.info, c.new, c.resolved, c.stale, c.flapping, c.suppressed].map(String),
    `${c.sources_fresh}/${c.sources}`,
  ]);
  const widths = head.map((h, i) => Math.max(h.length, ...rows.map((r) => (r[i] as string).length)));
  const text = (row: readonly string[]): string =>
    row.map((cell, i) => (i < 2 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number))).join('  ');
  return [text(head), ...rows.map(text)];
}

interface Bundle {
  at: string;
  what: string;
  severity: Severity;
  title: string;
  names: Set<string>;
}

/** Moves of one tick that are alike are one line. */
function moved(ticks: readonly TickEntry[], now: number, width: number): string[] {
  const bundles = new Map<string, Bundle>();
  let more = 0;
  for (const { at, moves, more: left } of ticks) {
    more += left;
    for (const { from, to, severity, title, subject } of moves) {
      const what = word(from, to);
      const key = JSON.stringify([at, what, severity, title]);
      const bundle = bundles.get(key) ?? { at, what, severity, title, names: new Set<string>() };
      bundles.set(key, bundle);
      bundle.names.add(subject.id);
    }
  }
  const all = [...bundles.values()];
  const lines = all.slice(0, MAX_MOVES).map(({ at, what, severity, title, names }) => {
    const head = `${clockTime(at, now).padStart(6)}  ${what.padEnd(9)} ${severity.padEnd(8)}  ${line(title, 60)}: `;
    return `${head}${line(setText([...names], Math.max(30, width - head.length - 6)))}${names.size > 1 ? ` (${names.size})` : ''}`;
  });
  if (lines.length === 0) return ['nothing'];
  const rest = all.length - lines.length;
  if (rest > 0) lines.push(`and ${count(rest, 'more line')}: ask for fewer ticks, or for --json`);
  if (more > 0) lines.push(`and ${count(more, 'move')} that the ticks only counted`);
  return lines;
}

/** What a step is called. */
function word(from: FindingState | null, to: FindingState): string {
  if (from === to) return 'severity';
  return to === 'ongoing' && from === 'stale' ? 'seen' : to;
}

/** Numbers that moved as a line each; the others of a source in one. */
function trends({ trends: all, left }: History, width: number): string[] {
  if (all.length === 0) return ['none yet'];
  const bySource = new Map<string, Trend[]>();
  for (const trend of all) bySource.set(trend.source, [...(bySource.get(trend.source) ?? []), trend]);
  const moving = all.filter((t) => t.min !== t.max);
  const nameWidth = Math.max(10, ...moving.map((t) => line(t.name, 44).length));
  return [...bySource].flatMap(([source, some]) => {
    const name = line(source, 60);
    const still = some.filter((t) => t.min === t.max).map((t) => `${line(t.name, 44)} ${showValue(t, t.last)}`);
    const more = left[source] ?? 0;
    return [
      `${name}${more > 0 ? `, without ${more} that are 0 or beyond the first: history --source ${name}` : ''}`,
      ...some
        .filter((t) => t.min !== t.max)
        .map((trend) => {
          const bars = sparkline(trend.points.slice(-Math.max(12, width - nameWidth - 40)));
          const range = `${showValue(trend, trend.min)} to ${showValue(trend, trend.max)}`;
          return `  ${line(trend.name, 44).padEnd(nameWidth)}  ${bars}  ${showValue(trend, trend.last)} (${range})`;
        }),
      ...(still.length > 0 ? wrap(`unchanged: ${still.join(', ')}`, width, '  ', '    ') : []),
    ];
  });
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** A number by the unit that its name tells: bytes, shares, percent. */
function showValue({ name }: Pick<Trend, 'name'>, value: number): string {
  if (/_bytes(_per_second)?$/.test(name)) {
    const power = value > 0 ? Math.min(UNITS.length - 1, Math.floor(Math.log2(value) / 10)) : 0;
    return `${rounded(value / 1024 ** power)} ${UNITS[power]}${name.endsWith('_per_second') ? '/s' : ''}`;
  }
  if (/_share$|_fill$/.test(name)) return `${rounded(value * 100)} %`;
  return name.endsWith('_percent') ? `${rounded(value)} %` : String(rounded(value));
}

function rounded(value: number): number {
  return Number(value.toPrecision(Math.abs(value) >= 1000 ? 6 : 4));
}
