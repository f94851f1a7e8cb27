import { oneLine } from '../model/text.ts';
import type { Outline } from './outline.ts';

const STYLE = `
:root{color-scheme:light dark;--bg:#fbfbfa;--fg:#1d1f21;--dim:#6a6f75;--line:#dcdfe2;--critical:#c62828;--warning:#b26a00;--info:#2c6f9c;--ok:#2e7d32;--blind:#7b1fa2;--degraded:#b26a00}
@media (prefers-color-scheme:dark){:root{--bg:#15171a;--fg:#e6e7e8;--dim:#9aa0a6;--line:#2e3338;--critical:#ff6b6b;--warning:#ffb74d;--info:#81c3ec;--ok:#81c784;--blind:#ce93d8;--degraded:#ffb74d}}
*{box-sizing:border-box}body{margin:0 auto;padding:1.5rem;max-width:76rem;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;line-height:1.3;margin:0 0 .3rem}h2{font-size:1rem;letter-spacing:.06em;text-transform:uppercase;color:var(--dim);margin:1.8rem 0 .5rem}
p{margin:.2rem 0;color:var(--dim)}ul{list-style:none;margin:0;padding:0}li{margin:.5rem 0;padding-left:.8rem;border-left:4px solid var(--line)}
li.critical{border-color:var(--critical)}li.warning{border-color:var(--warning)}li.info{border-color:var(--info)}
.head{font-weight:600;overflow-wrap:anywhere}.detail,.hint{display:block;color:var(--dim);overflow-wrap:anywhere}.hint{font-style:italic}
.critical .head{color:var(--critical)}h1.critical{color:var(--critical)}h1.degraded{color:var(--degraded)}h1.ok{color:var(--ok)}h1.blind{color:var(--blind)}
table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere}footer{margin-top:1.5rem;font-size:.85rem}
`;

/** One self-contained page without script, for a browser or a wall display; it asks for itself again every minute. */
export function renderHtml(o: Outline, title: string): string {
  const section = (s: Outline['sections'][number]): string => `<h2>${escape(s.title)}</h2>\n<ul>\n${s.items.map(item).join('\n')}\n</ul>`;
  const { columns, rows } = o.proof;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta http-equiv="refresh" content="60">
<link rel="icon" href="data:,"><title>${escape(title)}</title><style>${STYLE}</style></head><body>
<h1 class="${o.verdict}">${escape(o.headline)}</h1>
<p>${escape(o.because.join('; '))}</p>
${o.sections.map(section).join('\n')}
<h2>Proof of run</h2>
<table><thead><tr>${columns.map((c) => `<th>${escape(c)}</th>`).join('')}</tr></thead>
<tbody>${rows.map((row) => `<tr>${row.map((cell) => `<td>${escape(cell)}</td>`).join('')}</tr>`).join('\n')}</tbody></table>
<footer>${o.footer.map((line) => `<p>${escape(line)}</p>`).join('\n')}</footer>
</body></html>
`;
}

function item(i: Outline['sections'][number]['items'][number]): string {
  const details = i.details.map((d) => `<span class="detail">${escape(d)}</span>`).join('');
  const hint = i.hint ? `<span class="hint">→ ${escape(i.hint)}</span>` : '';
  return `<li class="${i.severity ?? 'plain'}"><span class="head">${escape(i.head)}</span>${details}${hint}</li>`;
}

/** A text as HTML that shows just this text. */
export function escape(text: string): string {
  return oneLine(text, text.length)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
