import type { ModelConfig } from '../config.ts';

/** What a run may use; a site sets them with its model. */
export type Limits = Pick<ModelConfig, 'timeout' | 'max_turns' | 'max_calls' | 'max_tokens' | 'context'>;

export const DEFAULT_LIMITS: Limits = { timeout: 120_000, max_turns: 12, max_calls: 40, max_tokens: 60_000 };
