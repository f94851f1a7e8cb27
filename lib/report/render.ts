import { onceOfFrozen } from '../model/once.ts';
import type { Report } from '../model/report.ts';
import { renderHtml } from './html.ts';
import { renderMarkdown } from './markdown.ts';
import { outline, type Outline } from './outline.ts';
import { printable } from './printable.ts';
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
export function render(report: Report, format: ReportFormat, options: RenderOptions = {}): string {
  return format === 'json' ? asJson(JSON.stringify(report)) : asPage(report, outline(report, options.shownAt), format, options);
}

/** As {@link render}, in bytes that are the same for everybody, so that a report is rendered once for all who look at it. */
export function renderBytes(report: Report, format: ReportFormat, shownAt?: number): Uint8Array<ArrayBuffer> {
  if (format === 'json') return jsonBytes(report);
  const page = outline(report, shownAt);
  const pages = pagesOf(report);
  const known = pages.get(format);
  const warnings = page.warnings.join('\n');
  if (known?.warnings === warnings) return known.bytes;
  const bytes = new TextEncoder().encode(asPage(report, page, format));
  pages.set(format, { warnings, bytes });
  return bytes;
}

const jsonBytes = onceOfFrozen((report: Report) => new TextEncoder().encode(asJson(JSON.stringify(report))));

interface Page {
  warnings: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Pages as they were shown last: what changes in them with time is a warning that they are old. */
const pagesOf = onceOfFrozen<Report, Map<ReportFormat, Page>>(() => new Map());

/**
 * A report in every format, for the cost of one look at it.
 * @param json the report as JSON writes it
 */
export function renderAll(report: Report, json: string): Record<ReportFormat, string> {
  const page = outline(report);
  return {
    json: asJson(json),
    md: asPage(report, page, 'md'),
    txt: asPage(report, page, 'txt'),
    html: asPage(report, page, 'html'),
  };
}

function asPage(
  report: Report,
  page: Outline,
  format: Exclude<ReportFormat, 'json'>,
  { colour = false, width = 120 }: RenderOptions = {},
): string {
  switch (format) {
    case 'md':
      return renderMarkdown(page);
    case 'html':
      return renderHtml(page, `${report.verdict} · ${report.cluster}`);
    case 'txt':
      return renderText(page, { colour, width });
  }
}

function asJson(json: string): string {
  return `${printable(json)}\n`;
}
