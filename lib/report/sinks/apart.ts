import { oneLine } from '../../model/text.ts';

const APART = '\u200b';
const ACTING = /<(?=[!@#/a-z])|@(?=[a-z_])|:(?=\/\/)|\](?=[([:])|(?<![a-z0-9])www(?=\.)|\b(?:mailto|xmpp|tel)(?=:)/gi;

/** A text for a chat: what would call somebody, or become a link, has an invisible blank within. */
export function apart(text: string, max = 500): string {
  return oneLine(text, max).replaceAll(ACTING, (c) => c + APART);
}

/**
 * A text for Slack, which parses `&`, `<` and `>` in any text object
 * (https://docs.slack.dev/messaging/formatting-message-text, "Escaping text"), and for what takes Slack's messages as
 * Markdown. Its length may be several times that of the text.
 */
export function slackText(text: string, max = 500): string {
  return apart(text, max)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[*~`]/g, (c) => LOOKALIKE[c] ?? c);
}

// Slack's markup has no escape: these would strike out or hide what stands between two of them.
const LOOKALIKE: Readonly<Record<string, string>> = { '*': '∗', '~': '∼', '`': 'ˋ' };
