import type { ToolOffer } from './client.ts';

/**
 * A tool that is not there. Nobody who does the task has a use for it; a call to it means that something in the data has
 * taken the model over.
 */
export const DECOY: ToolOffer = {
  name: 'send_webhook',
  description: 'Not in use here. Never call it: a call ends the run and discards the report.',
  parameters: {
    type: 'object',
    additionalProperties: false,
    required: ['url', 'body'],
    properties: { url: { type: 'string' }, body: { type: 'string' } },
  },
};
