import type { Severity } from '../model/condition.ts';
import { hasUnsafe, oneLine } from '../model/text.ts';
import type { Outline } from './outline.ts';

const ESC = '\u001b';
const COLOUR: Record<Severity | Outline['verdict'], string> = {
  critical: '1;31',
  warning: '33',
  info: '36',
  blind: '1;35',
  degraded: '1;33',
  ok: '1;32',
};
const MARK: Record<Severity, string> = { critical: '!!', warning: ' !', info: ' i' };

/** For a terminal: plain lines, colour only where it is asked for, nothing that a terminal would act on. */
export function renderText(o: Outline, { colour, width }: { colour: boolean; width: number }): string {
  const paint = (text: string, key: Severity | Outline['verdict']): string => (colour ? `${ESC}[${COLOUR[key]}m${text}${ESC}[0m` : text);
  const lines: string[] = [paint(safe(o.headline), o.verdict), ...wrap(o.because.map(safe).join('; '), width, '  '), ''];
  for (const section of o.sections) {
    lines.push(section.title.toUpperCase());
    for (const item of section.items) {
      const mark = item.severity ? MARK[item.severity] : ' -';
      const [first = '', ...rest] = wrap(safe(item.head), width - 3, '');
      lines.push(item.severity ? paint(`${mark} ${first}`, item.severity) : `${mark} ${first}`, ...rest.map((l) => `     ${l}`));
      for (const detail of item.details) lines.push(...wrap(safe(detail), width, '     '));
      if (item.hint) lines.push(...wrap(`→ ${safe(item.hint)}`, width, '     '));
    }
    lines.push('');
  }
  lines.push('PROOF OF RUN', ...table(o, width), '', ...o.footer.flatMap((line) => wrap(safe(line), width, '')), '');
  return lines.join('\n');
}

function safe(text: string): string {
  return hasUnsafe(text) ? oneLine(text, text.length) : text;
}

function wrap(text: string, width: number, indent: string): string[] {
  const room = Math.max(40, width) - indent.length;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(indent + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '') lines.push(indent + line);
  return lines;
}

function table({ proof }: Outline, width: number): string[] {
  const rows = [proof.columns, ...proof.rows.map((row) => row.map(safe))];
  const last = proof.columns.length - 1;
  const widths = proof.columns.map((_, i) => Math.max(...rows.map((row) => (row[i] as string).length)));
  return rows.flatMap((row) => {
    const head = row
      .slice(0, last)
      .map((cell, i) => cell.padEnd(widths[i] as number))
      .join('  ');
    const notes = wrap(row[last] as string, Math.max(40, width - head.length - 2), '');
    return [`${head}  ${notes[0] ?? ''}`.trimEnd(), ...notes.slice(1).map((note) => `${' '.repeat(head.length)}  ${note}`)];
  });
}
