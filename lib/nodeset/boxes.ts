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
    const { of, firsts } = numbered(Float64Array.from(column));
    ids.push(of);
    sets.push(firsts.map((row) => [column[row] as number]));
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

/** Numbers keys in their order, by search among the sorted ones: a hash of numbers alone could be made to collide. */
function numbered(keys: Float64Array): { of: number[]; firsts: number[] } {
  const distinct = keys.slice().sort();
  let size = 0;
  for (let i = 0; i < distinct.length; i++) {
    if (i === 0 || distinct[i] !== distinct[size - 1]) distinct[size++] = distinct[i] as number;
  }
  const of: number[] = [];
  const firsts: number[] = Array.from({ length: size }, () => -1);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as number;
    let low = 0;
    for (let high = size - 1; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((distinct[middle] as number) < key) low = middle + 1;
      else high = middle;
    }
    of.push(low);
    if ((firsts[low] as number) < 0) firsts[low] = i;
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
  // Of boxes that become one, the sets along the dimension, in lists that begin where the first one stands.
  const parts: (number[] | undefined)[] = firsts.map(() => undefined);
  for (let box = 0; box < of.length; box++) {
    const into = of[box] as number;
    const first = firsts[into] as number;
    if (box !== first) (parts[into] ??= [column[first] as number]).push(column[box] as number);
  }
  let last: { part: number[]; id: number } | undefined;
  const union = (part: number[]): number => {
    // Most boxes are merged of the same sets as the one before.
    if (last === undefined || !isEqual(last.part, part)) last = { part: [...part], id: idOfUnion(part, sets, known) };
    return last.id;
  };
  const ids = boxes.ids.map((all, k) =>
    firsts.map((box, into) => {
      const part = k === dim ? parts[into] : undefined;
      return part ? union(part) : (all[box] as number);
    }),
  );
  return { count: firsts.length, ids, sets: boxes.sets };
}

function idOfUnion(part: number[], sets: number[][], known: Map<string, number>): number {
  const madeOf = `of ${part.sort(ascending).join()}`;
  let id = known.get(madeOf);
  if (id === undefined) {
    const set = part.flatMap((one) => sets[one] as number[]).sort(ascending);
    const text = set.join();
    id = known.get(text) ?? sets.push(set) - 1;
    known.set(text, id).set(madeOf, id);
  }
  return id;
}

function isEqual(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function ascending(a: number, b: number): number {
  return a - b;
}
