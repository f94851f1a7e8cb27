import type { Finding } from '../model/finding.ts';
import { hashId } from '../model/identity.ts';
import type { Assessment, Claim, Observation } from '../model/report.ts';
import { oneLine } from '../model/text.ts';
import { nodeSetOf } from '../nodeset.ts';
import type { ReadView } from '../tools/view.ts';
import { type Cited, Evidence } from './evidence.ts';
import { ungrounded } from './grounding.ts';
import { type Sign, signsIn } from './signs.ts';
import type { Submission } from './submission.ts';
import type { Shown } from './shown.ts';
import { changesSomething, objectionTo, withoutLinks } from './wording.ts';

export type Verified = Pick<Assessment, 'headline' | 'stories' | 'observations'> & {
  counts: Omit<Assessment['counts'], 'hijackSigns'>;
  /** Whether the fence's nonce stood in what was submitted. */
  leaked: boolean;
  /** Statements that speak to a model. */
  signs: Sign[];
};

const MAX_HEADLINE = 5;

/**
 * Holds what a model submitted against the evidence that it cites, which is read again. Ids that do not exist drop out, and
 * with the last of them the statement; words that no evidence holds are marked; a mark keeps a statement out of the headline.
 * Observations of its own need evidence that it was shown in this tick, and take their identity from that evidence alone.
 */
export async function verify(
  submission: Submission,
  view: ReadView,
  shown: Pick<Shown, 'has' | 'aside'>,
  nonce: string,
): Promise<Verified> {
  return new Verification(view, shown, nonce).run(submission);
}

class Verification {
  readonly #view: ReadView;
  readonly #evidence: Evidence;
  readonly #shown: Pick<Shown, 'has' | 'aside'>;
  readonly #nonce: string;
  readonly #counts = { claims: 0, verified: 0, dropped: 0 };
  readonly #signs: Sign[] = [];
  #leaked = false;

  constructor(view: ReadView, shown: Pick<Shown, 'has' | 'aside'>, nonce: string) {
    this.#view = view;
    this.#evidence = new Evidence(view, (id) => shown.aside(id));
    this.#shown = shown;
    this.#nonce = nonce;
  }

  async run(submission: Submission): Promise<Verified> {
    const stories: Assessment['stories'] = [];
    for (const story of submission.stories) {
      const made = await this.#story(story);
      if (made) stories.push(made);
    }
    stories.sort((a, b) => a.priority - b.priority);
    const observations = new Map<string, Observation>();
    for (const observation of submission.observations) {
      const made = await this.#observation(observation);
      if (made && !observations.has(made.id)) observations.set(made.id, made);
    }
    const headline = stories
      .filter((s) => s.hypothesis.verified)
      .slice(0, MAX_HEADLINE)
      .map((s) => s.hypothesis.text);
    return { headline, stories, observations: [...observations.values()], counts: this.#counts, leaked: this.#leaked, signs: this.#signs };
  }

  async #story(story: Submission['stories'][number]): Promise<Assessment['stories'][number] | null> {
    const findings = [...new Set(story.findings.flatMap((id) => this.#evidence.finding(id) ?? []))];
    if (findings.length === 0) return this.#drop();
    const cited = await this.#cite([...findings.map((f) => f.id), ...story.evidence]);
    const own = new Set(findings.map((f) => f.id));
    const basis: Basis = { findings, evidence: cited.filter((c) => !own.has(c.id)).map((c) => c.id), cited };
    const claim = (text: string): Claim | null => this.#claim(text, basis);
    const hypothesis = claim(`${story.title}: ${story.hypothesis}`);
    if (!hypothesis) return null;
    const title = withoutLinks(oneLine(story.title, 160));
    return {
      title: hypothesis.verified ? title : titleOf(findings),
      findings: findings.map((f) => f.id),
      priority: story.priority,
      hypothesis,
      counterEvidence: story.counter_evidence.flatMap((text) => claim(text) ?? []),
      nextChecks: story.next_checks.flatMap((text) => this.#check(text, basis)),
      confidence: story.confidence,
    };
  }

  async #observation({ text, severity, evidence }: Submission['observations'][number]): Promise<Observation | null> {
    const cited = (await this.#cite(evidence)).filter((c) => this.#shown.has(c.id));
    const made = cited.length === 0 ? this.#drop() : this.#claim(text, { findings: [], evidence: cited.map((c) => c.id), cited });
    if (!made) return null;
    const keys = [...new Set(cited.map((c) => c.key))].sort();
    return { ...made, id: hashId(['o1', this.#view.cluster, ...keys]), severity };
  }

  #claim(raw: string, { findings, evidence, cited }: Basis): Claim | null {
    if (raw.includes(this.#nonce)) {
      this.#leaked = true;
      return this.#drop();
    }
    this.#counts.claims++;
    this.#signs.push(...signsIn(raw, 'its report'));
    const text = withoutLinks(raw);
    const objection = objectionTo(raw, findings);
    const unverified = [...(text === raw ? [] : ['a link']), ...(objection === null ? [] : [objection]), ...unheld(text, cited)];
    const verified = unverified.length === 0;
    if (verified) this.#counts.verified++;
    return { text: oneLine(text, 600), findings: findings.map((f) => f.id), evidence: [...evidence], verified, unverified };
  }

  /** A next check is kept where it names nothing unknown and changes nothing. */
  #check(raw: string, { findings, cited }: Basis): string[] {
    this.#leaked ||= raw.includes(this.#nonce);
    const text = withoutLinks(raw);
    const bad = raw.includes(this.#nonce) || text !== raw || changesSomething(text) || objectionTo(text, findings) !== null;
    if (!bad && unheld(text, cited).length === 0) return [oneLine(text, 300)];
    this.#counts.dropped++;
    return [];
  }

  #drop(): null {
    this.#counts.claims++;
    this.#counts.dropped++;
    return null;
  }

  async #cite(ids: readonly string[]): Promise<Cited[]> {
    const cited = new Map<string, Cited>();
    for (const id of ids) {
      const found = await this.#evidence.cite(id.trim());
      if (found) cited.set(found.id, found);
    }
    return [...cited.values()];
  }
}

/** What statements of one story rest on. */
interface Basis {
  findings: readonly Finding[];
  evidence: readonly string[];
  cited: readonly Cited[];
}

function unheld(text: string, cited: readonly Cited[]): string[] {
  return ungrounded(
    text,
    cited.map((c) => c.ground),
    totalsOf(cited),
  );
}

/** Counts that the cited evidence adds up to: of findings, of subjects, of each set. */
function totalsOf(cited: readonly Cited[]): number[] {
  const findings = new Set(cited.flatMap((c) => c.findings));
  const subjects = new Set([...findings].map((f) => f.subject.id));
  const sets = [...new Set([...findings].map((f) => f.subjects))].filter((s) => s.includes('['));
  return [findings.size, subjects.size, cited.length, ...sets.map((s) => nodeSetOf(s).size)];
}

/** A title of code's own, for a story whose words do not hold. */
function titleOf(findings: readonly Finding[]): string {
  const [first, ...more] = findings;
  return first ? `${first.title} on ${first.subjects}${more.length > 0 ? ` and ${more.length} more` : ''}` : '';
}
