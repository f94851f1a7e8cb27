import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Report } from '../../lib/model/report.ts';
import { hasUnsafe } from '../../lib/model/text.ts';
import { escape as escapeHtml, renderHtml } from '../../lib/report/html.ts';
import { escape as escapeMarkdown, renderMarkdown } from '../../lib/report/markdown.ts';
import { outline, type Outline } from '../../lib/report/outline.ts';
import { planNotices } from '../../lib/report/plan.ts';
import { render } from '../../lib/report/render.ts';
import { planAlerts } from '../../lib/report/sinks/alertmanager.ts';
import { apart, slackText } from '../../lib/report/sinks/apart.ts';
import { slackMessage } from '../../lib/report/sinks/slack.ts';
import { notification } from '../../lib/report/sinks/webhook.ts';
import { columns, renderText } from '../../lib/report/text.ts';
import { ATTACKS, hostileReport } from './attacks.ts';
import { NOW } from './build.ts';

const ACTING = '\n \r \t \u001b [ ] ( ) < > & | ` * _ # - + = ! ~ @ : / \\ " \' { } $ % ^ . \u009b \u202e \u200b a 1'.split(' ');
/** Any text, made of what acts somewhere as often as of anything else. */
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc
    .array(fc.oneof(fc.constantFrom(...Object.values(ATTACKS).map((a) => a.slice(0, 80))), fc.constantFrom(...ACTING)), {
      maxLength: 12,
    })
    .map((parts) => parts.join('')),
);
const RUNS = { numRuns: 100 };
/** Where each run renders a whole report. */
const FEWER = { numRuns: 40 };
/** A JSON text, as bytes on their way: no character may be left to what prints them. */
const strings = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : value !== null && typeof value === 'object' ? Object.values(value).flatMap(strings) : [];

function checkText(text: string): void {
  const lines = text.split('\n');
  expect(lines.filter(hasUnsafe)).toEqual([]);
  // What begins a line is ours: a heading, a mark, an indentation, a source of the table.
  const beginnings = lines.filter((l, i) => i > 0 && l !== '' && !l.startsWith(' '));
  for (const line of beginnings)
    expect(line).toMatch(
      /^(!! |[A-Z][A-Z0-9 ,]+(\(|$)|PROOF OF RUN$|source +status|console_logs +partial|pbs_state +failed|tick \d|before it: |snapshots:|assessment: |sink( |$))/,
    );
}

describe('text for a terminal', () => {
  it.each(Object.entries(ATTACKS))('shows %s and does nothing of it', (_, attack) => {
    const text = render(hostileReport(attack), 'txt', { width: 100 });
    checkText(text);
    expect(text.split('\n').filter((line) => columns(line) > 100)).toEqual([]);
  });

  it('shows any text without acting on it, and colours nothing unless asked to', () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 40, max: 160 }), (text, width) => {
        const shown = render(hostileReport(text), 'txt', { width });
        checkText(shown);
        const coloured = render(hostileReport(text), 'txt', { width, colour: true });
        // With the colours that we set taken away it is the same text.
        expect(coloured.replaceAll(/\u001b\[[\d;]+m/g, '')).toBe(shown);
      }),
      FEWER,
    );
  });
});

/** Characters of Markdown that stand neither behind a backslash nor as an entity. */
function bare(markdown: string): string {
  return markdown.replaceAll(/\\[!-/:-@[-`{-~]|&(?:amp|lt|gt|#8203);/g, '\u200b');
}

describe('Markdown', () => {
  const unescape = (text: string): string =>
    text
      .replaceAll('&#8203;', '')
      .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');

  it('leaves nothing that acts, and all that is to be read', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const escaped = escapeMarkdown(text);
        const left = bare(escaped);
        expect(left).not.toMatch(/[\\`*_{}[\]|^#!~$<>&]/);
        expect(left).not.toMatch(/@(?=\w)|:\/\/|(?<![a-z0-9])www\.|^[-+=]|^\d{1,9}[.)]|\b(mailto|xmpp):/i);
        expect(escaped).not.toContain('\n');
        expect(unescape(escaped)).toBe(unescape(escapeMarkdown(unescape(escaped))));
      }),
      RUNS,
    );
  });

  it('is read back as the text itself', () => {
    for (const text of ['x1000c0s[0-7]b0n0', 'a_b *c* `d` 96 % & <18> \\ "q"', '1. one', '-x', 'a@b.test: http://x.test #1']) {
      expect(unescape(escapeMarkdown(text))).toBe(text);
    }
    expect(escapeMarkdown('since 2026-11-30T08:31:00.000Z, GPU 0000:c1:00, Supply 1')).toBe(
      'since 2026-11-30T08:31:00.000Z, GPU 0000:c1:00, Supply 1',
    );
  });

  it.each(Object.entries(ATTACKS))('has the same lines whatever %s says', (_, attack) => {
    const kinds = (text: string): string[] =>
      render(hostileReport(text), 'md')
        .split('\n')
        .map((l) => /^(# |## |- \*\*\w+\*\* |- |  - → |  - |\| |\|---|\*\*|Because: |)/.exec(l)?.[0] ?? '');
    expect(kinds(attack)).toEqual(kinds('plain'));
  });
});

