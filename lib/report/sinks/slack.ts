import type { Report } from '../../model/report.ts';
import { setText } from '../../findings/set-text.ts';
import { headlineOf } from '../outline.ts';
import type { Notice, Reason } from '../plan.ts';
import { count } from '../words.ts';
import { slackText } from './apart.ts';

/** Slack's limits (https://docs.slack.dev/reference/block-kit/blocks), and the number of lines that somebody reads in a chat. */
const MAX_HEADER = 150;
const MAX_SECTION = 2900;
const MAX_LINES = 25;
/** Of `text`, which Slack shows where it shows no blocks, and others show alone. */
const MAX_TEXT = 3500;

const WORD: Record<Reason, string> = {
  digest: 'OPEN',
  blind: 'BLIND',
  first: 'NEW',
  escalated: 'ESCALATED',
  repeat: 'STILL',
  resolved: 'RESOLVED',
};

interface PlainText {
  type: 'plain_text';
  text: string;
  emoji: false;
}

export interface SlackMessage {
  text: string;
  blocks: ({ type: 'header' | 'section'; text: PlainText } | { type: 'context'; elements: PlainText[] })[];
}

/** One message for everything that is told in a tick, as Slack's incoming webhooks take it. Nothing in it is markup. */
export function slackMessage(report: Report, notices: readonly Notice[]): { body: SlackMessage; sent: number; cut: number } {
  const lines = notices.map((notice) => ({ text: lineOf(notice), findings: notice.matters.length }));
  const shown = lines.slice(0, MAX_LINES);
  const headline = `${slackText(report.cluster, 40)}: ${slackText(headlineOf(report), 400)}`;
  const brief = fitting(lines, MAX_TEXT - headline.length - 100);
  const cut = findingsOf(lines.slice(shown.length));
  return {
    body: {
      text: [headline, ...brief.map((l) => l.text), ...more(lines.slice(brief.length))].join('\n'),
      blocks: [
        { type: 'header', text: plain(within(headline, MAX_HEADER)) },
        ...sectionsOf(shown).map((text) => ({ type: 'section' as const, text: plain(text) })),
        { type: 'context', elements: [plain([...more(lines.slice(shown.length)), `tick ${report.tick}`].join(' · '))] },
      ],
    },
    sent: findingsOf(lines) - cut,
    cut,
  };
}

interface Line {
  text: string;
  findings: number;
}

function findingsOf(lines: readonly Line[]): number {
  return lines.reduce((n, l) => n + l.findings, 0);
}

function more(rest: readonly Line[]): string[] {
  if (rest.length === 0) return [];
  return [`and ${count(findingsOf(rest), 'more finding')} in ${count(rest.length, 'line')}; the report has them all`];
}

/** As many of the first lines as have room. */
function fitting(lines: readonly Line[], room: number): Line[] {
  let used = 0;
  return lines.slice(0, MAX_LINES).filter(({ text }) => (used += text.length + 1) <= room);
}

function sectionsOf(lines: readonly Line[]): string[] {
  const sections: string[] = [];
  for (const { text } of lines) {
    const last = sections.at(-1);
    if (last !== undefined && last.length + 1 + text.length <= MAX_SECTION) sections[sections.length - 1] = `${last}\n${text}`;
    else sections.push(text);
  }
  return sections;
}

function lineOf({ reason, severity, title, group, matters }: Notice): string {
  const [first] = matters;
  const names = setText([...new Set(matters.map((m) => m.subject))], 200);
  const where = group ? `${group.message} (${names})` : names;
  const many = matters.length > 1 ? ` (${matters.length})` : '';
  const what = reason === 'resolved' ? first?.reason : first?.message;
  const said = matters.length === 1 || reason === 'resolved' ? ` — ${slackText(what ?? '', 220)}` : '';
  return within(`${WORD[reason]} ${severity}: ${slackText(title, 100)}: ${slackText(where, 400)}${many}${said}`, MAX_SECTION);
}

/** Cuts at a length, and not within an entity. */
function within(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 1).replace(/&[a-z]{0,4}$|[\uD800-\uDBFF]$/, '')}…`;
}

function plain(text: string): PlainText {
  return { type: 'plain_text', text, emoji: false };
}
