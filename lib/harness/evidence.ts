import type { Finding } from '../model/finding.ts';
import { atPointer, type Json } from '../model/json.ts';
import { formatDuration } from '../model/time.ts';
import type { ReadView } from '../tools/view.ts';
import { type Ground, groundOf } from './grounding.ts';

/** Evidence that exists, with what it holds: read again from the pinned snapshots, never taken from a model's words. */
export interface Cited {
  /** In full: the finding's id, or `SOURCE@SNAPSHOT#/pointer`. */
  id: string;
  /** What it is in any tick: without the snapshot. */
  key: string;
  ground: Ground;
  findings: readonly Finding[];
}

/** What is larger shows too much to prove anything. */
const MAX_TEXT = 8000;
const MAX_POINTS = 500;
const DAY = 864e5;
/** No shorter beginning of an id names a finding. */
const SHORTEST = 8;

/** Looks evidence up by the ids that tools give: a finding's, at least 8 characters of it, or a ref. */
export class Evidence {
  readonly #view: ReadView;
  readonly #aside: (id: string) => readonly Json[];
  readonly #known = new Map<string, Cited | null>();
  #byBeginning: Map<string, Finding[]> | undefined;

  /** @param aside what code told beside a finding, by the finding's id */
  constructor(view: ReadView, aside: (id: string) => readonly Json[]) {
    this.#view = view;
    this.#aside = aside;
  }

  /** The one finding whose id begins so; null for none, or several. */
  finding(id: string): Finding | null {
    if (!/^[0-9a-f]{8,32}$/.test(id)) return null;
    if (!this.#byBeginning) {
      this.#byBeginning = new Map();
      for (const f of this.#view.findings) {
        const begun = f.id.slice(0, SHORTEST);
        const some = this.#byBeginning.get(begun);
        if (some) some.push(f);
        else this.#byBeginning.set(begun, [f]);
      }
    }
    const found = (this.#byBeginning.get(id.slice(0, SHORTEST)) ?? []).filter((f) => f.id.startsWith(id));
    return found.length === 1 ? (found[0] as Finding) : null;
  }

  /** @returns null for evidence that is not there, or that is too much to be one */
  async cite(id: string): Promise<Cited | null> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const cited = await this.#read(id);
    this.#known.set(id, cited);
    return cited;
  }

  async #read(id: string): Promise<Cited | null> {
    const finding = this.finding(id);
    if (finding) {
      return { id: finding.id, key: `finding ${finding.id}`, ground: groundOf(await this.#textOf(finding)), findings: [finding] };
    }
    const group = /^[0-9a-f]{8,32}$/.test(id) ? this.#view.groups.filter((g) => g.id.startsWith(id)) : [];
    if (group.length === 1 && group[0]) {
      const { findings, pValue: _, ...told } = group[0];
      const members = new Set(findings);
      return {
        id: told.id,
        key: `group ${told.id}`,
        ground: groundOf(JSON.stringify(told)),
        findings: this.#view.findings.filter((f) => members.has(f.id)),
      };
    }
    return this.#readRef(id);
  }

  async #readRef(ref: string): Promise<Cited | null> {
    const m = /^([a-z][a-z0-9_]{0,40})(?:@(\d{8}t\d{6}\.\d{3}z))?#(\/.*)$/s.exec(ref);
    const [source, at, pointer] = [m?.[1], m?.[2], m?.[3]];
    if (source === undefined || pointer === undefined) return null;
    const snapshot = await this.#view.snapshot(source);
    if (!snapshot || (at !== undefined && at !== snapshot.id)) return null;
    const value = pointer.startsWith('/facts/') ? await this.#facts(source, pointer) : atPointer(snapshot, pointer);
    if (value === undefined) return null;
    const text = JSON.stringify([value, ...(await this.#besides(source, pointer))]);
    if (text.length > MAX_TEXT) return null;
    return { id: `${source}@${snapshot.id}#${pointer}`, key: `${source}#${pointer}`, ground: groundOf(text), findings: [] };
  }

  /** `/facts/{type:name}`: what the source knows of a subject. */
  async #facts(source: string, pointer: string): Promise<Json | undefined> {
    const key = pointer.slice('/facts/'.length).replaceAll('~1', '/').replaceAll('~0', '~');
    const colon = key.indexOf(':');
    if (colon < 1) return undefined;
    const known = await this.#view.facts({ type: key.slice(0, colon), id: key.slice(colon + 1) });
    const facts = known.find((k) => k.source === source)?.facts;
    return facts === undefined ? undefined : { subject: key, ...facts };
  }

  /** What goes with a value: how a number moved. */
  async #besides(source: string, pointer: string): Promise<Json[]> {
    if (pointer.startsWith('/series/')) {
      const name = pointer.slice('/series/'.length).replaceAll('~1', '/').replaceAll('~0', '~');
      const points = await this.#view.trend(source, name, { from: this.#view.now - 30 * DAY, to: this.#view.now });
      return [name, ...points.slice(-MAX_POINTS).map((p) => p.value)];
    }
    const moved = this.#view.changes
      .filter((c) => c.source === source)
      .flatMap((c) => c.summary.filter((s) => `/summary${s.path}` === pointer));
    return [pointer, ...moved.map(({ from, to }) => ({ from, to }))];
  }

  /** What code knows of a finding, as the pinned snapshot has it where it is in it, else as it was last seen. */
  async #textOf(f: Finding): Promise<string> {
    const snapshot = await this.#view.snapshot(f.source);
    const now = snapshot?.conditions.find((c) => c.id === f.id);
    const conditions = (now ? [now] : f.conditions).map(({ message, values, severity, since, lastSeen, count, evidence }) => ({
      message,
      values,
      severity,
      since,
      lastSeen,
      count,
      quotes: evidence.flatMap((e) => e.quote ?? []),
    }));
    const place = now?.place ?? f.place;
    return JSON.stringify({
      id: f.id,
      kind: f.kind,
      state: f.state,
      subject: f.subject.id,
      names: this.#view.namesOf(f.subject.id),
      part: now ? now.part : f.part,
      subjects: f.subjects,
      conditions,
      firstSeen: f.firstSeen,
      lastSeen: f.lastSeen,
      for: formatDuration(this.#view.now - Date.parse(f.firstSeen)),
      ...(place && { place }),
      aside: this.#aside(f.id),
    });
  }
}
