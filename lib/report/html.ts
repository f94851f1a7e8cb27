import { oneLine } from '../model/text.ts';
import type { Item } from './items.ts';
import type { Outline, Section } from './outline.ts';
import { STYLE } from './style.ts';
import { sectionTitle } from './text.ts';

/** Statements of an item, and lines of a section below critical, that stand open; more of them are folded up. */
const OPEN_DETAILS = 4;
const OPEN_ITEMS = 12;
/** A set of names longer than this is folded up. */
const OPEN_SET = 240;

/** One self-contained page without script, for a browser or a wall display; it asks for itself again every minute. */
export function renderHtml(o: Outline, title: string): string {
  const { columns, rows } = o.proof;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta http-equiv="refresh" content="60"><meta name="referrer" content="no-referrer"><meta name="format-detection" content="telephone=no">
<link rel="icon" href="data:,"><title>${escape(title)}</title><style>${STYLE}</style></head><body>
<header class="${o.verdict}"><h1>${escape(o.headline)}</h1>
<p>${escape(o.at)}${o.because.length > 0 ? ` · ${escape(o.because.join('; '))}` : ''}</p>
${o.warnings.map((w) => `<p class="warning">${escape(w)}</p>\n`).join('')}</header>
<div class="tallies">${o.tallies.map(tally).join('')}</div>
${o.sections.map(sectionHtml).join('\n')}
<section><h2>Proof of run</h2>
<div class="scroll"><table><thead><tr>${columns.map((c) => `<th>${escape(c)}</th>`).join('')}</tr></thead>
<tbody>${rows.map((row) => `<tr>${row.map((cell) => `<td>${escape(cell)}</td>`).join('')}</tr>`).join('\n')}</tbody></table></div></section>
<footer>${o.footer.map((text) => `<p>${escape(text)}</p>`).join('\n')}</footer>
</body></html>
`;
}

function tally({ label, value, severity }: Outline['tallies'][number]): string {
  return `<div class="${value > 0 ? (severity ?? 'plain') : 'none'}"><b>${value}</b><span>${escape(label)}</span></div>`;
}

function sectionHtml(s: Section): string {
  const title = escape(sectionTitle(s));
  if (s.quiet) return `<section><details><summary><h2>${title}</h2></summary>\n${list(s.items)}</details></section>`;
  const lead = s.items.filter((item, i) => item.severity === 'critical' || i < OPEN_ITEMS);
  const rest = s.items.slice(lead.length);
  const more = rest.length > 0 ? `<details><summary>${rest.length} more lines</summary>\n${list(rest)}</details>` : '';
  return `<section><h2>${title}</h2>\n${list(lead)}${more}</section>`;
}

function list(items: readonly Item[]): string {
  return `<ul>\n${items.map(itemHtml).join('\n')}\n</ul>\n`;
}

function itemHtml(i: Item): string {
  const badge = i.severity ? `<b class="badge">${i.isOver ? 'over' : i.severity}</b> ` : '';
  const number =
    i.findings > 1 && i.where !== undefined
      ? `<span class="facts">${i.isSentence ? `${i.findings} findings` : `× ${i.findings}`}</span> `
      : '';
  const was = i.isOver && i.severity ? [`was ${i.severity}`] : [];
  const facts = [...was, ...i.facts].map((fact) => `<span class="facts">${escape(fact)}</span>`).join(' ');
  const [open, folded] = [i.details.slice(0, OPEN_DETAILS), i.details.slice(OPEN_DETAILS)];
  const more = folded.length > 0 ? `<details><summary>${folded.length} more</summary>${folded.map(detail).join('')}</details>` : '';
  const hint = i.hint ? `<p class="hint">${escape(i.hint)}</p>` : '';
  return `<li class="${i.isOver ? 'over' : (i.severity ?? 'plain')}"><p class="head">${badge}<span class="title">${escape(i.title)}</span> ${where(i)}${number}${facts}</p>${open.map(detail).join('')}${more}${hint}</li>`;
}

function detail(text: string): string {
  return `<p class="detail">${escape(text)}</p>`;
}

function where({ where: names, isSentence }: Item): string {
  if (names === undefined) return '';
  if (isSentence) return `<span>${escape(names)}</span> `;
  if (names.length <= OPEN_SET) return `<code>${escape(names)}</code> `;
  return `<details class="set"><summary><code>${escape(names.slice(0, 80))}…</code></summary><code>${escape(names)}</code></details> `;
}

/** A text as HTML that shows just this text, between tags and within quoted attributes. */
export function escape(text: string): string {
  return oneLine(text, text.length)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll('`', '&#96;');
}
