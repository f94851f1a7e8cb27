import * as z from 'zod';
import { ConfigError, readYaml } from '../config.ts';
import { fold, NodeSetError, nodeSetOf } from '../nodeset.ts';
import { subjectId } from '../model/identity.ts';
import { frozen } from '../model/json.ts';
import { Severity } from '../model/condition.ts';

/** The names of a set as sources give them: in lower case, without the site's domains. */
function sourceNames(set: string, nodeDomains: readonly string[]): string {
  if (!/[A-Z]/.test(set) && !nodeDomains.some((domain) => set.includes(domain))) return set;
  return fold([...nodeSetOf(set)].map((name) => subjectId('node', name, nodeDomains) ?? name));
}

/** A folded set of names, as ClusterShell writes them, that expands within bounds. */
const nodeSet = (nodeDomains: readonly string[]) =>
  z
    .string()
    .min(1)
    .superRefine((text, ctx) => {
      try {
        if (nodeSetOf(text).size === 0) ctx.addIssue({ code: 'custom', message: 'a node set without a node' });
      } catch (error) {
        ctx.addIssue({
          code: 'custom',
          message: error instanceof NodeSetError ? error.message : 'expected a node set such as x1000c0s[0-7]b0n0',
        });
      }
    })
    .transform((text, ctx) => (ctx.issues.length > 0 ? z.NEVER : sourceNames(text, nodeDomains)));

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

const Entry = { reason: Named, owner: Named, created: Moment.optional(), ticket: Named.optional() };

