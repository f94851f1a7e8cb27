import { type Input, ReadError, textOf, UnusableInput } from '../../model/collector.ts';
import type { CoverageProblem } from '../../model/snapshot.ts';
import { compareNames } from '../../model/text.ts';
import { type Document, type Page, readDocument } from './document.ts';
import { checkPages, type Completeness } from './pages.ts';
import { compareAge, type Resource, resourceKey } from './resource.ts';

/** Everything that the inputs of a OneView source hold, each resource once. */
export interface Gathered {
  /** By category, in the order of their keys; of several records of one resource the newest. */
  resources: ReadonlyMap<string, readonly Resource[]>;
  /** Resources that the message bus reported as deleted, and that no newer record brought back. */
  deleted: readonly Resource[];
  /** Of the category that the source is about. */
  completeness: Completeness;
  /** Records read, repeated ones included, and how many were refused so far. */
  records: number;
  rejected: CoverageProblem[];
  /** Problems of effect `input` and `note`. */
  problems: CoverageProblem[];
  /** Every record came from the message bus: the newest message's time, ms since the epoch; else null. */
  newestEvent: number | null;
  /** At least one input is a bare list, which states no total. */
  bare: boolean;
  pushed: boolean;
}

export interface Wanted {
  /** The category that the source is about. */
  main: string;
  /** Others that it takes beside. */
  beside: readonly string[];
  /** `no server`, for the error. */
  nothing: string;
}

/**
 * Reads all inputs of a source and takes every resource of the wanted categories once.
 * @throws UnusableInput when no input holds a resource of these, nor a whole collection that is empty
 * @throws ReadError when no input could be read at all
 */
export async function gather(inputs: readonly Input[], wanted: Wanted): Promise<Gathered> {
  const categories = new Set([wanted.main, ...wanted.beside]);
  const problems: CoverageProblem[] = [];
  const documents: { input: Input; document: Document }[] = [];
  let unread: ReadError | undefined;
  for (const input of inputs.toSorted((a, b) => compareNames(a.name, b.name))) {
    try {
      documents.push({ input, document: readDocument(await textOf(input), input.name, input.role) });
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      unread ??= error;
      problems.push({ effect: 'input', input: input.name, message: error.message });
    }
  }
  if (documents.length === 0 && unread) throw unread;
  const found = documents.flatMap(({ document }) => document.problems);
  const all = documents.flatMap(({ document }) => document.resources);
  const resources = all.filter((r) => categories.has(r.category));
  const pages = documents.flatMap(({ document }) => document.pages);
  const own = pages.filter((page) => isAbout(page, wanted));
  problems.push(...found.filter((p) => p.effect !== 'record'), ...strays(all, pages, categories));
  const completeness = checkPages(own);
  problems.push(...completeness.problems, ...checkBeside(pages, wanted));
  const emptyList = documents.some(
    ({ input, document }) => document.bare && document.resources.length === 0 && document.problems.length === 0 && named(input, wanted),
  );
  if (resources.length === 0 && !(completeness.proven && own.length > 0) && !emptyList) throw unusable(problems, found, wanted);
  return {
    ...newestOf(resources),
    completeness,
    records: resources.length + found.filter((p) => p.effect === 'record').length,
    rejected: found.filter((p) => p.effect === 'record'),
    problems,
    newestEvent: newestEvent(resources),
    bare: documents.some(({ document }) => document.bare && document.resources.some((r) => r.category === wanted.main)),
    pushed: inputs.some((i) => i.pushed === true),
  };
}

/** An empty page may not say of what it is a page: then its role or its input's name tells. */
function isAbout(page: Page, wanted: Wanted): boolean {
  if (page.category !== null) return page.category === wanted.main;
  return page.members === 0 && (page.role !== undefined || page.input.toLowerCase().includes(stem(wanted)));
}

function named(input: Input, wanted: Wanted): boolean {
  return input.role !== undefined || input.name.toLowerCase().includes(stem(wanted));
}

/** `alerts` → `alert`, `server-hardware` → `server`: what a dump's file name holds. */
function stem(wanted: Wanted): string {
  return wanted.main.replace(/s$|-.*$/, '');
}

