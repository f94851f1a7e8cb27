import * as z from 'zod';
import { ConfigError, readYaml } from '../config.ts';
import { expand, NodeSetError } from '../nodeset.ts';
import { Severity } from '../model/condition.ts';

/** A folded set of names, as ClusterShell writes them, that expands within bounds. */
const NodeSet = z
  .string()
  .min(1)
  .superRefine((text, ctx) => {
    try {
      expand(text);
    } catch (error) {
      ctx.addIssue({
        code: 'custom',
        message: error instanceof NodeSetError ? error.message : 'expected a node set such as x1000c0s[0-7]b0n0',
      });
    }
  });

/** A moment as people write it: a day (its end in UTC counts), or an ISO 8601 time with zone. */
const Moment = z
  .string()
  .regex(
    /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/,
    'expected a day such as 2026-12-15, or an ISO 8601 time with zone',
  )
  .transform((text) => Date.parse(text.length === 10 ? `${text}T23:59:59.999Z` : text))
  .refine(Number.isFinite, 'no such day');

const Named = z.string().trim().min(1);

const FleetEntry = z.strictObject({ nodes: NodeSet, role: Named, image: Named.optional() });
const Role = z.strictObject({ image: Named.optional(), kernel: Named.optional() });
const Entry = { reason: Named, owner: Named, created: Moment.optional(), ticket: Named.optional() };
const KnownDown = z.strictObject({ nodes: NodeSet, ...Entry, expires: Moment });
const Maintenance = z.strictObject({ nodes: NodeSet, ...Entry, from: Moment, until: Moment });
const Silence = z
  .strictObject({
    kind: Named.optional(),
    nodes: NodeSet.optional(),
    subject: z.strictObject({ type: Named, id: Named }).optional(),
    /** The worst severity that it hides; absent = any. */
    severity: Severity.optional(),
    /** Without it, a finding that gets worse than when it was first silenced is shown again. */
    even_if_worse: z.boolean().optional(),
    ...Entry,
    expires: Moment,
  })
  .refine(
    (s) => s.kind !== undefined || s.nodes !== undefined || s.subject !== undefined,
    'a silence that matches everything is refused: give kind, nodes or subject',
  );
const Acknowledgement = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{32}$/, 'expected the id of a finding'),
  by: Named,
  reason: Named,
  until: Moment,
});
/** Types of place (switch, pdu, cdu, storage, …), each with the nodes behind every one of its names. */
const Topology = z.record(z.string(), z.record(z.string(), NodeSet));

const SECTIONS = {
  fleet: FleetEntry,
  known_down: KnownDown,
  maintenance: Maintenance,
  silences: Silence,
  acknowledgements: Acknowledgement,
} as const;

/** What a site expects of its cluster, as it keeps it in git. Times are ms since the epoch; node sets are folded. */
export interface GroundTruth {
  file: string;
  fleet: z.infer<typeof FleetEntry>[];
  roles: Record<string, z.infer<typeof Role>>;
  topology: z.infer<typeof Topology>;
  known_down: z.infer<typeof KnownDown>[];
  maintenance: z.infer<typeof Maintenance>[];
  silences: z.infer<typeof Silence>[];
  acknowledgements: z.infer<typeof Acknowledgement>[];
  /** Sections of which something was left out: what they do not say may have been meant. */
  faulty: string[];
}

/**
 * Parses a ground truth file. A wrong entry is left out and named with its line; the others stand.
 * @returns null and the mistake for a text that is no YAML mapping at all
 */
export function parseGroundTruth(
  text: string,
  { file, now }: { file: string; now: number },
): { groundTruth: GroundTruth | null; mistakes: readonly string[] } {
  let yaml: ReturnType<typeof readYaml>;
  try {
    yaml = readYaml(text, file);
  } catch (error) {
    return { groundTruth: null, mistakes: error instanceof ConfigError ? error.mistakes : [`${file}: ${(error as Error).message}`] };
  }
  const root = yaml.value ?? {};
  if (typeof root !== 'object' || Array.isArray(root))
    return { groundTruth: null, mistakes: [`${file}:1: expected a mapping with fleet, known_down, …`] };
  const mistakes: string[] = [];
  const faulty = new Set<string>();
  const blame = (path: [string, ...PropertyKey[]], error: z.ZodError): void => {
    faulty.add(path[0]);
    mistakes.push(...yaml.explain(error.issues.map((i) => ({ path: [...path, ...i.path], message: i.message }))));
  };
  const given = new Map(Object.entries(root as Record<string, unknown>));
  const list = <T>(name: string, schema: z.ZodType<T>): T[] => {
    const raw = given.get(name) ?? [];
    if (!Array.isArray(raw)) {
      faulty.add(name);
      mistakes.push(...yaml.explain([{ path: [name], message: 'expected a list' }]));
      return [];
    }
    return raw.flatMap((item, index) => {
      const parsed = schema.safeParse(item);
      if (!parsed.success) blame([name, index], parsed.error);
      return parsed.success ? [parsed.data] : [];
    });
  };
  const mapping = <T>(name: string, schema: z.ZodType<Record<string, T>>): Record<string, T> => {
    const parsed = schema.safeParse(given.get(name) ?? {});
    if (!parsed.success) blame([name], parsed.error);
    return parsed.success ? parsed.data : {};
  };
  for (const name of given.keys()) {
    if (!Object.hasOwn(SECTIONS, name) && name !== 'roles' && name !== 'topology') {
      mistakes.push(
        ...yaml.explain([
          { path: [name], message: `unknown section; known: ${[...Object.keys(SECTIONS), 'roles', 'topology'].join(', ')}` },
        ]),
      );
    }
  }
  const groundTruth: GroundTruth = {
    file,
    fleet: list('fleet', FleetEntry),
    roles: mapping('roles', z.record(z.string(), Role)),
    topology: mapping('topology', Topology),
    known_down: list('known_down', KnownDown),
    maintenance: list('maintenance', Maintenance).filter((m) => m.until > now),
    silences: list('silences', Silence).filter((s) => s.expires > now),
    acknowledgements: list('acknowledgements', Acknowledgement).filter((a) => a.until > now),
    faulty: [],
  };
  groundTruth.faulty.push(...faulty);
  return { groundTruth, mistakes };
}
