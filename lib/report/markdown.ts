import { oneLine } from '../model/text.ts';
import type { Outline } from './outline.ts';
import { headOf, sectionTitle } from './text.ts';

/** For a ticket: what comes from the cluster shows as it is, and nothing of it is acted on. */
export function renderMarkdown(o: Outline): string {
  const lines: string[] = [`# ${escape(o.headline)}`, '', escape(o.at), ''];
  for (const warning of o.warnings) lines.push(`**${escape(warning)}**`, '');
  if (o.because.length > 0) lines.push(`Because: ${escape(o.because.join('; '))}`, '');
  for (const section of o.sections) {
    lines.push(`## ${escape(sectionTitle(section))}`, '');
    for (const item of section.items) {
      lines.push(
        `- ${item.isOver ? '**over** ' : item.severity ? `**${item.severity}** ` : ''}${escape(headOf(item))}`,
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
    `| ${columns.map(escape).join(' | ')} |`,
    `|${columns.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.map(escape).join(' | ')} |`),
    '',
  );
  lines.push(...o.footer.map((text) => `- ${escape(text)}`), '');
  return lines.join('\n');
}

/** Parts what would become a mention, a reference or a link where GitHub, GitLab and their like look at the text once more. */
const APART = '&#8203;';
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const ACTING =
  /[\\`*_{}[\]|^#!~$&<>%@]|:(?=\/\/)|:(?=\w*[a-z]{3}[\w+-]*:)|(?<![a-z0-9])www(?=\.)|\b(?:mailto|xmpp)(?=:)|^[-+=]|^(?=\d{1,9}[.)])/gi;

/**
 * A text as Markdown that shows just this text: what acts is escaped, and since mentions, references, emoji and bare
 * links are looked for only after that, an invisible blank stands within them.
 */
export function escape(text: string): string {
  const plain = oneLine(text, text.length);
  return plain.replaceAll(ACTING, (c, at: number) => {
    const isReference = /^[#!~$&%@]$/.test(c) && /^["\w]/.test(plain.slice(at + 1, at + 2));
    if (c.length !== 1 || c === ':') return c + APART;
    const shown = ENTITIES[c] ?? (c === '%' || c === '@' ? c : `\\${c}`);
    return isReference ? shown + APART : shown;
  });
}