describe('HTML', () => {
  const skeleton = (html: string): string[] => [...html.matchAll(/<[^>]*>/g)].map((m) => m[0]);

  it.each(Object.entries(ATTACKS))('has the same tags whatever %s says', (_, attack) => {
    // Long sets of names are folded up, for which there is a tag of ours more: there only its kind is looked at.
    const tags = skeleton(render(hostileReport(attack), 'html'));
    for (const tag of tags) expect(tag).not.toMatch(/script|\son\w+=|evil/);
    expect(attack.length < 100 ? tags : []).toEqual(attack.length < 100 ? skeleton(render(hostileReport('plain'), 'html')) : []);
  });

  it('leaves no character that acts, in text or attribute', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const escaped = escapeHtml(text);
        expect(escaped.replaceAll(/&(?:amp|lt|gt|quot|#39|#96);/g, '')).not.toMatch(/[<>&"'`]/);
        expect(hasUnsafe(escaped)).toBe(false);
      }),
      RUNS,
    );
  });

  it('loads nothing, runs nothing, and leads nowhere', () => {
    for (const attack of Object.values(ATTACKS)) {
      const html = render(hostileReport(attack), 'html');
      const tags = skeleton(html).join('');
      expect(tags).not.toMatch(/<(?:script|iframe|object|embed|form|img|a|base|svg|video|audio)\b/i);
      expect(tags.match(/\b(?:src|href|action|ping|style)=/g)).toEqual(['href=']);
      expect(html).toContain(`default-src 'none'`);
    }
  });
});

describe('JSON', () => {
  it('is the whole report, with nothing raw that a terminal acts on', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const made = hostileReport(text);
        const json = render(made, 'json');
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(made)));
        expect(hasUnsafe(json.slice(0, -1))).toBe(false);
      }),
      FEWER,
    );
  });

  it('is valid by its own schema', () => {
    expect(Report.safeParse(JSON.parse(render(hostileReport('x'), 'json'))).success).toBe(true);
  });
});

describe('what goes to a chat', () => {
  const ACTS = /<|>|@(?=[a-z_])|:\/\/|\]\(|\]\[|\]:|(?<![a-z0-9])www\.|[*~`]|&(?!(?:amp|lt|gt);)/i;

  it('is no markup, no mention and no link', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(slackText(text)).not.toMatch(ACTS);
        expect(apart(text)).not.toMatch(/<(?=[!@#/a-z])|@(?=[a-z_])|:\/\//i);
        expect(hasUnsafe(apart(text).replaceAll('\u200b', ''))).toBe(false);
      }),
      RUNS,
    );
  });

  it.each(Object.entries(ATTACKS))('holds %s as text alone, within the limits of Slack', (_, attack) => {
    const made = hostileReport(attack);
    const { body } = slackMessage(made, planNotices(made, null, 1).notices);
    expect(body.blocks.length).toBeLessThanOrEqual(50);
    for (const block of body.blocks) {
      const texts = 'elements' in block ? block.elements : [block.text];
      for (const { type, text } of texts) {
        expect(type).toBe('plain_text');
        expect(text.length).toBeGreaterThan(0);
        expect(text.length).toBeLessThanOrEqual(block.type === 'header' ? 150 : 3000);
      }
    }
    for (const text of strings(body)) expect(text).not.toMatch(/<|>|@(?=[a-z_])|:\/\/|&(?!(?:amp|lt|gt);)|[*~`]/);
  });

  it.each(Object.entries(ATTACKS))('sends %s to other sinks as one printable line each', (_, attack) => {
    const made = hostileReport(attack);
    const { body } = notification(made, planNotices(made, null, 1).notices);
    const { alerts } = planAlerts(made, null, { now: NOW, labels: {}, heartbeat: 1 });
    expect(strings([body, alerts]).filter((text) => hasUnsafe(text.replaceAll('\u200b', '')))).toEqual([]);
    expect(JSON.stringify(body).length).toBeLessThan(100_000);
  });
});

it('every renderer escapes by itself, whatever an outline holds', { timeout: 30_000 }, () => {
  for (const attack of Object.values(ATTACKS)) {
    const raw = rawOutline(attack);
    for (const shown of [renderText(raw, { colour: false, width: 80 }), renderMarkdown(raw), renderHtml(raw, attack)]) {
      expect(shown.split('\n').filter(hasUnsafe)).toEqual([]);
    }
  }
});

function rawOutline(text: string): Outline {
  const item = {
    severity: 'critical' as const,
    title: text,
    where: text,
    findings: 2,
    facts: [text],
    details: [text, text, text, text],
    hint: text,
  };
  return {
    verdict: 'critical',
    headline: text,
    at: text,
    because: [text],
    warnings: [text],
    tallies: [{ label: text, value: 1 }],
    sections: [false, true].map((quiet) => ({
      title: text,
      note: text,
      findings: 1,
      items: [item, { ...item, isSentence: true as const }],
      quiet,
    })),
    proof: { columns: ['a', 'b'], rows: [[text, text]] },
    footer: [text],
  };
}

it('an outline holds nothing raw and nothing endless', { timeout: 30_000 }, () => {
  for (const attack of Object.values(ATTACKS)) {
    for (const text of strings({ ...outline(hostileReport(attack)) })) {
      expect(hasUnsafe(text)).toBe(false);
      // A critical's own name is never cut; a name of a subject has 253 bytes at most where collectors make it.
      expect(text.length).toBeLessThan(attack.length > 1000 ? 130_000 : 9000);
    }
  }
});
