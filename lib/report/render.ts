import type { Report } from '../model/report.ts';
import { renderHtml } from './html.ts';
import { renderMarkdown } from './markdown.ts';
import { outline } from './outline.ts';
import { renderText } from './text.ts';

export type ReportFormat = 'json' | 'md' | 'txt' | 'html';

/** The content type of each format. */
export const REPORT_TYPES: Record<ReportFormat, string> = {
  json: 'application/json; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  html: 'text/html; charset=utf-8',
};

export interface RenderOptions {
  /** For a terminal; default off. */
  colour?: boolean;
  /** Columns of a terminal; default 120. */
  width?: number;
  /** When it is looked at, in ms since the epoch: an old report then says on top that it is old. */
  shownAt?: number;
}

/**
 * A report in one of its formats, the same facts in each. JSON is complete; the others fold, state totals, and never cut
 * a critical. Of 5,000 findings, text and Markdown stay below 256 KiB and HTML below 384 KiB where names fold.
 */
export function render(report: Report, format: ReportFormat, { colour = false, width = 120, shownAt }: RenderOptions = {}): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(report).replaceAll(UNSAFE_IN_JSON, escapeUnits)}\n`;
    case 'md':
      return renderMarkdown(outline(report, shownAt));
    case 'html':
      return renderHtml(outline(report, shownAt), `${report.verdict} · ${report.cluster}`);
    case 'txt':
      return renderText(outline(report, shownAt), { colour, width });
  }
}

/** JSON leaves raw what a terminal may act on or not show: the same value, told by escapes. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\u2028\u2029\ufff9-\ufffb]|\p{Default_Ignorable_Code_Point}|\p{Surrogate}/gu;

function escapeUnits(c: string): string {
  return [...Array(c.length).keys()].map((i) => `\\u${c.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');
}
