import { describe, expect, it } from 'vitest';
import { type Item } from '../../lib/report/items.ts';
import { outline, type Outline } from '../../lib/report/outline.ts';
import { render } from '../../lib/report/render.ts';
import type { Finding, Group } from '../../lib/model/finding.ts';
import { expand } from '../../lib/nodeset.ts';
import { ago, finding, HOUR, MINUTE, NO_ASSESSMENT, NOW, report, source } from './build.ts';

const titles = (o: Outline): string[] => o.sections.map((s) => s.title);
const section = (o: Outline, title: string): Outline['sections'][number] => {
  const found = o.sections.find((s) => s.title === title);
  if (!found) throw new Error(`no section ${title}; there are ${titles(o).join(', ')}`);
  return found;
};
const items = (findings: Finding[], title: string, over: Parameters<typeof report>[0] = {}): Item[] =>
  section(outline(report({ findings, ...over })), title).items;

const group = (members: readonly Finding[], over: Partial<Group> = {}): Group => ({
  id: 'f'.repeat(32),
  kind: 'kernel_panic',
  title: 'kernel panic',
  severity: 'critical',
  state: 'new',
  place: { type: 'switch', id: 'x1000c0r1' },
  findings: members.map((f) => f.id),
  subjects: 'n[1-3]',
  message: '3 of 16 nodes behind switch x1000c0r1, none elsewhere among 56',
  counterEvidence: ['13 of 16 nodes there do not show it: n[4-16]'],
  pValue: 1e-6,
  ...over,
});