function schemas(nodeDomains: readonly string[]) {
  const nodes = nodeSet(nodeDomains);
  return {
    fleet: z.strictObject({ nodes, role: Named, image: Named.optional() }),
    role: z.strictObject({ image: Named.optional(), kernel: Named.optional() }),
    place: nodes,
    known_down: z.strictObject({ nodes, ...Entry, expires: Moment }),
    maintenance: z.strictObject({ nodes, ...Entry, from: Moment, until: Moment }).refine((m) => m.from < m.until, {
      message: 'ends before it begins',
      path: ['until'],
    }),
    silences: z
      .strictObject({
        kind: Named.optional(),
        nodes: nodes.optional(),
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
      ),
    acknowledgements: z.strictObject({
      id: z.string().regex(/^[0-9a-f]{32}$/, 'expected the id of a finding'),
      by: Named,
      reason: Named,
      until: Moment,
      /** Only this episode; absent = whichever is open. */
      episode: z.number().int().positive().optional(),
    }),
  };
}

type Schemas = ReturnType<typeof schemas>;
type Entries<Section extends keyof Schemas> = z.infer<Schemas[Section]>[];

/** Sections that are lists of entries. */
export const LISTS = ['fleet', 'known_down', 'maintenance', 'silences', 'acknowledgements'] as const;
const SECTIONS: readonly string[] = [...LISTS, 'roles', 'topology'];

/** What a site expects of its cluster, as it keeps it in git. Times are ms since the epoch; node sets are folded. */
export interface GroundTruth {
  file: string;
  fleet: Entries<'fleet'>;
  roles: Record<string, z.infer<Schemas['role']>>;
  /** Types of place (switch, pdu, cdu, storage, …), each with the nodes behind every one of its names. */
  topology: Record<string, Record<string, string>>;
  known_down: Entries<'known_down'>;
  /** Those that are over stay for a day: they may be why something is as it is. */
  maintenance: Entries<'maintenance'>;
  silences: Entries<'silences'>;
  acknowledgements: Entries<'acknowledgements'>;
  /** Sections of which something was left out: what they do not say may have been meant. */
  faulty: string[];
}

/** A ground truth as it is written, what has run out included, and a way to say where something stands. */
export interface WrittenTruth {
  groundTruth: GroundTruth;
  mistakes: string[];
  /** `file:line: section.index: message` of an entry of a list, counted as it is written. */
  at: (section: (typeof LISTS)[number], entry: object, message: string) => string;
  /** The same of a place of the topology. */
  atPlace: (type: string, name: string, message: string) => string;
}

export interface ReadOptions {
  /** How mistakes name the text: a file's path, or a binding's name. */
  file: string;
  now: number;
  nodeDomains?: readonly string[];
}

const DAY = 864e5;
/** A silence that ends later than this is one that never ends. */
const LONGEST_SILENCE = 366 * DAY;

/**
 * Parses a ground truth file. A wrong entry is left out and named with its line; the others stand. What has run out is
 * left out silently, but for known-down nodes, whose end is told.
 * @returns null and the mistake for a text that is no YAML mapping at all
 */
export function parseGroundTruth(text: string, options: ReadOptions): { groundTruth: GroundTruth | null; mistakes: readonly string[] } {
  const written = readGroundTruth(text, options);
  if ('unreadable' in written) return { groundTruth: null, mistakes: written.unreadable };
  const { groundTruth, mistakes } = written;
  const { now } = options;
  return {
    groundTruth: {
      ...groundTruth,
      maintenance: groundTruth.maintenance.filter((m) => m.until > now - DAY),
      silences: groundTruth.silences.filter((s) => s.expires > now),
      acknowledgements: groundTruth.acknowledgements.filter((a) => a.until > now),
    },
    mistakes,
  };
}

/** Reads a ground truth file as it is written: everything that can be understood, and every mistake. */
export function readGroundTruth(
  text: string,
  { file, now, nodeDomains = [] }: ReadOptions,
): WrittenTruth | { unreadable: readonly string[] } {
  const understood = lastUnderstood(text, file, nodeDomains);
  if ('unreadable' in understood) return understood;
  const { sections, mistakes, places, say } = understood;
  const refused: Mistake[] = [];
  const silences = sections.silences.filter((silence) => {
    const why = refusal(silence, sections.fleet, now);
    if (why !== null) refused.push({ section: 'silences', text: say(places.get(silence) ?? ['silences'], why) });
    return why === null;
  });
  const inOrder = [...mistakes.before, ...refused, ...mistakes.after];
  return {
    groundTruth: { ...sections, silences, faulty: [...new Set(inOrder.map((m) => m.section))] },
    mistakes: inOrder.map((m) => m.text),
    at: (section, entry, message) => say(places.get(entry) ?? [section], message),
    atPlace: (type, name, message) => say(['topology', type, name], message),
  };
}

interface Mistake {
  section: string;
  text: string;
}

/** What a text says, whenever it is asked. */
interface Understood {
  sections: Omit<GroundTruth, 'faulty'>;
  /** Those of the sections up to silences, and of those after. */
  mistakes: { before: Mistake[]; after: Mistake[] };
  /** Where each entry of a list stands. */
  places: ReadonlyMap<object, PropertyKey[]>;
  /** A message with the line of a path before it. */
  say: (path: PropertyKey[], message: string) => string;
}

type Last = { text: string; file: string; nodeDomains: string; understood: Understood | { unreadable: readonly string[] } };
/** Few files are read in one process, and the same from tick to tick. */
const last: Last[] = [];
const MAX_LAST = 4;

/** As {@link understand}, once for a text for as long as nothing else is read: its entries are the same objects each time. */
function lastUnderstood(text: string, file: string, domains: readonly string[]): Last['understood'] {
  const nodeDomains = JSON.stringify(domains);
  const at = last.findIndex((l) => l.text === text && l.file === file && l.nodeDomains === nodeDomains);
  const [known] = at < 0 ? [] : last.splice(at, 1);
  const entry = known ?? { text, file, nodeDomains, understood: understand(text, file, domains) };
  last.unshift(entry);
  last.length = Math.min(last.length, MAX_LAST);
  return entry.understood;
}

function understand(text: string, file: string, nodeDomains: readonly string[]): Last['understood'] {
  let yaml: ReturnType<typeof readYaml>;
  try {
    yaml = readYaml(text, file);
  } catch (error) {
    return { unreadable: error instanceof ConfigError ? error.mistakes : [`${file}: ${(error as Error).message}`] };
  }
  const root = yaml.value ?? {};
  if (typeof root !== 'object' || Array.isArray(root)) return { unreadable: [`${file}:1: expected a mapping with fleet, known_down, …`] };
  let mistakes: Mistake[] = [];
  const blame = (path: [string, ...PropertyKey[]], issues: readonly { path: PropertyKey[]; message: string }[]): void => {
    const texts = yaml.explain(issues.map((i) => ({ path: [...path, ...i.path], message: i.message })));
    mistakes.push(...texts.map((said) => ({ section: path[0], text: said })));
  };
  const given = new Map(Object.entries(root as Record<string, unknown>));
  for (const name of given.keys()) {
    if (!SECTIONS.includes(name)) blame([name], [{ path: [], message: `unknown section; known: ${SECTIONS.join(', ')}` }]);
  }
  const places = new Map<object, PropertyKey[]>();
  const list = <T extends object>(name: string, schema: z.ZodType<T>): T[] => {
    const raw = given.get(name) ?? [];
    if (!Array.isArray(raw)) {
      blame([name], [{ path: [], message: 'expected a list' }]);
      return [];
    }
    return raw.flatMap((item, index) => {
      const parsed = schema.safeParse(item);
      if (!parsed.success) {
        blame([name, index], parsed.error.issues);
        return [];
      }
      places.set(parsed.data, [name, index]);
      return [parsed.data];
    });
  };
  const mapping = <T>(
    path: [string, ...PropertyKey[]],
    raw: unknown,
    read: (key: string, value: unknown) => T | null,
  ): Record<string, T> => {
    if (raw === undefined || raw === null) return {};
    if (typeof raw !== 'object' || Array.isArray(raw)) {
      blame(path, [{ path: [], message: 'expected a mapping' }]);
      return {};
    }
    const members = Object.entries(raw).map(([key, value]) => [key, read(key, value)] as const);
    return Object.fromEntries(members.filter((pair): pair is [string, Awaited<T>] => pair[1] !== null));
  };
  const member = <T>(path: [string, ...PropertyKey[]], schema: z.ZodType<T>, value: unknown): T | null => {
    const parsed = schema.safeParse(value);
    if (!parsed.success) blame(path, parsed.error.issues);
    return parsed.success ? parsed.data : null;
  };
  const schema = schemas(nodeDomains);
  const fleet = list('fleet', schema.fleet);
  const silences = list('silences', schema.silences);
  const before = mistakes;
  mistakes = [];
  const sections = {
    file,
    fleet,
    roles: mapping(['roles'], given.get('roles'), (name, role) => member(['roles', name], schema.role, role)),
    topology: mapping(['topology'], given.get('topology'), (type, named) =>
      mapping(['topology', type], named, (name, nodes) => member(['topology', type, name], schema.place, nodes)),
    ),
    known_down: list('known_down', schema.known_down),
    maintenance: list('maintenance', schema.maintenance),
    silences,
    acknowledgements: list('acknowledgements', schema.acknowledgements),
  };
  return {
    sections: frozen(sections),
    mistakes: { before, after: mistakes },
    places,
    say: (path, message) => yaml.explain([{ path, message }])[0] as string,
  };
}

/** Why a silence is refused that is well formed. */
function refusal({ kind, subject, nodes, expires }: Entries<'silences'>[number], fleet: GroundTruth['fleet'], now: number): string | null {
  if (expires - now > LONGEST_SILENCE) return 'a silence that never ends is refused: let it expire within a year';
  if (kind !== undefined || subject !== undefined || nodes === undefined || fleet.length === 0) return null;
  const silenced = nodeSetOf(nodes);
  const isAll = fleet.every((entry) => [...nodeSetOf(entry.nodes)].every((name) => silenced.has(name)));
  return isAll ? 'a silence that matches every node is refused: name a kind, or maintenance with its end' : null;
}
