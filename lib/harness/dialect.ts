import * as z from 'zod';

/**
 * How an endpoint wants to be spoken to. Every request carries the dialect that it was sent in, so that a recording
 * shows what was tried; what an endpoint refuses is left out of the next request.
 */
export const Dialect = z.object({
  /** The model's id there, where it is another than the configured one. */
  model: z.string().nullable(),
  /** `native`: tools as the protocol has them; `text`: tools told in the prompt, calls written as JSON. */
  calls: z.enum(['native', 'text']),
  /** Whether schemas are sent as strict: what turns constrained decoding on in vLLM. */
  strict: z.boolean(),
  /** The strongest way to ask for one tool that it takes; `none`: the field is left out. */
  toolChoice: z.enum(['named', 'required', 'auto', 'none']),
  tokensField: z.enum(['max_tokens', 'max_completion_tokens']),
  /** Whether temperature, top_p, seed and penalties are sent. */
  sampling: z.boolean(),
  /** Without a system role, its text leads the first user turn. */
  systemRole: z.boolean(),
  /** Sends `chat_template_kwargs: {enable_thinking: false}`, for templates that know it. */
  thinkingOff: z.boolean(),
});
export type Dialect = z.infer<typeof Dialect>;

/** What every server of today takes, until it says otherwise. */
export const DEFAULT_DIALECT: Dialect = {
  model: null,
  calls: 'native',
  strict: true,
  toolChoice: 'named',
  tokensField: 'max_tokens',
  sampling: true,
  systemRole: true,
  thinkingOff: false,
};

/** What of a request an endpoint can refuse by name. */
export const FIELDS = ['strict', 'tool_choice', 'tools', 'max_tokens', 'sampling', 'system', 'thinking'] as const;
export type Field = (typeof FIELDS)[number];

/** The dialect without what was refused; null where nothing is left to leave out. */
export function without(dialect: Dialect, field: Field): Dialect | null {
  switch (field) {
    case 'strict':
      return dialect.strict ? { ...dialect, strict: false } : null;
    case 'tool_choice':
      return weaker(dialect);
    case 'tools':
      return dialect.calls === 'native' ? { ...dialect, calls: 'text' } : null;
    case 'max_tokens':
      return dialect.tokensField === 'max_tokens' ? { ...dialect, tokensField: 'max_completion_tokens' } : null;
    case 'sampling':
      return dialect.sampling ? { ...dialect, sampling: false } : null;
    case 'system':
      return dialect.systemRole ? { ...dialect, systemRole: false } : null;
    case 'thinking':
      return dialect.thinkingOff ? { ...dialect, thinkingOff: false } : null;
  }
}

const WEAKER = { named: 'required', required: 'auto', auto: 'none', none: null } as const;

function weaker(dialect: Dialect): Dialect | null {
  const toolChoice = WEAKER[dialect.toolChoice];
  return toolChoice === null ? null : { ...dialect, toolChoice };
}