describe('the order of a report', () => {
  const everything = [
    finding({ node: 'new-critical' }),
    finding({ node: 'new-warning', severity: 'warning', kind: 'fan' }),
    finding({ node: 'escalated', state: 'ongoing', escalated: { from: 'warning', at: ago(0), reason: 'it has lasted for over 24h' } }),
    finding({ node: 'resolved', state: 'resolved', resolvedAt: ago(0), reason: 'seen without it' }),
    finding({ node: 'resolved-before', state: 'resolved', resolvedAt: ago(3 * HOUR), firstSeen: ago(5 * HOUR) }),
    finding({ node: 'ongoing', state: 'ongoing', firstSeen: ago(26 * HOUR) }),
    finding({ node: 'flapping', state: 'ongoing', severity: 'warning', flapping: { changes: 9, since: ago(HOUR) } }),
    finding({ node: 'stale', state: 'stale', reason: 'source weka_state failed' }),
    finding({ node: 'candidate', state: 'candidate', severity: 'warning' }),
  ];
  const made = outline(
    report({
      findings: everything,
      suppressed: [
        {
          reason: 'known down',
          entry: 'bad DIMM (HW-1)',
          owner: 'hw-team',
          until: '2026-12-15T00:00:00.000Z',
          subjects: 'held',
          findings: [{ id: '1', kind: 'node_off', severity: 'warning', subject: { type: 'node', id: 'held' } }],
        },
      ],
      assessment: {
        ...NO_ASSESSMENT,
        status: 'ok',
        model: 'qwen3-8b',
        headline: ['one', 'two', 'three', 'four', 'five', 'six'],
        observations: [{ id: 'a1', severity: 'info', text: 'o', findings: [], evidence: ['e'], verified: true, unverified: [] }],
      },
    }),
  );

  it('is the one in which people read', () => {
    expect(titles(made)).toEqual([
      'New criticals',
      'Assessment by the model',
      'New',
      'Escalated',
      'Resolved',
      'Ongoing',
      'Flapping',
      'Suppressed',
      'Stale',
      'Candidates, not confirmed yet',
      'Resolved in the last 24 hours',
      'Assessment in full',
    ]);
    expect(section(made, 'Assessment by the model').items.map((i) => i.title)).toEqual(['one', 'two', 'three', 'four', 'five']);
  });

  it('has every finding in exactly one section, counted', () => {
    for (const [i, title] of [
      'New criticals',
      'New',
      'Escalated',
      'Resolved',
      'Resolved in the last 24 hours',
      'Ongoing',
      'Flapping',
      'Stale',
      'Candidates, not confirmed yet',
    ].entries()) {
      expect(section(made, title)).toMatchObject({ findings: 1, items: [{ where: everything[i]?.subject.id }] });
    }
  });

  it('says in one line how things stand', () => {
    expect(made.headline).toBe(
      'CRITICAL · 1 new critical · 1 other new · 1 escalated · 3 ongoing · 1 stale · 1 resolved · 1 suppressed · sources 1/1 fresh',
    );
    expect(made.at).toBe('democluster, 2026-11-30 08:45:00Z');
  });

  it('names sources that are not seen', () => {
    const sources = [
      source('weka_state', NOW, { fresh: false, age: HOUR }),
      source('console_logs'),
      source('pbs_state', NOW, { status: 'failed' }),
      source('kafka_telemetry', NOW, { status: 'skipped', fresh: false, age: null, snapshot: null }),
    ];
    const { headline, proof } = outline(report({ sources }));
    expect(headline).toBe('CRITICAL · sources 1/3 fresh · not seen: weka_state, pbs_state');
    expect(proof.rows.map((row) => row.slice(0, 3))).toEqual([
      ['weka_state', 'ok, not fresh', '1h'],
      ['console_logs', 'ok', '1m'],
      ['pbs_state', 'failed', '1m'],
      ['kafka_telemetry', 'skipped', '—'],
    ]);
  });

  it('shows a new critical as such although it flaps', () => {
    const flapping = finding({ flapping: { changes: 9, since: ago(0) } });
    expect(items([flapping], 'New criticals')).toMatchObject([
      { facts: ['since 08:35Z', 'comes and goes since 08:45Z, 9 changes in its last looks'] },
    ]);
  });

  it('says on top that it is old, or that a tick never ended', () => {
    const unfinished = report({ provenance: { ...report().provenance, unfinishedTick: '20261130t084000.000z' } });
    expect(outline(unfinished).warnings).toEqual(['tick 20261130t084000.000z began and never ended']);
    expect(outline(report(), NOW + 5 * HOUR).warnings).toEqual(['THIS REPORT IS 5H OLD: no tick has ended since']);
    expect(outline(report(), NOW + 5 * MINUTE).warnings).toEqual([]);
  });

  it('says that an assessment failed where the reader looks for it', () => {
    const assessment = { ...NO_ASSESSMENT, status: 'failed' as const, reason: 'connect ECONNREFUSED' };
    expect(section(outline(report({ assessment })), 'Assessment by the model').items).toMatchObject([
      { title: 'none: failed, connect ECONNREFUSED' },
    ]);
  });
});

