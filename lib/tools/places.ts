import type { GroundTruth } from '../findings/ground-truth.ts';
import { oncePer } from '../model/once.ts';
import type { Finding } from '../model/finding.ts';
import { placeOfXname } from '../model/xname.ts';
import { nodeSetOf } from '../nodeset.ts';

/** Where a name stands: types of place, each with the names of those that hold or serve it. */
export type Whereabouts = ReadonlyMap<string, readonly string[]>;

interface Member {
  node: string;
  where: Whereabouts;
}

type Known = Pick<GroundTruth, 'topology' | 'fleet'>;
const NOTHING: Known = { topology: {}, fleet: [] };

/** Looks up places by the names of components and by the site's topology, which may put a node behind two PDUs. */
export class PlaceBook {
  static readonly #bookOf = oncePer((topology: Known['topology'], entries: Known['fleet']) => new PlaceBook(topology, entries));

  readonly #behind = new Map<string, [string, string][]>();
  readonly #entries: Known['fleet'];
  #fleet: Member[] | null = null;

  private constructor(topology: Known['topology'], entries: Known['fleet']) {
    this.#entries = entries;
    for (const [type, places] of Object.entries(topology)) {
      for (const [name, set] of Object.entries(places)) {
        for (const node of nodeSetOf(set)) {
          const served = this.#behind.get(node);
          if (served) served.push([type, name]);
          else this.#behind.set(node, [[type, name]]);
        }
      }
    }
  }

  static of({ groundTruth }: { groundTruth: GroundTruth | null }): PlaceBook {
    const { topology, fleet } = groundTruth ?? NOTHING;
    return PlaceBook.#bookOf(topology, fleet);
  }

  where(name: string, told: Readonly<Record<string, string>> = {}): Whereabouts {
    const places = new Map<string, string[]>(Object.entries({ ...placeOfXname(name), ...told }).map(([type, id]) => [type, [id]]));
    for (const [type, id] of this.#behind.get(name) ?? []) {
      const some = places.get(type) ?? [];
      if (!some.includes(id)) places.set(type, [...some, id]);
    }
    return places;
  }

  whereIs(f: Finding): Whereabouts {
    return this.where(f.knownAs ?? f.subject.id, f.place);
  }

  /** Every node that the site expects, with where it stands. */
  get fleet(): readonly Member[] {
    this.#fleet ??= this.#entries.flatMap(({ nodes }) => [...nodeSetOf(nodes)].map((node) => ({ node, where: this.where(node) })));
    return this.#fleet;
  }
}

/** Whether a finding is open: neither over nor waiting to be confirmed. */
export function isOpen({ state }: Finding): boolean {
  return state !== 'resolved' && state !== 'candidate';
}
