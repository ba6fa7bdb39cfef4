/** Spans of time of UTC. */
import type { TimeWidth } from '../reader.ts';

const DAY_MS = 86_400_000;
const WIDTHS: Readonly<Record<TimeWidth, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
};
/** 1970 began on a Thursday, and weeks begin on Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** The start of the span of a time, both in Unix time in ms. */
export function startOf(ms: number, width: TimeWidth): number {
  const origin = width === 'week' ? FIRST_MONDAY_MS : 0;
  return origin + Math.floor((ms - origin) / WIDTHS[width]) * WIDTHS[width];
}

export const msOf = (time: string): string => `toUnixTimestamp64Milli(${time})`;

const STARTS = {
  minute: (column: string) => `toStartOfMinute(${column})`,
  hour: (column: string) => `toStartOfHour(${column})`,
  day: (column: string) => `toStartOfDay(${column})`,
  week: (column: string) => `toStartOfWeek(${column}, 1)`,
} as const;

/** The start of the span of a time, in Unix time in ms. */
export const spanOf = (column: string, width: TimeWidth | undefined): string =>
  width === undefined ? 'toInt64(0)' : `toInt64(toUnixTimestamp(toDateTime(${STARTS[width](column)}, 'UTC'))) * 1000`;
