import { expect, it } from 'vitest';
import { renderAll } from '../../lib/report/render.ts';
import { planAlerts } from '../../lib/report/sinks/alertmanager.ts';
import { NOON, tell } from '../kinds/story.ts';

const RUNBOOK = 'https://wiki.demo.test/panic';

it("a site's page for a kind stands behind the hint, wherever people read it", async () => {
  const { report } = await tell({
    title: 'runbook',
    yaml: `sources: { console_logs: { path: consoles, first_sight: all } }\nrules: { kernel_panic: { runbook: "${RUNBOOK}" } }`,
    looks: [
      {
        files: {
          'consoles/n1': '[  100.000000] Kernel panic - not syncing: Fatal exception\n',
          'consoles/n2': '[  500.000001] Uhhuh. NMI received for unknown reason 2c on CPU 4.\n',
        },
      },
    ],
    shows: [],
  });
  expect(report.findings.map((f) => [f.kind, f.runbook])).toEqual([
    ['kernel_panic', RUNBOOK],
    ['nmi', undefined],
  ]);
  const { txt, html } = renderAll(report, JSON.stringify(report));
  expect(txt.replaceAll(/\s+/g, ' ')).toContain(`Runbook: ${RUNBOOK}`);
  expect(html).toContain(RUNBOOK);
  const { alerts } = planAlerts(report, null, { now: NOON, labels: {}, heartbeat: 60_000 });
  expect(alerts.map((a) => [a.labels['alertname'], a.annotations?.['runbook_url']])).toEqual(
    expect.arrayContaining([
      ['kernel_panic', RUNBOOK],
      ['nmi', undefined],
    ]),
  );
});
