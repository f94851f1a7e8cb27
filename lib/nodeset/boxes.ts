/*
 * Merging of vectors of numbers: [1,1] [1,2] [2,1] [2,2] [3,7] are the boxes [1-2,1-2] and [3,7].
 */

/** Of vectors in which more numbers vary, only the last ones are merged: the work stays linear in the vectors. */
const MAX_MERGED = 8;

const MAX_SWEEPS = 8;

/**
 * Disjoint boxes, each a product of one set of numbers per dimension, which together hold all vectors.
 * They are merged by hashing: all boxes that agree in every dimension but one become one box at once. That takes linear
 * time, and knows no order among boxes, which makes the result canonical.
 */
export interface Boxes {
  count: number;
  /** Per dimension and box, the index of the box's set in `sets`; behind the dimensions one column of what never merges. */
  ids: number[][];
  /** Per dimension the sets of numbers that occur, ascending. */
  sets: number[][][];
}

/**
 * The boxes that distinct vectors make up, merged in one order of dimensions and, where that can make a difference, in the
 * other: which one is better only their use can tell.
 * @param values one column for each dimension
 * @param oneDim merge along the last dimension that varies only
 */
export function boxings(values: number[][], oneDim: boolean): Boxes[] {
  const count = (values[0] as number[]).length;
  const varying = [...values.keys()].filter((k) => (values[k] as number[]).some((n) => n !== values[k]?.[0]));
  const merged = varying.slice(oneDim ? -1 : -MAX_MERGED);
  const points = toPoints(values, varying.slice(0, varying.length - merged.length), count);
  const boxes = mergeAll(points, merged.toReversed());
  const settled = merged.length === 1 || boxes.count <= 2 || boxes.count === count;
  return settled ? [boxes] : [boxes, mergeAll(points, merged)];
}

/** One box for each vector. */
function toPoints(values: number[][], unmerged: number[], count: number): Boxes {
  const ids: number[][] = [];
  const sets: number[][][] = [];
  for (const column of values) {
    const distinct = [...new Set(column)].sort(ascending);
    const index = new Map(distinct.map((value, i) => [value, i]));
    ids.push(column.map((value) => index.get(value) as number));
    sets.push(distinct.map((value) => [value]));
  }
  const rest = group(
    unmerged.map((k) => ids[k] as number[]),
    count,
  );
  ids.push(rest.of);
  return { count, ids, sets };
}

/** Groups rows that are equal in all columns: the group of each row, and the first row of each group. */
function group(columns: number[][], count: number): { of: number[]; firsts: number[] } {
  const keys = new Float64Array(count);
  let size = 1;
  for (const column of columns) {
    let width = 1;
    for (let i = 0; i < count; i++) width = Math.max(width, (column[i] as number) + 1);
    if (size * width > Number.MAX_SAFE_INTEGER) {
      const { of, firsts } = numbered(keys);
      keys.set(of);
      size = firsts.length;
    }
    for (let i = 0; i < count; i++) keys[i] = (keys[i] as number) * width + (column[i] as number);
    size *= width;
  }
  return numbered(keys);
}

function numbered(keys: Float64Array): { of: number[]; firsts: number[] } {
  const groups = new Map<number, number>();
  const of: number[] = [];
  const firsts: number[] = [];
  for (let i = 0; i < keys.length; i++) {
    const known = groups.get(keys[i] as number);
    of.push(known ?? firsts.length);
    if (known !== undefined) continue;
    groups.set(keys[i] as number, firsts.length);
    firsts.push(i);
  }
  return { of, firsts };
}

/** Merges along each dimension in the order given, again and again until nothing changes. */
function mergeAll(points: Boxes, order: number[]): Boxes {
  let boxes: Boxes = { ...points, sets: points.sets.map((sets) => [...sets]) };
  const known = boxes.sets.map(() => new Map<string, number>());
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    const before = boxes.count;
    for (const dim of order) boxes = mergeAlong(boxes, dim, order, known[dim] as Map<string, number>);
    if (boxes.count === before) break;
  }
  return boxes;
}

/** @param known the sets that unions have made so far, by their numbers and by the sets that they are made of */
function mergeAlong(boxes: Boxes, dim: number, merged: number[], known: Map<string, number>): Boxes {
  const compared = [...merged.filter((k) => k !== dim), boxes.sets.length].map((k) => boxes.ids[k] as number[]);
  const { of, firsts } = group(compared, boxes.count);
  if (firsts.length === boxes.count) return boxes;
  const sets = boxes.sets[dim] as number[][];
  const column = boxes.ids[dim] as number[];
  const parts = new Map<number, number[]>();
  for (const [box, into] of of.entries()) {
    const first = firsts[into] as number;
    if (box === first) continue;
    const part = parts.get(first);
    if (part) part.push(column[box] as number);
    else parts.set(first, [column[first] as number, column[box] as number]);
  }
  const union = (part: number[]): number => {
    const madeOf = `of ${part.sort(ascending).join()}`;
    let id = known.get(madeOf);
    if (id === undefined) {
      const set = part.flatMap((one) => sets[one] as number[]).sort(ascending);
      const text = set.join();
      id = known.get(text) ?? sets.push(set) - 1;
      known.set(text, id).set(madeOf, id);
    }
    return id;
  };
  const ids = boxes.ids.map((all, k) =>
    firsts.map((box) => {
      const part = k === dim ? parts.get(box) : undefined;
      return part ? union(part) : (all[box] as number);
    }),
  );
  return { count: firsts.length, ids, sets: boxes.sets };
}

function ascending(a: number, b: number): number {
  return a - b;
}
