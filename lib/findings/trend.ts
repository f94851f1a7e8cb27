export interface Point {
  /** Milliseconds since the epoch. */
  at: number;
  value: number;
}

/** A straight line through points, and how sure its slope is. */
export interface Line {
  /** Per millisecond. */
  slope: number;
  /** Standard error of the slope. */
  error: number;
  /** The line's value at the last point. */
  last: number;
}

/** Least squares over time; null for fewer than three times, or all at one. */
export function fitLine(points: readonly Point[]): Line | null {
  const n = points.length;
  const lastAt = points[n - 1]?.at;
  if (n < 3 || lastAt === undefined) return null;
  // Times are counted from the last one, so that squares of epochs lose no digits.
  const meanX = points.reduce((sum, p) => sum + (p.at - lastAt), 0) / n;
  const meanY = points.reduce((sum, p) => sum + p.value, 0) / n;
  let [xx, xy, yy] = [0, 0, 0];
  for (const { at, value } of points) {
    const [dx, dy] = [at - lastAt - meanX, value - meanY];
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  if (xx === 0) return null;
  const slope = xy / xx;
  const residual = Math.max(0, yy - slope * xy);
  return { slope, error: Math.sqrt(residual / (n - 2) / xx), last: meanY - slope * meanX };
}
