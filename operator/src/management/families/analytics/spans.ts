/** Spans of time of a graph: docs/behaviour/request-logs.md#analytics */
import type { LogFilter, Sum, TimeWidth, Totals } from '../../logs/index.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long a time may be for its spans to have a width. */
const WIDTHS: readonly (readonly [longestMs: number, width: TimeWidth])[] = [
  [HOUR_MS, 'minute'],
  [DAY_MS, 'hour'],
  [31 * DAY_MS, 'day'],
];

/** By the time that is asked for: its end is one millisecond more. */
export const widthOf = ({ from, to }: Pick<LogFilter, 'from' | 'to'>): TimeWidth =>
  WIDTHS.find(([longest]) => to - 1 - from <= longest)?.[1] ?? 'week';

const MS_OF = { minute: 60_000, hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS } as const;

/** Between the first and the last span that has something, every one is there. */
export function everySpan<T extends { readonly time: number }, R>(
  found: readonly T[],
  width: TimeWidth,
  render: (time: number, sums: readonly T[]) => R,
): R[] {
  const byTime = Map.groupBy(found, ({ time }) => time);
  const times = [...byTime.keys()];
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const points: R[] = [];
  for (let time = first; time <= last; time += MS_OF[width]) points.push(render(time, byTime.get(time) ?? []));
  return points;
}

export const timestamp = (time: number): string => new Date(time).toISOString();

type Measure = Exclude<keyof Totals, 'firstSeen' | 'lastSeen'>;

export const add = (sums: readonly Totals[], measure: Measure): number =>
  sums.reduce((sum, one) => sum + one[measure], 0);

/** The sum of final rows whose status is none of 200 to 299. */
export const isError = ({ of: { status } }: Sum): boolean => Number(status) < 200 || Number(status) > 299;
