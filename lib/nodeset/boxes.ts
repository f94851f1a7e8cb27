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
  ids: Int32Array[];
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
  const ids: Int32Array[] = [];
  const sets: number[][][] = [];
  for (const column of values) {
    const { of, firsts } = numbered(Float64Array.from(column));
    ids.push(of);
    sets.push(Array.from(firsts, (row) => [column[row] as number]));
  }
  const rest = group(
    unmerged.map((k) => ids[k] as Int32Array),
    count,
  );
  ids.push(rest.of);
  return { count, ids, sets };
}

/** Groups rows that are equal in all columns: the group of each row, and the first row of each group. */
function group(columns: Int32Array[], count: number): Groups {
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

/** The group of each row, and the first row of each group. */
interface Groups {
  of: Int32Array;
  firsts: Int32Array;
}

/** Numbers whole keys in their order. */
function numbered(keys: Float64Array): Groups {
  let [low, high] = [Infinity, -Infinity];
  for (const key of keys) {
    if (key < low) low = key;
    if (key > high) high = key;
  }
  return high - low < 16 * keys.length + 256 ? numberedByTable(keys, low, high - low + 1) : numberedBySearch(keys);
}

function numberedByTable(keys: Float64Array, low: number, width: number): Groups {
  // The first row of each key, counted from 1.
  const rows = new Int32Array(width);
  let size = 0;
  for (let i = keys.length - 1; i >= 0; i--) {
    const slot = (keys[i] as number) - low;
    if (rows[slot] === 0) size++;
    rows[slot] = i + 1;
  }
  const firsts = new Int32Array(size);
  const ids = new Int32Array(width);
  let next = 0;
  for (let slot = 0; slot < width; slot++) {
    if (rows[slot] === 0) continue;
    ids[slot] = next;
    firsts[next++] = (rows[slot] as number) - 1;
  }
  const of = new Int32Array(keys.length);
  for (let i = 0; i < keys.length; i++) of[i] = ids[(keys[i] as number) - low] as number;
  return { of, firsts };
}

/** By search among the sorted keys: a hash of numbers alone could be made to collide. */
function numberedBySearch(keys: Float64Array): Groups {
  const distinct = keys.slice().sort();
  let size = 0;
  for (let i = 0; i < distinct.length; i++) {
    if (i === 0 || distinct[i] !== distinct[size - 1]) distinct[size++] = distinct[i] as number;
  }
  const of = new Int32Array(keys.length);
  const firsts = new Int32Array(size);
  for (let i = keys.length - 1; i >= 0; i--) {
    const key = keys[i] as number;
    let low = 0;
    for (let high = size - 1; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((distinct[middle] as number) < key) low = middle + 1;
      else high = middle;
    }
    of[i] = low;
    firsts[low] = i;
  }
  return { of, firsts };
}

/** Merges along each dimension in the order given, again and again until nothing changes. */
function mergeAll(points: Boxes, order: number[]): Boxes {
  let boxes: Boxes = { ...points, sets: points.sets.map((sets) => [...sets]) };
  const known = boxes.sets.map(() => new Map<string, number>());
  // Boxes that are still those that the last merge along a dimension left have nothing more to merge there.
  const left = order.map(() => Number.POSITIVE_INFINITY);
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    const before = boxes.count;
    for (const [i, dim] of order.entries()) {
      if (left[i] === boxes.count) continue;
      boxes = mergeAlong(boxes, dim, order, known[dim] as Map<string, number>);
      left[i] = boxes.count;
    }
    if (boxes.count === before) break;
  }
  return boxes;
}

/** @param known the sets that unions have made so far, by their numbers and by the sets that they are made of */
function mergeAlong(boxes: Boxes, dim: number, merged: number[], known: Map<string, number>): Boxes {
  const compared = [...merged.filter((k) => k !== dim), boxes.sets.length].map((k) => boxes.ids[k] as Int32Array);
  const { of, firsts } = group(compared, boxes.count);
  if (firsts.length === boxes.count) return boxes;
  const sets = boxes.sets[dim] as number[][];
  const column = boxes.ids[dim] as Int32Array;
  // Of boxes that become one, the sets along the dimension, in lists that begin where the first one stands.
  const parts: (number[] | undefined)[] = Array.from({ length: firsts.length });
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
  const ids = boxes.ids.map((all) => firsts.map((box) => all[box] as number));
  const merging = ids[dim] as Int32Array;
  for (let into = 0; into < firsts.length; into++) {
    const part = parts[into];
    if (part !== undefined) merging[into] = union(part);
  }
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
