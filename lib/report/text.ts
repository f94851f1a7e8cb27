import type { Severity } from '../model/condition.ts';
import { hasUnsafe, oneLine } from '../model/text.ts';
import type { Item } from './items.ts';
import type { Outline } from './outline.ts';

const ESC = '\u001b';
type Paint = Severity | Outline['verdict'] | 'title' | 'dim';
const COLOUR: Record<Paint, string> = {
  critical: '1;31',
  warning: '33',
  info: '36',
  blind: '1;35',
  degraded: '1;33',
  ok: '1;32',
  title: '1',
  dim: '2',
};
const MARK: Record<Severity, string> = { critical: '!!', warning: ' !', info: ' i' };
const LEAST_WIDTH = 40;

/**
 * For a terminal: plain lines, colour only where it is asked for, nothing that a terminal would act on. What comes from
 * the cluster never begins a line: it stands behind a mark of ours, or indented.
 */
export function renderText(o: Outline, { colour, width: asked }: { colour: boolean; width: number }): string {
  const width = Math.max(LEAST_WIDTH, asked);
  const paint = (text: string, key: Paint): string => (colour ? `${ESC}[${COLOUR[key]}m${text}${ESC}[0m` : text);
  const lines: string[] = [];
  const add = (text: string, key: Paint | null, first: string, rest: string): void =>
    void lines.push(...wrap(safe(text), width, first, rest).map((l) => (key ? paint(l, key) : l)));

  add(o.headline, o.verdict, '', '    ');
  add(o.at, 'dim', '  ', '  ');
  for (const warning of o.warnings) add(warning, 'critical', '  ', '  ');
  if (o.because.length > 0) add(o.because.join('; '), null, '  ', '  ');
  lines.push('');
  for (const section of o.sections) {
    add(sectionTitle({ ...section, title: section.title.toUpperCase() }), 'title', '', '    ');
    for (const item of section.items) {
      add(headOf(item), item.isOver ? 'ok' : (item.severity ?? null), `${markOf(item)} `, '     ');
      for (const detail of item.details) add(detail, null, '     ', '       ');
      if (item.hint) add(item.hint, 'dim', '     → ', '       ');
    }
    lines.push('');
  }
  lines.push(paint('PROOF OF RUN', 'title'), ...table(o, width), '');
  for (const text of o.footer) add(text, 'dim', '', '    ');
  return `${lines.join('\n')}\n`;
}

/** `New criticals (5)`, `Assessment by the model (qwen3-8b)` */
export function sectionTitle({ title, note, findings }: Outline['sections'][number]): string {
  const inside = note ?? (findings > 0 ? String(findings) : '');
  return inside === '' ? title : `${title} (${inside})`;
}

/** `kernel panic: x1000c0s[0-7]b0n0 (8; since 08:31Z)` */
export function headOf({ title, where, isSentence, severity, isOver, findings, facts }: Item): string {
  const many = isSentence ? `${findings} findings` : String(findings);
  const was = isOver && severity ? [`was ${severity}`] : [];
  const marks = [...(findings > 1 && where !== undefined ? [many] : []), ...was, ...facts];
  return `${title}${where === undefined ? '' : `: ${where}`}${marks.length > 0 ? ` (${marks.join('; ')})` : ''}`;
}

function markOf({ severity, isOver }: Item): string {
  if (isOver) return ' ✓';
  return severity ? MARK[severity] : ' -';
}

function safe(text: string): string {
  return hasUnsafe(text) ? oneLine(text, text.length) : text;
}

// What takes two columns on a terminal, and what none: good enough to keep lines within the width.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;
const MARKS = /[\p{Mn}\p{Me}]/u;
const PLAIN = /^[ -~]*$/;

/** Columns that a text takes on a terminal. */
export function columns(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let n = 0;
  for (const c of text) n += MARKS.test(c) ? 0 : WIDE.test(c) ? 2 : 1;
  return n;
}

/** Breaks a text into lines of at most so many columns: at blanks, and what is longer behind commas or anywhere. */
export function wrap(text: string, width: number, first: string, rest: string): string[] {
  const lines: string[] = [];
  let line = first;
  let used = columns(first);
  let isEmpty = true;
  const flush = (): void => {
    lines.push(line.trimEnd());
    line = rest;
    used = rest.length;
    isEmpty = true;
  };
  for (const word of text.split(' ')) {
    const size = columns(word);
    if (!isEmpty && used + 1 + size > width) flush();
    if (!isEmpty) {
      line += ' ';
      used++;
    }
    if (used + size <= width) {
      line += word;
      used += size;
      isEmpty = false;
      continue;
    }
    for (const piece of pieces(word)) {
      const length = columns(piece);
      if (!isEmpty && used + length > width) flush();
      line += piece;
      used += length;
      isEmpty = false;
    }
  }
  if (!isEmpty || lines.length === 0) lines.push(line.trimEnd());
  return lines;
}

/** A long word in pieces that may stand on lines of their own: the members of a set, or short runs of characters. */
function pieces(word: string): string[] {
  return (word.match(/[^,]*,|[^,]+/g) ?? []).flatMap((part) => (part.length <= 24 ? part : (part.match(/.{1,8}/gu) ?? [])));
}

function table({ proof }: Outline, width: number): string[] {
  const rows = [proof.columns, ...proof.rows.map((row) => row.map(safe))];
  const last = proof.columns.length - 1;
  const widths = proof.columns.map((_, i) => Math.max(...rows.map((row) => columns(row[i] as string))));
  return rows.flatMap((row, n) => {
    const head = row
      .slice(0, last)
      .map((cell, i) => cell + ' '.repeat((widths[i] as number) - columns(cell)))
      .join('  ');
    const notes = row[last] as string;
    if (notes === '') return [head.trimEnd()];
    // On a narrow terminal notes stand below their source.
    if (columns(head) + 2 + 30 > width) return [head.trimEnd(), ...(n === 0 ? [] : wrap(notes, width, '    ', '    '))];
    return wrap(notes, width, `${head}  `, ' '.repeat(columns(head) + 2));
  });
}
