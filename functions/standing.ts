import type { Attempt, Snapshot } from '../lib/model/snapshot.ts';
import type { Report } from '../lib/model/report.ts';
import { readReport } from '../lib/report/publish.ts';
import type { Observer } from '../lib/steps/observer.ts';
import { getAttempt } from '../lib/store/attempts.ts';
import { StoreError } from '../lib/store/store.ts';

/** How one configured source stands. */
export interface SourceStanding {
  source: string;
  maxAge: number;
  attempt: Attempt | null;
  snapshot: Snapshot | null;
  /** What of it is stored and damaged. */
  damage: string | undefined;
}

export interface Standing {
  sources: SourceStanding[];
  /** The latest report; null where there is none, or a damaged one. */
  report: Report | null;
  damage: string | undefined;
}

/**
 * What is stored of every source, and the last report. A value that is damaged is told, and hides nothing else.
 * @throws StoreUnavailable where the store cannot be read
 */
export async function readStanding({ config, store, snapshots, reports }: Observer): Promise<Standing> {
  const sources = await Promise.all(
    [...config.sources].map(async ([source, { maxAge }]): Promise<SourceStanding> => {
      const attempt = await whole(getAttempt(store, source));
      const snapshot = await whole(snapshots.latest(source));
      return { source, maxAge, attempt: attempt.value, snapshot: snapshot.value, damage: attempt.damage ?? snapshot.damage };
    }),
  );
  const report = await whole(readReport(reports, 'latest'));
  return { sources, report: report.value, damage: report.damage };
}

async function whole<T>(reading: Promise<T | null>): Promise<{ value: T | null; damage?: string }> {
  try {
    return { value: await reading };
  } catch (error) {
    if (error instanceof StoreError) return { value: null, damage: error.message };
    throw error;
  }
}
