import { oneLine } from '../model/text.ts';
import type { Outline } from './outline.ts';

/** For a ticket: every character that Markdown acts on is escaped, and no bare link or mention survives. */
export function renderMarkdown(o: Outline): string {
  const lines: string[] = [`# ${escape(o.headline)}`, '', escape(o.because.join('; ')), ''];
  for (const section of o.sections) {
    lines.push(`## ${section.title}`, '');
    for (const item of section.items) {
      lines.push(
        `- ${item.severity ? `**${item.severity}** ` : ''}${escape(item.head)}`,
        ...item.details.map((d) => `  - ${escape(d)}`),
        ...(item.hint ? [`  - → ${escape(item.hint)}`] : []),
      );
    }
    lines.push('');
  }
  const { columns, rows } = o.proof;
  lines.push(
    '## Proof of run',
    '',
    `| ${columns.join(' | ')} |`,
    `|${columns.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.map(escape).join(' | ')} |`),
    '',
  );
  lines.push(...o.footer.map((line) => `- ${escape(line)}`), '');
  return lines.join('\n');
}

/** A text as Markdown that shows just this text. */
export function escape(text: string): string {
  return (
    oneLine(text, text.length)
      .replaceAll(/[\\`*_{}[\]()#+!|<>~&$^=-]/g, (c) => (c === '<' ? '&lt;' : c === '>' ? '&gt;' : c === '&' ? '&amp;' : `\\${c}`))
      // No renderer makes a link or a mention of these: a zero-width joiner would do, but an entity shows the same and stays visible in the source.
      .replaceAll(/:(?=\/\/)/g, '&#58;')
      .replaceAll('@', '&#64;')
      .replaceAll(/www\./gi, (w) => `${w.slice(0, 3)}&#46;`)
  );
}
