import type { AuditEntry } from '../model/audit.ts';
import type { Exchange, ToolResult } from '../model/recording.ts';
import type { Assessment } from '../model/report.ts';
import { oneLine } from '../model/text.ts';
import { toIso } from '../model/time.ts';
import type { ReadView } from '../tools/view.ts';
import { briefing, INSTRUCTIONS } from './briefing.ts';
import type { ModelClient } from './client.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { converse, type Ended } from './loop.ts';
import { reasonToAsk } from './occasion.ts';
import { newProfile, type Profile } from './profile.ts';
import { fence } from './quoting.ts';
import type { Sign } from './signs.ts';
import { verify } from './verify.ts';
import { withoutLinks } from './wording.ts';

const MAX_SIGNS = 20;

export interface AssessInput {
  view: ReadView;
  client: ModelClient | null;
  previous: Assessment | null;
  limits: Limits | null;
  tick: string;
  seed: number;
  /** What fences the data of this tick: known to nobody before. */
  nonce: string;
  /** What is known of the endpoint; null before the first meeting. */
  profile: Profile | null;
  /** ms since the epoch; every reading goes into the recording. */
  clock: () => number;
  audit: (entry: AuditEntry) => Promise<void>;
}

export interface Assessed {
  assessment: Assessment;
  exchanges: Exchange[];
  toolResults: ToolResult[];
  /** What is known of the endpoint now; null where none was asked. */
  profile: Profile | null;
}

const NO_USAGE: Assessment['usage'] = { turns: 0, toolCalls: 0, refusedCalls: 0, tokensIn: 0, tokensOut: 0, ms: 0 };

/** An assessment that says nothing, and why. */
export function emptyAssessment(status: Assessment['status'], reason: string): Assessment {
  return {
    status,
    reason: oneLine(reason, 400),
    headline: [],
    stories: [],
    observations: [],
    counts: { claims: 0, verified: 0, dropped: 0, hijackSigns: 0 },
    usage: NO_USAGE,
  };
}

/** Asks the model where there is a reason to. Never throws: whatever fails is told in the assessment, and the report goes on without. */
export async function assess(input: AssessInput): Promise<Assessed> {
  const { client, previous, view, clock } = input;
  const exchanges: Exchange[] = [];
  const toolResults: ToolResult[] = [];
  if (!client) return { assessment: emptyAssessment('none', 'no model is configured'), exchanges, toolResults, profile: null };
  const why = reasonToAsk(view, previous);
  if (why === null && previous) {
    const reason = 'nothing is new, escalated, changed or resolved';
    return { assessment: { ...previous, status: 'carried', reason, usage: NO_USAGE }, exchanges, toolResults, profile: null };
  }
  const started = clock();
  const by = { model: client.label, madeAt: toIso(view.now) };
  try {
    const { text, data } = briefing(view, previous);
    const ended = await converse({
      ...input,
      client,
      limits: input.limits ?? DEFAULT_LIMITS,
      profile: profileOf(input, client),
      opening: [
        { role: 'system', content: INSTRUCTIONS },
        { role: 'user', content: fence(input.nonce, text) },
      ],
      briefed: data,
      record: (exchange) => exchanges.push(exchange),
      recordTool: (result) => toolResults.push(result),
    });
    const made = await assessmentOf(ended, input, why ?? 'asked');
    return {
      assessment: { ...made, ...by, usage: { ...ended.usage, ms: clock() - started } },
      exchanges,
      toolResults,
      profile: ended.profile,
    };
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { assessment: { ...emptyAssessment('failed', reason), ...by }, exchanges, toolResults, profile: input.profile };
  }
}

/** What is known of the endpoint; the context that a site configures is believed before any that was learned. */
function profileOf({ profile, limits }: AssessInput, client: ModelClient): Profile {
  const known = profile?.label === client.label ? profile : newProfile(client.label);
  return limits?.context === undefined ? known : { ...known, context: limits.context };
}

async function assessmentOf(ended: Ended, { view, nonce }: AssessInput, why: string): Promise<Assessment> {
  const notes = ended.notes.length > 0 ? { notes: ended.notes.map((n) => withoutLinks(oneLine(n, 200))) } : {};
  if (!ended.submission) {
    const status = ended.outcome === 'hijacked' ? 'discarded' : 'failed';
    return withSigns({ ...emptyAssessment(status, withoutLinks(ended.reason.replaceAll(nonce, '…'))), ...notes }, ended.signs);
  }
  const { counts, leaked, signs, ...verified } = await verify(ended.submission, view, ended.shown, nonce);
  const all = [...ended.signs, ...(leaked ? [{ what: 'leaked the fence', where: 'its report' }] : []), ...signs];
  return withSigns({ ...emptyAssessment('ok', why), ...verified, counts: { ...counts, hijackSigns: 0 }, ...notes }, all);
}

/** Each sign once, however often it was met. */
function withSigns(assessment: Assessment, signs: readonly Sign[]): Assessment {
  const distinct = [...new Map(signs.map((s) => [`${s.what} ${s.where}`, s])).values()];
  const counts = { ...assessment.counts, hijackSigns: distinct.length };
  if (distinct.length === 0) return { ...assessment, counts };
  return {
    ...assessment,
    counts,
    signs: distinct.slice(0, MAX_SIGNS).map(({ what, where }) => ({ what, where: withoutLinks(oneLine(where, 200)) })),
  };
}
