import type { Report } from '../../model/report.ts';
import { setText } from '../../findings/set-text.ts';
import { headlineOf } from '../outline.ts';
import type { Notice, Reason } from '../plan.ts';
import { count } from '../words.ts';
import { slackText } from './apart.ts';

/** Slack's limits (https://docs.slack.dev/reference/block-kit/blocks), and the number of lines that somebody reads in a chat. */
const MAX_HEADER = 150;
const MAX_SECTION = 2900;
const MAX_SECTIONS = 8;
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
  const sections: string[] = [];
  let shown = 0;
  for (const { text } of lines) {
    const last = sections.at(-1);
    if (last !== undefined && last.length + 1 + text.length <= MAX_SECTION) sections[sections.length - 1] = `${last}\n${text}`;
    else if (sections.length < MAX_SECTIONS) sections.push(text);
    else break;
    shown++;
  }
  const rest = lines.slice(shown);
  const cut = rest.reduce((n, l) => n + l.findings, 0);
  const sent = lines.slice(0, shown).reduce((n, l) => n + l.findings, 0);
  const more = cut > 0 ? [`and ${count(cut, 'more finding')} in ${count(rest.length, 'line')}; the report has them all`] : [];
  const headline = `${slackText(report.cluster, 40)}: ${slackText(headlineOf(report), 400)}`;
  return {
    body: {
      text: within(`${headline}\n${[...sections, ...more].join('\n')}`, MAX_TEXT),
      blocks: [
        { type: 'header', text: plain(within(headline, MAX_HEADER)) },
        ...sections.map((text) => ({ type: 'section' as const, text: plain(text) })),
        { type: 'context', elements: [plain([...more, `tick ${report.tick}`].join(' · '))] },
      ],
    },
    sent,
    cut,
  };
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
