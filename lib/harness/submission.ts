import * as z from 'zod';
import type { ToolOffer } from './client.ts';

const Text = z.string().max(600);
const Ids = z.array(z.string().max(200)).max(60);

/** What the terminal call hands in: stories that link findings, and observations of the model's own. */
export const Submission = z.strictObject({
  stories: z
    .array(
      z.strictObject({
        title: z.string().max(160),
        findings: Ids,
        priority: z.number().int().min(1).max(99),
        hypothesis: Text,
        counter_evidence: z.array(Text).max(6),
        next_checks: z.array(Text).max(6),
        confidence: z.enum(['low', 'medium', 'high']),
        evidence: Ids,
      }),
    )
    .max(12),
  observations: z.array(z.strictObject({ text: Text, evidence: Ids })).max(12),
});
export type Submission = z.infer<typeof Submission>;

const strings = { type: 'array', items: { type: 'string' } };

/** The one call that ends a run. Its schema is written out by hand in the subset that every grammar engine takes. */
export const SUBMIT: ToolOffer = {
  name: 'submit_report',
  description:
    'Ends the run. Stories link findings by id and say what may have caused them; observations are facts that no finding has. Each cites evidence: ids of findings, or refs that tools gave. Names and numbers must stand in what is cited.',
  parameters: {
    type: 'object',
    additionalProperties: false,
    required: ['stories', 'observations'],
    properties: {
      stories: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['title', 'findings', 'priority', 'hypothesis', 'counter_evidence', 'next_checks', 'confidence', 'evidence'],
          properties: {
            title: { type: 'string' },
            findings: strings,
            priority: { type: 'integer', description: '1 is the most urgent' },
            hypothesis: { type: 'string' },
            counter_evidence: strings,
            next_checks: strings,
            confidence: { type: 'string', enum: ['low', 'medium', 'high'] },
            evidence: strings,
          },
        },
      },
      observations: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['text', 'evidence'],
          properties: { text: { type: 'string' }, evidence: strings },
        },
      },
    },
  },
};
