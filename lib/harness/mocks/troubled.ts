import { reasoned } from './honest.ts';
import { calling, type Mock, type Reply } from './wire.ts';

/** A server that answers after any patience: the beginning at once, the end never. */
export const slow: Mock = async (asked) => ({
  ...calling(asked, await reasoned(asked)),
  delay: asked.turn === 0 ? 50 : 3_600_000,
  drip: 3_600_000,
});

const FAULTS: readonly Reply[] = [
  { status: 429, headers: { 'retry-after': '0' }, body: { error: { message: 'Too many requests', type: 'rate_limit_error', code: 429 } } },
  { status: 500, body: { object: 'error', message: 'Internal Server Error', type: 'InternalServerError', code: 500 } },
  {
    status: 503,
    headers: { 'retry-after-ms': '10' },
    body: { error: { message: 'Loading model', type: 'unavailable_error', code: 503 } },
  },
  { cut: true },
  { status: 503, headers: { 'retry-after-ms': '10' }, body: '<html><body>Service Unavailable</body></html>' },
];

/** A server that fails every other time, each time in another way. */
export const flaky: Mock = async (asked) => {
  const fault = asked.nth % 2 === 0 ? FAULTS[(asked.nth / 2) % FAULTS.length] : undefined;
  return fault ?? calling(asked, await reasoned(asked));
};

/** Instructions, menu and briefing fit in, and a few results. */
const CONTEXT = 9000;

const FULL: readonly ((prompt: number, asked: number) => Reply)[] = [
  (prompt, max) => ({
    status: 400,
    body: {
      object: 'error',
      message: `This model's maximum context length is ${CONTEXT} tokens. However, you requested ${prompt + max} tokens (${prompt} in the messages, ${max} in the completion). Please reduce the length of the messages or completion.`,
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  }),
  (prompt) => ({
    status: 400,
    body: {
      error: {
        code: 400,
        message: `request (${prompt} tokens) exceeds the available context size (${CONTEXT} tokens), try increasing it`,
        type: 'exceed_context_size_error',
        n_prompt_tokens: prompt,
        n_ctx: CONTEXT,
      },
    },
  }),
  () => ({
    status: 400,
    body: { error: { message: 'the request exceeds the available context size, try increasing it', code: 'context_length_exceeded' } },
  }),
];

/** A server whose context is soon full, and which says so in another way each time. */
export const overflow: Mock = async (asked) => {
  if (asked.tokens + asked.maxTokens > CONTEXT)
    return (FULL[asked.nth % FULL.length] as (typeof FULL)[number])(asked.tokens, asked.maxTokens);
  return calling(asked, await reasoned(asked));
};
