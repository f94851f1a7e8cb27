import * as z from 'zod';
import type { ToolOffer } from './client.ts';

/** A text that is cut where it is too long: a report is not refused for its length. */
const text = (max: number) => z.string().transform((t) => (t.length > max ? t.slice(0, max) : t));
const list = <T extends z.ZodType>(of: T, max: number) =>
  z
    .array(of)
    .nullish()
    .transform((items) => (items ?? []).slice(0, max));
const Ids = list(text(300), 200);

const Story = z.object({
  title: text(160),
  findings: Ids,
  priority: z
    .number()
    .transform((n) => Math.min(99, Math.max(1, Math.round(n))))
    .catch(50),
  hypothesis: text(600),
  counter_evidence: list(text(400), 6),
  next_checks: list(text(300), 6),
  confidence: z.enum(['low', 'medium', 'high']).catch('low'),
  evidence: Ids,
});
const Observation = z.object({
  text: text(600),
  /** A model's own observation is a warning at most, whatever it says. */
  severity: z.enum(['info', 'warning']).catch('warning'),
  evidence: Ids,
});

/** What the terminal call hands in: stories that link findings, and observations of the model's own. */
export const Submission = z.object({ stories: list(Story, 12), observations: list(Observation, 12) });
export type Submission = z.infer<typeof Submission>;

const strings = { type: 'array', items: { type: 'string' } };

/** The one call that ends a run. Its schema is written out by hand in the subset that every grammar engine takes. */
export const SUBMIT: ToolOffer = {
  name: 'submit_report',
  description:
    'Ends the run. Stories link findings by id and say what may have caused them; observations are facts that no finding has. Each cites evidence: ids of findings, or refs, as the tools gave them. Every name and number must stand in what is cited.',
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
            findings: { ...strings, description: 'ids of the findings that it links' },
            priority: { type: 'integer', description: '1 is the most urgent' },
            hypothesis: { type: 'string', description: 'the likely common cause, in one sentence' },
            counter_evidence: { ...strings, description: 'what speaks against it' },
            next_checks: { ...strings, description: 'read-only checks for a person' },
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
          required: ['text', 'severity', 'evidence'],
          properties: { text: { type: 'string' }, severity: { type: 'string', enum: ['info', 'warning'] }, evidence: strings },
        },
      },
    },
  },
};
