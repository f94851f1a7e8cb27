import type { ModelConfig } from '../config.ts';
import type { AuditEntry } from '../model/audit.ts';
import { sha256Hex } from '../model/identity.ts';
import type { Exchange, ToolResult } from '../model/recording.ts';
import type { Assessment } from '../model/report.ts';
import { oneLine } from '../model/text.ts';
import { parseDuration, toIso } from '../model/time.ts';
import type { ReadView } from '../tools/view.ts';
import { briefing, INSTRUCTIONS } from './briefing.ts';
import type { ModelClient } from './client.ts';
import { converse } from './loop.ts';
import { verify } from './verify.ts';

/** What a run may use; a site sets them with its model. */
export type Limits = Pick<ModelConfig, 'timeout' | 'max_turns' | 'max_calls' | 'max_tokens'>;

const DEFAULT_LIMITS: Limits = { timeout: 120_000, max_turns: 12, max_calls: 40, max_tokens: 60_000 };
/** An assessment that nothing has called into question holds for as long as this. */
const HOLDS_FOR = parseDuration('6h');

export interface AssessInput {
  view: ReadView;
  client: ModelClient | null;
  previous: Assessment | null;
  limits: Limits | null;
  tick: string;
  seed: number;
  /** ms since the epoch; every reading goes into the recording. */
  clock: () => number;
  audit: (entry: AuditEntry) => Promise<void>;
}

export interface Assessed {
  assessment: Assessment;
  exchanges: Exchange[];
  toolResults: ToolResult[];
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
  if (!client) return { assessment: emptyAssessment('none', 'no model is configured'), exchanges: [], toolResults: [] };
  const why = reasonToAsk(view, previous);
  if (why === null && previous)
    return {
      assessment: { ...previous, status: 'carried', reason: 'nothing is new, escalated, changed or resolved', usage: NO_USAGE },
      exchanges: [],
      toolResults: [],
    };
  const started = clock();
  const nonce = sha256Hex(`${input.tick}:${input.seed}`).slice(0, 16);
  const exchanges: Exchange[] = [];
  const toolResults: ToolResult[] = [];
  try {
    const ended = await converse({
      ...input,
      client,
      limits: input.limits ?? DEFAULT_LIMITS,
      opening: [
        { role: 'system', content: INSTRUCTIONS },
        { role: 'user', content: `<DATA ${nonce}>\n${briefing(view, previous)}\n</DATA ${nonce}>` },
      ],
      nonce,
      record: (exchange) => exchanges.push(exchange),
      recordTool: (result) => toolResults.push(result),
    });
    const usage = { ...ended.usage, ms: clock() - started };
    const base = { model: client.label, madeAt: toIso(view.now), usage };
    if (!ended.submission) return { assessment: { ...emptyAssessment('failed', ended.reason), ...base }, exchanges, toolResults };
    const { counts, ...verified } = verify(ended.submission, view, ended.shown);
    return {
      assessment: { ...base, status: 'ok', reason: why ?? 'asked', ...verified, counts: { ...counts, hijackSigns: 0 } },
      exchanges,
      toolResults,
    };
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { assessment: { ...emptyAssessment('failed', reason), model: client.label, madeAt: toIso(view.now) }, exchanges, toolResults };
  }
}

/** Why the model is asked now; null while the last assessment still holds. */
function reasonToAsk(view: ReadView, previous: Assessment | null): string | null {
  if (!previous?.madeAt || (previous.status !== 'ok' && previous.status !== 'carried')) return 'there is no earlier assessment that holds';
  const madeAt = previous.madeAt;
  if (view.now - Date.parse(madeAt) > HOLDS_FOR) return 'the last assessment is over 6 hours old';
  const news = view.findings.find((f) => f.state === 'new' || (f.resolvedAt !== undefined && f.resolvedAt === toIso(view.now)));
  if (news) return `${news.state}: ${news.kind} on ${news.subject.id}`;
  return view.changes.some((c) => c.changed.length > 0) ? 'conditions changed' : null;
}
