import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { Report } from '../../lib/model/report.ts';
import { notify } from '../../lib/report/notify.ts';
import { testObserver, type TestObserver } from '../observer.ts';
import { ATTACKS, hostileReport } from '../report/attacks.ts';
import { finding, report } from '../report/build.ts';
import { describeWith } from './debian.ts';

const Held = z.array(
  z.object({
    fingerprint: z.string(),
    startsAt: z.string(),
    endsAt: z.string(),
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()),
  }),
);
type Held = z.infer<typeof Held>;

const Told = z.object({ status: z.string(), alerts: z.array(z.object({ status: z.string(), labels: z.record(z.string(), z.string()) })) });

async function freePort(): Promise<number> {
  const probe = createTcp();
  await new Promise<void>((resolve) => void probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise<unknown>((resolve) => void probe.close(resolve));
  return port;
}

describeWith('Alertmanager', { 'prometheus-alertmanager': 'prometheus-alertmanager' }, ({ 'prometheus-alertmanager': binary }) => {
  const folder = mkdtempSync(join(tmpdir(), 'hpc-observer-am-'));
  let alertmanager: ChildProcess;
  let receiver: Server;
  let base: string;
  let observer: TestObserver;
  /** What Alertmanager itself sent on to its own receiver. */
  const sentOn: z.infer<typeof Told>[] = [];

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let text = '';
      request.on('data', (part) => (text += String(part)));
      request.on('end', () => {
        sentOn.push(Told.parse(JSON.parse(text)));
        response.end();
      });
    });
    await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    const config = join(folder, 'alertmanager.yml');
    writeFileSync(
      config,
      `route: { receiver: site, group_by: [alertname], group_wait: 100ms, group_interval: 100ms, repeat_interval: 1h }
receivers:
  - name: site
    webhook_configs: [{ url: 'http://127.0.0.1:${(receiver.address() as AddressInfo).port}/', send_resolved: true }]
`,
    );
    alertmanager = spawn(
      binary,
      [`--config.file=${config}`, `--storage.path=${folder}`, `--web.listen-address=127.0.0.1:${port}`, '--cluster.listen-address='],
      { stdio: 'ignore' },
    );
    observer = testObserver(`cluster: democluster\nsources: {}\nnotify: [{ type: alertmanager, url: '${base}', labels: { team: hpc } }]\n`);
    observer.send = fetch;
    await vi.waitFor(
      async () => {
        if (!(await fetch(`${base}/-/ready`)).ok) throw new Error('not ready yet');
      },
      { timeout: 30_000, interval: 100 },
    );
  });

  afterAll(async () => {
    const ended = new Promise((resolve) => void alertmanager.once('exit', resolve));
    alertmanager.kill();
    await ended;
    receiver.closeAllConnections();
    receiver.close();
    observer.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  async function tell(over: Partial<Report>): Promise<Held> {
    observer.now = Date.now();
    expect(await notify(observer, { ...report({ at: observer.now }), ...over })).toMatchObject([{ status: 'ok' }]);
    return held();
  }
  const held = async (): Promise<Held> => Held.parse(await (await fetch(`${base}/api/v2/alerts`)).json());
  const names = (alerts: Held): string[] =>
    alerts
      .map(({ labels }) => [labels['alertname'], labels['severity'], labels['subject']].filter((x) => x !== undefined).join(' '))
      .sort();
  const at = (): number => Date.now();
  const BEAT = 'observer_heartbeat none';

  it('holds each open finding with its labels, and the heartbeat', async () => {
    const one = finding({ node: 'x1000c0s2b0n0', at: at() });
    const alerts = await tell({ findings: [one, finding({ node: 'x1000c0s3b0n0', kind: 'fan', severity: 'warning', at: at() })] });
    expect(names(alerts)).toEqual(['fan warning x1000c0s3b0n0', 'kernel_panic critical x1000c0s2b0n0', BEAT]);
    const panic = alerts.find((a) => a.labels['alertname'] === 'kernel_panic');
    expect(panic).toMatchObject({
      labels: {
        alertname: 'kernel_panic',
        severity: 'critical',
        cluster: 'democluster',
        subject: 'x1000c0s2b0n0',
        finding: one.id,
        team: 'hpc',
      },
      annotations: { summary: 'kernel panic: x1000c0s2b0n0', hint: 'Look at its console.', key: `${one.id}#1` },
    });
    expect(Date.parse(panic?.endsAt ?? '')).toBeGreaterThan(Date.now() + 3_600_000);
  });

  it('updates instead of duplicating, tick after tick', async () => {
    const ongoing = finding({ node: 'x1000c0s2b0n0', state: 'ongoing', message: 'seen twice by now', at: at() });
    const before = await held();
    await tell({ findings: [ongoing] });
    const alerts = await tell({ findings: [ongoing] });
    const [was, is] = [before, alerts].map((all) => all.filter((a) => a.labels['alertname'] === 'kernel_panic'));
    expect(is).toHaveLength(1);
    expect(is?.[0]?.fingerprint).toBe(was?.[0]?.fingerprint);
    expect(is?.[0]?.annotations['description']).toBe('seen twice by now');
  });

  it('resolves what is resolved, and says so to whom it tells', async () => {
    const over = finding({ node: 'x1000c0s2b0n0', state: 'resolved', resolvedAt: new Date().toISOString(), at: at() });
    expect(names(await tell({ findings: [over] }))).toEqual([BEAT]);
    await vi.waitFor(
      () => {
        const panics = sentOn.filter((n) => n.alerts.some((a) => a.labels['alertname'] === 'kernel_panic')).map((n) => n.status);
        expect(panics).toEqual(['firing', 'resolved']);
      },
      { timeout: 20_000, interval: 100 },
    );
  });

  it('holds one alert of a finding that gets worse', async () => {
    await tell({ findings: [finding({ kind: 'fan', severity: 'warning', at: at() })] });
    const alerts = await tell({ findings: [finding({ kind: 'fan', severity: 'critical', state: 'ongoing', at: at() })] });
    expect(names(alerts)).toEqual(['fan critical n1', BEAT]);
  });

  it('knows when the observer is blind', async () => {
    expect(names(await tell({ verdict: 'blind', sources: [] }))).toEqual(['observer_blind critical democluster', BEAT]);
    expect(names(await tell({ verdict: 'ok', sources: [] }))).toEqual([BEAT]);
  });

  it.each(Object.entries(ATTACKS))('takes %s', async (_, attack) => {
    const hostile = hostileReport(attack);
    expect(names(await tell({ findings: hostile.findings, groups: hostile.groups }))).toContain(BEAT);
  });
});
