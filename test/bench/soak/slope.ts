import { median } from '../rounds.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Slope {
  /** Units of y for one of x. */
  readonly slope: number;
  /** The standard error of the slope: what the scatter of the points alone may make of it. */
  readonly error: number;
}

/** The line through points by least squares; NaN for fewer than three, which have no scatter. */
export function fitSlope(points: readonly Point[]): Slope {
  const count = points.length;
  if (count < 3) return { slope: Number.NaN, error: Number.NaN };
  const mean = (of: (point: Point) => number): number => points.reduce((sum, point) => sum + of(point), 0) / count;
  const [meanX, meanY] = [mean(({ x }) => x), mean(({ y }) => y)];
  const sum = (of: (dx: number, dy: number) => number): number =>
    points.reduce((total, { x, y }) => total + of(x - meanX, y - meanY), 0);
  const squares = sum((dx) => dx * dx);
  const slope = sum((dx, dy) => dx * dy) / squares;
  const residuals = sum((dx, dy) => (dy - slope * dx) ** 2);
  return { slope, error: Math.sqrt(residuals / (count - 2) / squares) };
}

/**
 * The medians of so many blocks of points that follow each other: neighbouring samples of memory go up and down together,
 * and as single points they would make a slope look surer than it is.
 */
export function inBlocks(points: readonly Point[], blocks: number): readonly Point[] {
  const size = Math.max(1, Math.ceil(points.length / blocks));
  const starts = Array.from({ length: Math.ceil(points.length / size) }, (_, at) => at * size);
  return starts.map((start) => {
    const block = points.slice(start, start + size);
    return { x: median(block.map(({ x }) => x)), y: median(block.map(({ y }) => y)) };
  });
}