describe('a line of a report', () => {
  it('stands for findings of one kind, severity and state', () => {
    const some = [1, 2, 3].map((n) => finding({ node: `n${n}` }));
    expect(items([...some, finding({ node: 'n4', kind: 'oom' })], 'New criticals')).toMatchObject([
      {
        title: 'kernel panic',
        where: 'n[1-3]',
        findings: 3,
        details: [`n[1-3]: kernel_panic happened [${some[0]?.id.slice(0, 8)} and 2 more]`],
      },
      { title: 'oom', where: 'n4', findings: 1, details: [expect.stringMatching(/^oom happened \[[0-9a-f]{8}\]$/)] },
    ]);
  });

  it('tells single ones apart by what is said of them, and counts what it leaves out', () => {
    const words = ['squeaks', 'stands still', 'is missing', 'is loose', 'turns backwards'];
    const some = words.flatMap((what, n) =>
      [1, 2].map((m) => finding({ node: `n${n}${m}`, severity: 'warning', message: `fan ${n} ${what}` })),
    );
    const [item] = items(some, 'New') as [Item];
    expect(item.details).toEqual([
      expect.stringMatching(/^fan 0 squeaks \[\w{8} and 1 more\]$/),
      expect.stringContaining('fan 1 stands still'),
      expect.stringContaining('fan 2 is missing'),
      'and 4 more',
    ]);
  });

  it('tells as one what differs in numbers alone, from the least to the greatest', () => {
    const at = (node: string, message: string): Finding => finding({ node, severity: 'warning', message });
    const some = [
      at('n1', 'n1: 48.5 °C for 20m 29s, since 2026-11-30T08:20:10.000Z'),
      at('n2', 'n2: 102 °C for 20m 26s, since 2026-11-30T08:20:40.000Z'),
      at('n4', 'n4: 50 °C for 20m 27s, since 2026-11-30T08:20:11.000Z'),
    ];
    expect(items(some, 'New')[0]?.details).toEqual([
      `n[1-2,4]: 48.5–102 °C for 20m 26–29s, since 08:20Z [${some[0]?.id.slice(0, 8)} and 2 more]`,
    ]);
    // Two are told as they are, and so is one of several whose names stand elsewhere.
    expect(items(some.slice(0, 2), 'New')[0]?.details).toHaveLength(2);
    const elsewhere = [1, 2, 3].map((n) => at(`c${n}`, `client of n${n} is down`));
    expect(items(elsewhere, 'New')[0]?.details).toEqual([`client of n1 is down [${elsewhere[0]?.id.slice(0, 8)}], and 2 alike`]);
  });

  it('is brief where nothing is new: fewer words, no hint below critical, an id to ask for more', () => {
    const ongoing = (severity: Finding['severity'], node: string): Finding => finding({ severity, node, kind: severity, state: 'ongoing' });
    const made = items([ongoing('critical', 'n1'), ongoing('warning', 'n2'), ongoing('info', 'n3')], 'Ongoing');
    expect(made.map((i) => [i.details.length, i.hint !== undefined])).toEqual([
      [1, true],
      [1, false],
      [0, false],
    ]);
    expect(made[2]?.facts.at(-1)).toMatch(/^id [0-9a-f]{8}$/);
  });

  it('keeps apart what was acknowledged, and says by whom', () => {
    const acknowledged = { by: 'ops', until: '2026-12-01T09:00:00.000Z', reason: 'part ordered' };
    const found = items([finding({ node: 'n1', state: 'ongoing' }), finding({ node: 'n2', state: 'ongoing', acknowledged })], 'Ongoing');
    expect(found.map((i) => [i.where, i.facts])).toEqual([
      ['n1', ['for 10m']],
      ['n2', ['for 10m', 'acknowledged by ops until 2026-12-01 09:00Z: part ordered']],
    ]);
  });

  it('tells how long what is over lasted, and why it is over', () => {
    const over = { state: 'resolved', resolvedAt: ago(0), reason: 'cleared by a boot at 2026-11-30T08:40:12.000Z' } as const;
    expect(items([finding({ ...over, firstSeen: ago(2 * HOUR) })], 'Resolved')).toMatchObject([
      { facts: ['lasted 2h'], details: [expect.stringContaining('— cleared by a boot at 08:40Z [')] },
    ]);
    expect(
      items([finding({ ...over, node: 'n1', firstSeen: ago(2 * HOUR) }), finding({ ...over, node: 'n2' })], 'Resolved')[0]?.facts,
    ).toEqual(['lasted 10m to 2h']);
  });

  it('tells why what is stale is so, each reason for itself', () => {
    const stale = ['failed', 'failed', 'not observed'].map((reason, n) => finding({ node: `n${n}`, state: 'stale', reason }));
    expect(items(stale, 'Stale').map((i) => [i.where, i.details[0]])).toEqual([
      ['n[0-1]', 'stale: failed'],
      ['n2', 'stale: not observed'],
    ]);
  });

  it('tells one reason for many that are stale once', () => {
    const stale = ['a', 'b', 'c'].map((kind, n) => finding({ kind, state: 'stale', reason: n < 2 ? 'pbs_state failed' : 'not observed' }));
    expect(items(stale, 'Stale').map((i) => i.details.filter((d) => d.startsWith('stale')))).toEqual([
      ['stale: pbs_state failed'],
      [],
      ['stale: not observed'],
    ]);
  });

  it('rings no alarm for what is over', () => {
    const over = report({ findings: [finding({ state: 'resolved', resolvedAt: ago(0) })], because: [] });
    expect(render(over, 'txt')).toContain('\n ✓ kernel panic: n1 (was critical; lasted 10m)\n');
    expect(render(over, 'md')).toContain('\n- **over** kernel panic: n1 (was critical; lasted 10m)\n');
    expect(render(over, 'html')).toMatch(/<li class="over"><p class="head"><b class="badge">over<\/b> .*was critical/);
  });

  it('gives the name of the inventory where the source calls a node otherwise', () => {
    expect(items([finding({ node: 'nid000003', knownAs: 'x1000c0s0b1n0' })], 'New criticals')[0]?.where).toBe('nid000003 (x1000c0s0b1n0)');
  });
});

