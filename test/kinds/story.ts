import type { Severity } from '../../lib/model/condition.ts';
import type { Finding } from '../../lib/model/finding.ts';
import type { Snapshot } from '../../lib/model/snapshot.ts';
import type { Report } from '../../lib/model/report.ts';
import { collectAll } from '../../lib/steps/collect.ts';
import { run } from '../../lib/steps/run.ts';
import { NOON, testObserver, type TestObserver } from '../observer.ts';

export { NOON };
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** What a kind has to look like where its raw data show it. Severities stand as design and research say them. */
export interface Shown {
  kind: string;
  severity: Severity;
  /** `node x1000c0s0b0n0`. */
  subject: string;
  part?: string;
}

/** Files of sources by name: a text, or a value as JSON; null for one that is gone. */
export type Files = Record<string, unknown>;

/** One run, in the order of time. */
export interface Look {
  /** How long before noon. */
  before?: number;
  files: Files;
  /** Only collect: the next tick takes up what was seen. */
  only?: 'collect';
  /** What happens to the observer's own state afterwards. */
  afterwards?: (observer: TestObserver, report: Report) => Promise<void>;
}

/** Raw data of one or more sources, looked at once or several times, and the kinds that the last look shows. */
export interface Story {
  title: string;
  /** The rest of the configuration: `sources:` and what else the story needs. */
  yaml: string;
  truth?: string;
  looks: Look[];
  shows: Shown[];
}

/** A story of one source, in the folder `data`, and one look. */
export function look(source: string, files: Files, ...shows: Shown[]): Story {
  return {
    title: `${source}: ${shows.map((s) => s.kind).join(', ')}`,
    yaml: `sources: { ${source}: { path: data } }`,
    looks: [{ files: Object.fromEntries(Object.entries(files).map(([name, content]) => [`data/${name}`, content])) }],
    shows,
  };
}

export interface Told {
  report: Report;
  snapshots: ReadonlyMap<string, Snapshot>;
}

/** Runs a story through collect, diff and tick, as a site would. */
export async function tell({ yaml, truth, looks }: Story): Promise<Told> {
  const observer = testObserver(`cluster: test\ntimezone: UTC\nnode_domains: [hsn.cm.demo.test]\n${yaml}\n`);
  try {
    if (truth !== undefined) observer.truth = truth;
    let report: Report | undefined;
    for (const { before = 0, files, only, afterwards } of looks) {
      observer.now = NOON - before;
      for (const [name, content] of Object.entries(files))
        observer.write(name, typeof content === 'string' ? content : JSON.stringify(content));
      if (only === 'collect') await collectAll(observer, [...observer.config.sources.keys()]);
      else {
        ({ report } = await run(observer));
        await afterwards?.(observer, report);
      }
    }
    if (!report) throw new Error('a story without a look');
    const snapshots = new Map<string, Snapshot>();
    for (const source of [...observer.config.sources.keys(), 'observer'])
      for (const id of await observer.snapshots.list(source)) {
        const snapshot = await observer.snapshots.get(source, id);
        if (snapshot) snapshots.set(`${source}@${id}`, snapshot);
      }
    return { report, snapshots };
  } finally {
    observer.dispose();
  }
}

/** The findings of a kind that the report lists as there. */
export function findingsOf({ report }: Told, kind: string): Finding[] {
  return report.findings.filter((f) => f.kind === kind && f.state !== 'resolved');
}

/** `warning fs_full filesystem scratch`, with the part behind it. */
export function head({ kind, severity, subject, part }: Shown | Finding): string {
  const of = typeof subject === 'string' ? subject : `${subject.type} ${subject.id}`;
  return [severity, kind, of, part].filter((t) => t !== undefined).join(' ');
}
