import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import { type Expected, findingKey, isExpected, standsFor } from '../../lib/eval/expected.ts';
import { Fleet, type Sink } from '../../lib/eval/fleet.ts';
import { FolderSink } from '../../lib/eval/folder.ts';
import { type EvalObserver, evalObserver } from '../../lib/eval/observer.ts';
import type { FleetSpec } from '../../lib/eval/spec.ts';
import { DAY, fleetSpec, HOUR, parseFault, SPEC_DEFAULTS } from '../../lib/eval/spec.ts';
import type { SourceFile } from '../../lib/eval/tick.ts';
import type { Finding } from '../../lib/model/finding.ts';
import type { Report } from '../../lib/model/report.ts';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hpc-observer-eval-'));
  folders.push(folder);
  return folder;
}

/** A specification with faults as the command line writes them. */
export function spec(nodes: number, faults: readonly string[] = [], more: Partial<FleetSpec> = {}): FleetSpec {
  const start = more.start ?? SPEC_DEFAULTS.start;
  return fleetSpec({ nodes, seed: 4, ...more, faults: faults.map((f) => parseFault(f, { start, end: start + DAY })) });
}

/** Keeps files in memory. */
export class MemorySink implements Sink {
  readonly files = new Map<string, { text: string; mtime: number }>();

  put = ({ path, text, mtime }: SourceFile): void => void this.files.set(path, { text: [...text].join(''), mtime });

  append = ({ path, text, mtime }: SourceFile): void =>
    void this.files.set(path, { text: (this.files.get(path)?.text ?? '') + [...text].join(''), mtime });

  clear = (folder: string): void => {
    for (const path of this.files.keys()) if (path.startsWith(folder)) this.files.delete(path);
  };

  only = (folder: string, paths: ReadonlySet<string>): void => {
    for (const path of this.files.keys()) if (path.startsWith(`${folder}/`) && !paths.has(path)) this.files.delete(path);
  };
}

/** The fleet at the end of its day, in a folder. */
export function writtenFleet(of: FleetSpec, ticks = 24): { fleet: Fleet; folder: string; at: number } {
  const folder = temporaryFolder();
  const fleet = new Fleet(of);
  const at = of.start + ticks * HOUR;
  fleet.write(at, new FolderSink(folder));
  writeSite(folder, { 'config.yaml': fleet.configuration(at), 'fleet.yaml': fleet.groundTruth() });
  return { fleet, folder, at };
}

export function writeSite(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

export function observerOf(folder: string, now: number): EvalObserver {
  return evalObserver(folder, { now });
}

const OPEN: ReadonlySet<string> = new Set(['new', 'ongoing', 'stale']);

/** The open findings of warning or above. */
export function worrying({ findings }: Report): Finding[] {
  return findings.filter((f) => OPEN.has(f.state) && f.severity !== 'info');
}

/** What a report lacks, and what it has too much. */
export function mistakes(report: Report, { must, may }: Expected): { missing: string[]; unexpected: string[] } {
  const have = worrying(report).flatMap((f) => f.conditions);
  const keys = new Set(have.map(findingKey));
  const expected = new Set([...must, ...may]);
  const unwell = new Set(report.sources.filter((s) => s.status !== 'ok' || !s.fresh).map((s) => `source ${s.source}`));
  return {
    missing: [...must].filter((key) => !unwell.has(key) && !keys.has(key) && !have.some((c) => standsFor(key, c))),
    unexpected: have
      .filter((c) => !expected.has(findingKey(c)) && !isExpected(expected, c))
      .map((c) => `${c.kind} ${c.subject.type} ${c.subject.id}`),
  };
}