describe('a group', () => {
  const members = [
    finding({ node: 'n1' }),
    finding({ node: 'n2', state: 'ongoing' }),
    finding({ node: 'n3', state: 'ongoing', severity: 'warning' }),
  ];

  it('is one line instead of its members, where its newest stand', () => {
    const alone = finding({ node: 'n9', state: 'ongoing' });
    const made = outline(
      report({ findings: [...members, alone], groups: [group(members, { changedThere: 'link flaps of x1000c0r1 at 08:20Z' })] }),
    );
    expect(section(made, 'New criticals')).toMatchObject({
      findings: 3,
      items: [
        {
          severity: 'critical',
          where: '3 of 16 nodes behind switch x1000c0r1, none elsewhere among 56',
          facts: ['1 new, 2 ongoing', 'since 08:35Z'],
          details: expect.arrayContaining([
            'critical: n[1-2]',
            'warning: n3',
            'but: 13 of 16 nodes there do not show it: n[4-16]',
            'changed there: link flaps of x1000c0r1 at 08:20Z',
          ]),
        },
      ],
    });
    expect(section(made, 'Ongoing')).toMatchObject({ findings: 1, items: [{ where: 'n9' }] });
  });

  it('whose new member is a warning is no new critical', () => {
    const some = [
      finding({ node: 'n1', severity: 'warning' }),
      finding({ node: 'n2', state: 'ongoing' }),
      finding({ node: 'n3', state: 'ongoing' }),
    ];
    const made = outline(report({ findings: some, groups: [group(some)] }));
    expect(titles(made)).toEqual(['New']);
    expect(section(made, 'New').items[0]?.severity).toBe('critical');
  });

  it('that names what the report does not list shows what there is', () => {
    const [one] = members as [Finding];
    const made = outline(report({ findings: [one], groups: [group(members), group([finding({ node: 'gone' })])] }));
    expect(section(made, 'New criticals').findings).toBe(1);
  });
});

describe('criticals', () => {
  it('are never cut, however many and however odd their names', () => {
    const names = Array.from({ length: 2000 }, (_, n) => `${(n * 7919).toString(36)}-${n % 7 === 0 ? '[x],%' : 'y'}${n}`);
    const some = names.map((node) => finding({ node, state: 'ongoing' }));
    const [item] = items(some, 'Ongoing') as [Item];
    expect(new Set(expand(item.where as string))).toEqual(new Set(names));
  });

  it('stand before everything else in their section, whatever it is full of', () => {
    const kinds = Array.from({ length: 90 }, (_, n) =>
      finding({ kind: `kind_${n}`, node: `n${n}`, state: 'ongoing', severity: n % 3 === 0 ? 'critical' : 'info' }),
    );
    const made = items(kinds.toReversed(), 'Ongoing');
    expect(made.slice(0, 30).every((i) => i.severity === 'critical')).toBe(true);
    expect(made.filter((i) => i.severity === 'critical')).toHaveLength(30);
    expect(made).toHaveLength(30 + 40 + 1);
    expect(made.at(-1)).toMatchObject({ findings: 20, title: expect.stringContaining('and 20 more findings in 20 more lines') });
  });
});
