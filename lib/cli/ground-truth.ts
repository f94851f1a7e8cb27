import * as z from 'zod';
import { stringify } from 'yaml';
import { parseGroundTruth } from '../findings/ground-truth.ts';
import { lintGroundTruth } from '../findings/lint.ts';
import { setText } from '../findings/set-text.ts';
import { Covers } from '../findings/suppress.ts';
import { Finding } from '../model/finding.ts';
import { oneLine } from '../model/text.ts';
import { Duration, toIso } from '../model/time.ts';
import { Story } from '../steps/story.ts';
import { count, nameOf } from '../report/words.ts';
import { CommandFailed, EXIT, fetchJson, type Session } from './session.ts';

const Linted = z.object({ file: z.string(), mistakes: z.array(z.string()), withoutInventory: z.string().nullable() });

/** `lint [FILE]`: exit 1 where there is something to mend. A file is checked as it would be in place of the configured one. */
export async function lintCommand(session: Session, given: { text: string; file: string } | undefined, json: boolean): Promise<number> {
  const query = given && `?file=${encodeURIComponent(given.file)}`;
  const answer = Linted.parse(await fetchJson(session, `/ground-truth/lint${query ?? ''}`, given && { method: 'POST', body: given.text }));
  return tellMistakes(session, answer, json);
}

/** `lint FILE` where nothing is configured: the file alone, as a hook of git has it. */
export function lintAlone(
  out: (text: string) => void,
  given: { text: string; file: string },
  flags: { now: number; json: boolean },
): number {
  const mistakes = lintGroundTruth(given.text, { file: given.file, now: flags.now });
  return tellMistakes({ out }, { file: given.file, mistakes, withoutInventory: 'no configuration is given' }, flags.json);
}

function tellMistakes({ out }: Pick<Session, 'out'>, linted: z.infer<typeof Linted>, json: boolean): number {
  const { file, mistakes, withoutInventory } = linted;
  if (json) out(`${JSON.stringify(linted, null, 2)}\n`);
  else {
    for (const mistake of mistakes) out(`${mistake}\n`);
    const against = withoutInventory === null ? 'checked against the inventory' : `not checked against the inventory: ${withoutInventory}`;
    out(`${file}: ${mistakes.length === 0 ? 'nothing to mend' : count(mistakes.length, 'thing') + ' to mend'} (${against})\n`);
  }
  return mistakes.length > 0 ? EXIT.failed : EXIT.done;
}

export interface SilenceFlags {
  kind?: string;
  nodes?: string;
  severity?: string;
  evenIfWorse?: boolean;
  until: string;
  reason: string;
  owner?: string | undefined;
  ticket?: string;
}

const Listed = z.looseObject({ findings: z.array(Finding) });

/**
 * `silence [ID] [--kind K] [--nodes SET] --until T --reason R`: prints the entry that a site puts into its ground truth, and
 * on stderr what it would hide now. Nothing is written, and what the ground truth would refuse is refused here.
 */
export async function silenceCommand(session: Session, id: string | undefined, flags: SilenceFlags): Promise<number> {
  const now = session.now();
  const of = id === undefined ? null : aboutOf(await storyOf(session, id));
  const entry = {
    ...((flags.kind ?? of?.kind) !== undefined && { kind: flags.kind ?? of?.kind }),
    ...(flags.nodes !== undefined && { nodes: flags.nodes }),
    ...(of && flags.nodes === undefined && { subject: of.subject }),
    ...(flags.severity !== undefined && { severity: flags.severity }),
    ...(flags.evenIfWorse && { even_if_worse: true }),
    reason: flags.reason,
    owner: ownerOf(flags.owner),
    created: toIso(now).slice(0, 10),
    expires: momentOf(flags.until, now),
    ...(flags.ticket !== undefined && { ticket: flags.ticket }),
  };
  const text = checked('silences', entry, now);
  const { groundTruth } = parseGroundTruth(text, { file: 'silence', now });
  const covers = new Covers(groundTruth, { why: 'not asked' }, now);
  const { findings } = Listed.parse(await fetchJson(session, '/findings'));
  const open = findings.filter((f) => f.state !== 'resolved');
  const hidden = open.filter(({ kind, severity, subject, knownAs }) => {
    const names = knownAs === undefined ? [subject.id] : [subject.id, knownAs];
    return covers.of({ kind, severity, subject, names, held: undefined })?.hides === true;
  });
  session.out(text);
  const names = setText([...new Set(hidden.map((f) => f.subject.id))], 400);
  session.err(
    hidden.length === 0
      ? `it hides nothing that is open now (${count(open.length, 'finding')})\n`
      : `it hides ${hidden.length} of ${count(open.length, 'open finding')} now: ${oneLine(names, 500)}\n`,
  );
  return EXIT.done;
}

export interface AckFlags {
  until: string;
  reason: string;
  by?: string | undefined;
  anyEpisode?: boolean;
}

/** `ack ID --until T --reason R`: prints the acknowledgement of what is open, for its present episode unless told otherwise. */
export async function ackCommand(session: Session, id: string, flags: AckFlags): Promise<number> {
  const now = session.now();
  const story = await storyOf(session, id);
  const { finding } = story;
  if (!finding || finding.state === 'resolved' || finding.state === 'candidate')
    throw new CommandFailed(`${story.id} is ${finding?.state ?? 'not in the last report'}: only what is open can be acknowledged`);
  const entry = {
    id: story.id,
    ...(flags.anyEpisode !== true && { episode: finding.episode }),
    by: ownerOf(flags.by),
    reason: flags.reason,
    until: momentOf(flags.until, now),
  };
  session.out(checked('acknowledgements', entry, now, `${finding.severity} ${oneLine(finding.title, 120)}: ${nameOf(finding)}`));
  return EXIT.done;
}

async function storyOf(session: Session, id: string): Promise<Story> {
  return Story.parse(await fetchJson(session, `/findings/${encodeURIComponent(id)}`));
}

function aboutOf({ id, finding, heldBack }: Story): Pick<Finding, 'kind' | 'subject'> {
  const about = finding ?? heldBack;
  if (!about) throw new CommandFailed(`${id} is not in the last report: give --kind and --nodes instead`);
  return about;
}

function ownerOf(given: string | undefined): string {
  if (given === undefined) throw new CommandFailed('who? give --owner (of a silence) or --by (of an acknowledgement)', EXIT.usage);
  return given;
}

/** `7d` from now, or a day or time as it is. */
function momentOf(text: string, now: number): string {
  const duration = Duration.safeParse(text);
  return duration.success ? `${toIso(now + duration.data).slice(0, 16)}Z` : text;
}

/** An entry as YAML below its section. @throws CommandFailed where a ground truth would not take it */
function checked(section: 'silences' | 'acknowledgements', entry: object, now: number, comment?: string): string {
  const about = comment === undefined ? '' : `  # ${comment}\n`;
  const text = `${section}:\n${about}  - ${stringify(entry, { collectionStyle: 'flow', lineWidth: 0 }).trim()}\n`;
  const mistakes = lintGroundTruth(text, { file: section, now });
  if (mistakes.length > 0) {
    const told = mistakes.map((m) => m.replace(/^\w+:\d+: (?:\w+\.0(?:\.|: ))?/, ''));
    throw new CommandFailed(`the ground truth would not take this:\n${told.map((m) => `  ${m}`).join('\n')}`, EXIT.usage);
  }
  return text;
}
