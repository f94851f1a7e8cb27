import { Report } from '../model/report.ts';
import { atOnce } from '../store/at-once.ts';
import type { Store } from '../store/store.ts';
import { renderAll } from './render.ts';

const TICK_FILE = /^(\d{8}t\d{6}\.\d{3}z)\.json$/;

/** Writes a report where people find it: whole as `TICK.json`, and in every format as `latest.*`, each file atomically. */
export async function publishReport({ reports }: { reports: Store }, report: Report): Promise<void> {
  const json = await reports.put(`${report.tick}.json`, report);
  await atOnce(Object.entries(renderAll(report, json)), ([format, text]) => reports.putText(`latest.${format}`, text));
}

/** A stored report: the latest, or that of a tick; null where there is none. It is frozen. */
export async function readReport(reports: Store, tick: string): Promise<Report | null> {
  // `latest.json` is the report itself too, so that people and dashboards need to know one name only.
  return reports.getShared(`${tick}.json`, Report);
}

/** The ticks that have a report, newest first. */
export async function listReports(reports: Store): Promise<string[]> {
  const ticks = (await reports.list('')).flatMap((key) => TICK_FILE.exec(key)?.[1] ?? []);
  return ticks.toReversed();
}
