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

/**
 * A report in one of its formats. JSON is complete; the others fold, state totals, and never cut a critical.
 * @param options for `txt`: `colour` (default off) and `width` in columns (default 120)
 */
export function render(report: Report, format: ReportFormat, options: { colour?: boolean; width?: number } = {}): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(report, null, 2)}\n`;
    case 'md':
      return renderMarkdown(outline(report));
    case 'html':
      return renderHtml(outline(report), `${report.cluster}: ${report.verdict}`);
    case 'txt':
      return renderText(outline(report), { colour: options.colour ?? false, width: options.width ?? 120 });
  }
}
