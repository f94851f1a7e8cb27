import * as z from 'zod';
import { expand } from '../../nodeset.ts';
import { CLASSES } from './classify.ts';

const NodeSet = z.string().superRefine((set, context) => {
  try {
    expand(set);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
});

const Override = z
  .strictObject({
    /** Which entries: a node set of names or aliases, and/or HPCM's type, template, system or custom group. All must hold. */
    nodes: NodeSet.optional(),
    type: z.string().toLowerCase().optional(),
    template: z.string().toLowerCase().optional(),
    group: z.string().toLowerCase().optional(),
    class: z.enum(CLASSES).optional(),
    role: z.string().min(1).max(60).optional(),
  })
  .refine(
    (o) => o.nodes !== undefined || o.type !== undefined || o.template !== undefined || o.group !== undefined,
    'says nowhere which entries: nodes, type, template or group',
  )
  .refine((o) => o.class !== undefined || o.role !== undefined, 'says neither a class nor a role');

/** The source's own configuration. */
export const Options = z.strictObject({
  /** What the site knows better than the names do; the first that matches an entry counts. */
  overrides: z.array(Override).default([]),
  /** The image that a role, system group, template or class should have; without it, most of a population decides. */
  expected_images: z.record(z.string().toLowerCase(), z.string().min(1)).default({}),
  /** The attribute of an image group by which the site marks changes that are not committed. */
  dirty_attribute: z.string().min(1).default('dirty'),
});
export type Options = z.infer<typeof Options>;
export type Override = Options['overrides'][number];
