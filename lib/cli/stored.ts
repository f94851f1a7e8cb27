import * as z from 'zod';
import { Finding, FindingState } from '../model/finding.ts';
import { render, type ReportFormat } from '../report/render.ts';
import { CommandFailed, EXIT, fetchJson, fetchReport, type Session } from './session.ts';

/** `snapshot SOURCE [latest|previous|TIMESTAMP]`: a stored snapshot as JSON. */
export async function snapshotCommand(session: Session, source: string, which: string): Promise<number> {
  const snapshot = await fetchJson(session, `/snapshots/${encodeURIComponent(source)}/${encodeURIComponent(which)}`);
  session.out(`${JSON.stringify(snapshot, null, 2)}\n`);
  return EXIT.done;
}

const FORMATS: Record<string, ReportFormat> = { text: 'txt', txt: 'txt', md: 'md', html: 'html', json: 'json' };

/** `report [latest|TICK] [--format …]`. */
export async function reportCommand(session: Session, tick: string, format: string): Promise<number> {
  const known = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (!known) throw new CommandFailed(`--format ${format}: expected text, md, html or json`, EXIT.usage);
  const { colour, width } = session;
  const shown = tick === 'latest' ? { shownAt: session.now() } : {};
  session.out(render(await fetchReport(session, tick), known, { colour, width, ...shown }));
  return EXIT.done;
}

const OPEN: ReadonlySet<string> = new Set(['new', 'ongoing', 'stale']);
const FindingsAnswer = z.looseObject({ verdict: z.string(), findings: z.array(Finding) });

/** `findings [--state S] [--check]`; with `--check` the exit status of a monitoring plugin: 0, 1 warning, 2 critical, 3 blind. */
export async function findingsCommand(session: Session, flags: { state?: string; check?: boolean; json: boolean }): Promise<number> {
  if (flags.state !== undefined && !FindingState.safeParse(flags.state).success) {
    throw new CommandFailed(`--state ${flags.state}: expected one of ${FindingState.options.join(', ')}`, EXIT.usage);
  }
  const response = await session.request(`/findings${flags.state ? `?state=${flags.state}` : ''}`);
  if (!response.ok) {
    if (!flags.check) throw new CommandFailed('no report is stored yet: run a tick first');
    session.out('BLIND · no report is stored\n');
    return 3;
  }
  const { verdict, findings } = FindingsAnswer.parse(await response.json());
  if (flags.json) session.out(`${JSON.stringify({ verdict, findings }, null, 2)}\n`);
  else {
    if (flags.check) session.out(`${verdict.toUpperCase()} · ${findings.filter((f) => f.state !== 'resolved').length} findings\n`);
    for (const f of findings) session.out(`${f.id}  ${f.state.padEnd(8)} ${f.severity.padEnd(8)} ${f.kind} ${f.subjects}\n`);
  }
  if (!flags.check) return EXIT.done;
  // Worse than blind is a critical that is known, even from an older look.
  if (findings.some((f) => f.severity === 'critical' && OPEN.has(f.state))) return 2;
  if (verdict === 'blind') return 3;
  return verdict === 'degraded' ? 1 : 0;
}

/** `tools`, `tools call NAME JSON`: the read-only menu, by hand. An answer is printed as the model gets it, within the same bound. */
export async function toolsCommand(session: Session, call?: { name: string; args: string }): Promise<number> {
  if (!call) session.out(`${JSON.stringify(await fetchJson(session, '/tools'), null, 2)}\n`);
  else {
    const answer = await fetchJson(session, `/tools/${encodeURIComponent(call.name)}`, { method: 'POST', body: call.args });
    session.out(`${JSON.stringify(answer)}\n`);
  }
  return EXIT.done;
}
