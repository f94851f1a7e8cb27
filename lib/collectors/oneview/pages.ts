import type { CoverageProblem } from '../../model/snapshot.ts';
import { compareNames } from '../../model/text.ts';
import type { Page } from './document.ts';

/** How much of what OneView says it has was among the inputs. */
export interface Completeness {
  /** The sum of the totals that OneView stated; null where a collection stated none. */
  stated: number | null;
  /** Different records on pages. */
  collected: number;
  missing: number;
  /** Every collection is there whole, and at least one is. */
  proven: boolean;
  /** The filters by which the collections were asked for; empty texts = none was seen. */
  filters: string[];
  problems: CoverageProblem[];
}

/**
 * Checks pages against what they state: their totals, their links, and each other. `count=-1` and dumps that forget to
 * follow `nextPageUri` end early without an error, links may name their own page for ever, and a list that shifts while
 * it is paged repeats some records and skips others; so a collection counts as whole only where as many different
 * records were seen as the highest total says, or, where no total is stated, where every link leads to a page at hand.
 */
export function checkPages(pages: readonly Page[]): Completeness {
  const result: Completeness = {
    stated: pages.length > 0 ? 0 : null,
    collected: 0,
    missing: 0,
    proven: pages.length > 0,
    filters: [],
    problems: [],
  };
  for (const { filter, collection } of collectionsOf(pages)) {
    result.filters.push(filter);
    const keys = new Set(collection.flatMap((page) => page.keys));
    const totals = collection.flatMap((page) => (page.total === null || page.total < 0 ? [] : [page.total]));
    const total = totals.length > 0 ? totals.reduce((a, b) => Math.max(a, b)) : null;
    const last = collection.at(-1) as Page;
    result.collected += keys.size;
    result.stated = total === null || result.stated === null ? null : result.stated + total;
    result.problems.push(...repeated(collection));
    const why = total === null ? brokenChain(collection) : keys.size < total ? shortBy(total, keys.size, collection) : null;
    if (why !== null) {
      result.missing += total === null ? 0 : total - keys.size;
      result.proven = false;
      result.problems.push({ effect: 'input', input: last.input, message: why });
    } else if (total !== null && keys.size > total) {
      const message = `the pages hold ${keys.size} different records of a stated total of ${total}: some are left over from an earlier dump, or the list changed while it was read`;
      result.problems.push({ effect: 'note', input: last.input, message });
    }
  }
  return result;
}

/** The filter that a link asks for, decoded; '' where it has none. */
function filterOf(uri: string | null): string {
  const query = uri?.split('?', 2)[1];
  if (query === undefined) return '';
  return new URLSearchParams(query)
    .getAll('filter')
    .map((f) => f.replaceAll('"', '').trim())
    .sort()
    .join(' and ');
}

function startOf(uri: string): number {
  const start = Number(new URLSearchParams(uri.split('?', 2)[1] ?? '').get('start') ?? 0);
  return Number.isFinite(start) ? start : 0;
}

/** Where a page begins in its collection. */
function pageStart(page: Page): number {
  if (page.start !== null && page.start >= 0) return page.start;
  return page.uri === null ? 0 : startOf(page.uri);
}

interface Collection {
  filter: string;
  collection: Page[];
}

/**
 * Pages of one request belong together: the same role and filter. The last page of a filtered list may show no filter
 * in any link; it joins the only filtered collection with its total.
 */
function collectionsOf(pages: readonly Page[]): Collection[] {
  const groups = new Map<string, Collection>();
  const add = (page: Page, filter: string): void => {
    const key = `${page.role ?? ''}\n${filter}`;
    const group = groups.get(key) ?? { filter, collection: [] };
    group.collection.push(page);
    groups.set(key, group);
  };
  const seen = pages.map((page) => ({ page, filter: filterOf(page.next) || filterOf(page.previous) || filterOf(page.uri) }));
  const filtered = seen.filter(({ filter }) => filter !== '');
  for (const { page, filter } of seen) {
    if (filter !== '') add(page, filter);
    else {
      const alike = new Set(
        filtered.filter((f) => f.page.role === page.role && f.page.total === page.total && page.total !== null).map((f) => f.filter),
      );
      const only = alike.size === 1 && pageStart(page) > 0 ? [...alike][0] : undefined;
      add(page, only ?? '');
    }
  }
  const ordered = [...groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
  for (const { collection } of ordered) collection.sort((a, b) => pageStart(a) - pageStart(b) || compareNames(a.input, b.input));
  return ordered;
}

function leadsToItself(page: Page): boolean {
  return page.next !== null && (page.next === page.uri || (page.members > 0 && startOf(page.next) === pageStart(page)));
}

function repeated(collection: readonly Page[]): CoverageProblem[] {
  const problems: CoverageProblem[] = [];
  const starts = new Map<number, Page>();
  for (const page of collection) {
    const twin = starts.get(pageStart(page));
    if (twin)
      problems.push({
        effect: 'note',
        input: page.input,
        message: `repeats the page at ${pageStart(page)} that ${twin.input} holds; its records count once`,
      });
    else starts.set(pageStart(page), page);
  }
  return problems;
}

/** The first page whose link leads nowhere: to itself, or to a page that is not at hand. */
function deadLink(collection: readonly Page[]): string | null {
  const starts = new Set(collection.map(pageStart));
  for (const page of collection) {
    if (page.next === null) continue;
    if (leadsToItself(page)) return `the page at ${pageStart(page)} (${page.input}) names itself as the next one`;
    if (!starts.has(startOf(page.next)))
      return `the page at ${startOf(page.next)} that ${page.input} names as the next one is not among the inputs`;
  }
  return null;
}

function shortBy(total: number, seen: number, collection: readonly Page[]): string {
  const short = collection.find((page) => page.count !== null && page.count > page.members);
  const cut = short ? `${short.input} holds ${short.members} of its ${short.count} members` : null;
  const why = deadLink(collection) ?? cut ?? 'the pages were not all read, or the list changed meanwhile';
  return `truncated: ${seen} of ${total} records are here, ${total - seen} are missing; ${why}`;
}

function brokenChain(collection: readonly Page[]): string | null {
  const first = collection[0] as Page;
  if (pageStart(first) > 0) return `truncated: the pages before ${pageStart(first)} are not among the inputs, and no total is stated`;
  const dead = deadLink(collection);
  return dead === null ? null : `truncated: no total is stated, and ${dead}`;
}
