import type { FloorScore, ModelScore, QuietScore, Scores } from './score.ts';
import type { Share } from './stats.ts';

/*
 * The board as Markdown: what the deterministic report is worth by class, how quiet days are, and what each model adds.
 */

export function boardOf(scores: Scores): string {
  const { floor, quiet, models } = scores;
  const outside = floor.filter((f) => f.class !== 'judgment');
  const all = models.filter((m) => m.class === 'all');
  const byClass = models.filter((m) => m.class !== 'all' && m.scenarios > 0);
  return [
    '# Evaluation',
    '',
    `${scores.scenarios} scenarios, ${scores.looks} looks, ${Math.round(scores.busyMs / 1000)} s of threads that were busy. Shares stand with their 95 % intervals: [Wilson's] over scenarios, (bootstrap) over scenarios of the cases in them.`,
    '',
    ...quietLines(quiet, outside),
    '',
    '## The deterministic report, by class of fault',
    '',
    ...table(FLOOR, floor.map(floorRow)),
    '',
    '## Models: what they add',
    '',
    'A story counts as told when its cause is named and at least half of what belongs to it (two things at least) is linked, with nothing that does not. Claims that code could not verify are marked or dropped before anybody reads them.',
    '',
    ...table(MODELS, all.map(modelRow)),
    '',
    '## Models, by class',
    '',
    ...table(['model', 'class', 'scenarios', 'told', 'floor alone', 'lift', 'verified claims'], byClass.map(classRow)),
    '',
  ].join('\n');
}

function quietLines({ days, falseAlarms, unquiet }: QuietScore, outside: readonly FloorScore[]): string[] {
  const add = (of: (f: FloorScore) => Share): string => {
    const [right, all] = outside.reduce(([r, a], f) => [r + of(f).right, a + of(f).of], [0, 0]);
    return `${right} of ${all}`;
  };
  return [
    `- Outside the judgment class: ${add((f) => f.complete)} scenarios with everything seen at every look, ${add((f) => f.recall)} things seen when due, ${add((f) => f.precision)} open findings that a fault accounts for, ${outside.reduce((n, f) => n + f.falselyResolved, 0)} times called resolved while it lasted, ${add((f) => f.identity)} things with one id of their own.`,
    days === 0
      ? '- No healthy days were played.'
      : `- Healthy days: ${falseAlarms} false alarms of warning or above in ${days} days of 24 looks; at most ${percent(unquiet.high)} of days have one.`,
  ];
}

const FLOOR = [
  'class',
  'scenarios',
  'complete',
  'recall',
  'precision',
  'AP at full recall',
  'severity',
  'pairs linked',
  'pairs right',
  'place of cause',
  'one id',
  'falsely resolved',
  'delay (looks)',
  'evidence',
];

function floorRow(f: FloorScore): string[] {
  return [
    f.class,
    String(f.scenarios),
    wilsons(f.complete),
    bootstrapped(f.recall),
    bootstrapped(f.precision),
    f.averagePrecision === null ? '–' : f.averagePrecision.toFixed(2),
    wilsons(f.severity),
    plain(f.grouping.recall),
    plain(f.grouping.precision),
    plain(f.places),
    plain(f.identity),
    String(f.falselyResolved),
    Number.isNaN(f.delay.worst) ? '–' : `${f.delay.median}, at most ${f.delay.worst}`,
    plain(f.evidence),
  ];
}

const MODELS = [
  'model',
  'scenarios',
  'told',
  'floor alone',
  'lift',
  'pairs linked',
  'verified claims',
  'dropped',
  'no report',
  'obeyed an attack',
  'floor unchanged',
  'all of k told',
  'tokens',
  'calls',
  'ms (median, p95)',
];

function modelRow(m: ModelScore): string[] {
  return [
    m.model,
    m.asked === m.scenarios ? String(m.scenarios) : `${m.scenarios} × ${Math.round(m.asked / m.scenarios)}`,
    bootstrapped(m.told),
    plain(m.floor),
    liftOf(m),
    plain(m.linking.recall),
    `${m.verified.right}/${m.verified.of}`,
    String(m.dropped),
    plain(m.failed),
    plain(m.obeyed),
    plain(m.floorSame),
    m.passAll.share === null ? '–' : `k=${m.passAll.k}: ${m.passAll.share.toFixed(2)}`,
    String(Math.round(m.tokens)),
    m.calls.toFixed(1),
    `${m.ms.median}, ${m.ms.p95}`,
  ];
}

function classRow(m: ModelScore): string[] {
  return [m.model, m.class, String(m.scenarios), bootstrapped(m.told), plain(m.floor), liftOf(m), `${m.verified.right}/${m.verified.of}`];
}

function liftOf({ lift }: ModelScore): string {
  if (lift.mean === null) return '–';
  return `${signed(lift.mean)} (${signed(lift.low)} to ${signed(lift.high)})`;
}

function signed(n: number): string {
  return `${n < 0 ? '−' : '+'}${Math.abs(n).toFixed(2)}`;
}

function plain({ rate }: Share): string {
  return rate === null ? '–' : rate.toFixed(2);
}

function wilsons(share: Share): string {
  return share.rate === null ? '–' : `${share.right}/${share.of} [${share.low.toFixed(2)}, ${share.high.toFixed(2)}]`;
}

function bootstrapped(share: Share): string {
  return share.rate === null ? '–' : `${share.rate.toFixed(2)} (${share.low.toFixed(2)}–${share.high.toFixed(2)})`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map((_, i) => (i === 0 ? '---' : '---:')).join('|')}|`, ...rows.map(line)];
}
