import type { NotifyConfig } from '../config.ts';
import { abortAfter } from '../deadline.ts';
import type { Report, SinkResult } from '../model/report.ts';
import { headerToken, oneLine } from '../model/text.ts';
import type { Observer } from '../steps/observer.ts';
import { logKey, readLog } from './notified.ts';
import { planNotices } from './plan.ts';
import { planAlerts } from './sinks/alertmanager.ts';
import { deliver, PATIENCE, type Patience } from './sinks/deliver.ts';
import { slackMessage } from './sinks/slack.ts';
import { notification } from './sinks/webhook.ts';
import { count } from './words.ts';

type Needed = Pick<Observer, 'config' | 'send' | 'store' | 'secret' | 'clock'>;

/** Alerts of one request. */
const BATCH = 500;

/**
 * Tells the configured sinks what there is to tell them, each by what it was told before. A sink that fails is in the
 * results, and hears of it at the next tick; nothing is thrown.
 */
export async function notify(observer: Needed, report: Report, patience: Patience = PATIENCE): Promise<SinkResult[]> {
  return Promise.all(
    observer.config.notify.map(async (sink): Promise<SinkResult> => {
      const result = (status: SinkResult['status'], reason: string, sent = 0, cut = 0): SinkResult => ({
        sink: nameOf(sink),
        status,
        reason,
        sent,
        cut,
      });
      if (observer.send === null) return result('skipped', 'notifications are off');
      try {
        const told = await tell({ ...observer, send: observer.send }, sink, report, patience);
        return result(told.status, told.reason, told.sent, told.cut);
      } catch (error) {
        return result('failed', oneLine(error instanceof Error ? error.message : String(error), 300));
      }
    }),
  );
}

/** A sink as people know it; the path of its URL may be a secret. */
function nameOf({ type, url }: NotifyConfig): string {
  return `${type} ${new URL(url).host}`;
}

type Told = Pick<SinkResult, 'status' | 'reason' | 'sent' | 'cut'>;

async function tell(observer: Needed & { send: typeof fetch }, sink: NotifyConfig, report: Report, patience: Patience): Promise<Told> {
  const { store, clock, send } = observer;
  const key = logKey(sink);
  const before = await readLog(store, key);
  const { bodies, log, sent, cut, what } = messages(sink, report, { before, now: clock() });
  const token = sink.token_file === undefined ? null : tokenOf(await observer.secret(sink.token_file));
  const url = sink.type === 'alertmanager' ? `${sink.url.replace(/\/+$/, '')}/api/v2/alerts` : sink.url;
  const deadline = abortAfter(patience.total);
  for (const body of bodies) {
    const delivered = await deliver(send, { url, body, token, deadline }, patience, clock);
    if (!delivered.ok) return { status: 'failed', reason: delivered.reason, sent: 0, cut: 0 };
  }
  // Only what was sent counts as told: a crash before this line has it sent again, and its keys tell that it is the same.
  await store.put(key, log);
  return bodies.length === 0
    ? { status: 'skipped', reason: 'nothing to tell', sent: 0, cut: 0 }
    : { status: 'ok', reason: what, sent, cut };
}

interface Messages {
  bodies: unknown[];
  log: unknown;
  sent: number;
  cut: number;
  what: string;
}

function messages(
  sink: NotifyConfig,
  report: Report,
  { before, now }: { before: Awaited<ReturnType<typeof readLog>>; now: number },
): Messages {
  if (sink.type === 'alertmanager') {
    const { alerts, log, cut } = planAlerts(report, before, { now, labels: sink.labels, heartbeat: sink.heartbeat });
    const batches = Array.from({ length: Math.ceil(alerts.length / BATCH) }, (_, i) => alerts.slice(i * BATCH, (i + 1) * BATCH));
    return { bodies: batches, log, sent: alerts.length, cut, what: count(alerts.length, 'alert') };
  }
  const { notices, log } = planNotices(report, before, sink.repeat);
  if (notices.length === 0) return { bodies: [], log, sent: 0, cut: 0, what: '' };
  const { body, sent, cut } = sink.format === 'slack' ? slackMessage(report, notices) : notification(report, notices);
  const reasons = new Map<string, number>();
  for (const { reason, matters } of notices) reasons.set(reason, (reasons.get(reason) ?? 0) + matters.length);
  return { bodies: [body], log, sent, cut, what: [...reasons].map(([reason, n]) => `${reason} ${n}`).join(', ') };
}

function tokenOf(text: string): string {
  const token = headerToken(text);
  if (token === null) throw new Error('its token file holds no token');
  return token;
}