/** Pages of the other categories are checked as well, each category by itself. */
function checkBeside(pages: readonly Page[], wanted: Wanted): CoverageProblem[] {
  return wanted.beside.flatMap((category) => {
    const own = pages.filter((page) => page.category === category);
    return own.length > 0 ? checkPages(own).problems : [];
  });
}

/** One note for each input that holds resources of other categories. */
function strays(all: readonly Resource[], pages: readonly Page[], categories: ReadonlySet<string>): CoverageProblem[] {
  const notes = new Map<string, CoverageProblem>();
  const stray = [...all, ...pages].filter((r) => r.category !== null && !categories.has(r.category));
  for (const { input, category } of stray) {
    const key = `${input}\n${category}`;
    if (!notes.has(key)) notes.set(key, { effect: 'note', input, message: `holds ${category}, which this source does not digest` });
  }
  return [...notes.values()];
}

function newestOf(resources: readonly Resource[]): Pick<Gathered, 'resources' | 'deleted'> {
  const newest = new Map<string, Resource>();
  for (const resource of resources) {
    const key = resourceKey(resource) ?? `${resource.category} ${resource.input} ${resource.place}`;
    const twin = newest.get(key);
    if (!twin || compareAge(twin, resource) < 0) newest.set(key, resource);
  }
  const ordered = [...newest.entries()].sort(([a], [b]) => compareNames(a, b)).map(([, resource]) => resource);
  const byCategory = new Map<string, Resource[]>();
  for (const resource of ordered.filter((r) => !r.event?.deleted)) {
    const list = byCategory.get(resource.category) ?? [];
    list.push(resource);
    byCategory.set(resource.category, list);
  }
  return { resources: byCategory, deleted: ordered.filter((r) => r.event?.deleted) };
}

function newestEvent(resources: readonly Resource[]): number | null {
  if (resources.length === 0 || resources.some((r) => !r.event)) return null;
  const times = resources.flatMap((r) => (r.event?.at == null ? [] : [r.event.at]));
  return times.length > 0 ? times.reduce((a, b) => Math.max(a, b)) : null;
}

function unusable(problems: readonly CoverageProblem[], found: readonly CoverageProblem[], wanted: Wanted): UnusableInput {
  const worst = problems.find((p) => p.effect === 'input') ?? found[0] ?? problems[0];
  const at = { ...(worst?.input !== undefined && { input: worst.input }), ...(worst?.place !== undefined && { place: worst.place }) };
  return new UnusableInput(worst ? `${wanted.nothing}: ${worst.message}` : wanted.nothing, at);
}

/** The problems of a source as its coverage lists them: all of the inputs, a sample of the refused records. */
export function listProblems(problems: readonly CoverageProblem[], rejected: readonly CoverageProblem[]): CoverageProblem[] {
  const order = (p: CoverageProblem): string => `${p.input ?? ''}\n${p.place ?? ''}\n${p.message}`;
  const sorted = (list: readonly CoverageProblem[]): CoverageProblem[] => list.toSorted((a, b) => compareNames(order(a), order(b)));
  const weight = (p: CoverageProblem): number => (p.effect === 'input' ? 0 : 1);
  return [...sorted(problems).sort((a, b) => weight(a) - weight(b)), ...sorted(rejected).slice(0, 20)];
}

/**
 * The time that ages are reckoned from: what was asked for, else the newest input's modification, else the clock.
 * @returns no later than the clock, and whether that was asked
 */
export function readingTime(
  inputs: readonly Input[],
  context: { now: number; asOf?: number },
  newest: number | null,
): { at: number; byClock: boolean } {
  const mtimes = inputs.flatMap((i) => (i.mtime === undefined ? [] : [Date.parse(i.mtime)])).filter((ms) => Number.isFinite(ms));
  const told = newest ?? context.asOf ?? (mtimes.length > 0 ? mtimes.reduce((a, b) => Math.max(a, b)) : Number.POSITIVE_INFINITY);
  return { at: Math.min(told, context.now), byClock: told > context.now };
}
