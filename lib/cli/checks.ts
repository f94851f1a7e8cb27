import * as z from 'zod';
import { kinds } from '../findings/kinds.ts';
import { EXIT, fetchJson, type Session } from './session.ts';

/** `kinds`: every kind of condition that can occur, as a table or as JSON. */
export function kindsCommand(out: (text: string) => void, json: boolean): number {
  const all = [...kinds.values()].sort((a, b) => (a.kind < b.kind ? -1 : 1));
  if (json) out(`${JSON.stringify({ kinds: all }, null, 2)}\n`);
  else {
    out('| kind | severity | of | ends by | hint |\n|---|---|---|---|---|\n');
    for (const k of all) {
      const ends = 'after' in k.clears ? `${k.clears.by} ${k.clears.after}` : k.clears.by;
      out(
        `| ${k.kind} | ${k.severity} | ${k.subjects.join(', ')}${k.part ? ` (${k.part})` : ''} | ${ends} | ${k.hint.replaceAll('|', '\\|')} |\n`,
      );
    }
  }
  return EXIT.done;
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
