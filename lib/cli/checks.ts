import * as z from 'zod';
import { kinds } from '../findings/kinds.ts';
import type { Kind } from '../model/kind.ts';
import { EXIT, fetchJson, type Session } from './session.ts';

/** `kinds`: every kind of condition that can occur, as a table or as JSON. */
export function kindsCommand(out: (text: string) => void, json: boolean): number {
  const all = [...kinds.values()].sort((a, b) => (a.kind < b.kind ? -1 : 1));
  if (json) out(`${JSON.stringify({ kinds: all }, null, 2)}\n`);
  else {
    out(row('kind', 'title', 'severity', 'of', 'ends by', 'hint', 'provenance') + row('---', '---', '---', '---', '---', '---', '---'));
    for (const k of all) {
      const of = `${k.subjects.join(', ')}${k.part ? ` (${k.part})` : ''}`;
      out(row(k.kind, k.title, k.severity, of, endOf(k), k.hint, k.provenance));
    }
  }
  return EXIT.done;
}

function row(...cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
}

/** What ends a condition of a kind, and what it takes to begin: `expiry 24h`, `absence, 2 looks; told after 2 of 3 looks`. */
function endOf({ clears, resolveAfter = 1, confirm }: Kind): string {
  const by = 'after' in clears ? `${clears.by} ${clears.after}` : clears.by;
  const looks = resolveAfter > 1 ? `, ${resolveAfter} looks` : '';
  return `${by}${looks}${confirm ? `; told after ${confirm.n} of ${confirm.m} looks` : ''}`;
}

const Check = z.looseObject({
  entries: z.number(),
  parts: z.number(),
  faults: z.array(z.looseObject({ key: z.string(), line: z.number(), what: z.string() })),
});

/** `audit verify`: exit 1 when the log is not as it was written. */
export async function auditCommand(session: Session, json: boolean): Promise<number> {
  const answer = await fetchJson(session, '/audit/verify');
  const { entries, parts, faults } = Check.parse(answer);
  if (json) session.out(`${JSON.stringify(answer, null, 2)}\n`);
  else {
    session.out(`${entries} entries in ${parts} parts, ${faults.length} faults\n`);
    for (const f of faults) session.out(`${f.key}:${f.line}: ${f.what}\n`);
  }
  return faults.length > 0 ? EXIT.failed : EXIT.done;
}

const Replayed = z.looseObject({
  tick: z.string(),
  identical: z.boolean(),
  parts: z.object({ at: z.string(), recorded: z.string(), replayed: z.string() }).nullable(),
  assessments: z.object({ recorded: z.looseObject({}), replayed: z.looseObject({}) }),
});

/** `replay TICK`: exit 1 when transcript and report are not the same to the byte; with another model, both assessments. */
export async function replayCommand(session: Session, tick: string, flags: { json: boolean; otherModel: boolean }): Promise<number> {
  const answer = await fetchJson(session, `/replay/${encodeURIComponent(tick)}${flags.otherModel ? '?model=now' : ''}`, { method: 'POST' });
  const { identical, parts, assessments } = Replayed.parse(answer);
  if (flags.json) session.out(`${JSON.stringify(answer, null, 2)}\n`);
  else if (flags.otherModel)
    session.out(`recorded:\n${JSON.stringify(assessments.recorded, null, 2)}\n\nnow:\n${JSON.stringify(assessments.replayed, null, 2)}\n`);
  else
    session.out(
      identical
        ? `tick ${tick}: identical transcript and report\n`
        : `tick ${tick}: they part at ${parts?.at}\n  recorded: ${parts?.recorded}\n  replayed: ${parts?.replayed}\n`,
    );
  return identical || flags.otherModel ? EXIT.done : EXIT.failed;
}
