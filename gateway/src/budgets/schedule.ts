/** When budgets begin anew. All times are UTC, so no day is shorter or longer than another: docs/guide/limits-and-budgets.md. */

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** 1970-01-05, 00:00. */
const A_MONDAY_MS = 4 * DAY_MS;

/** How a budget is reset; without a member never. */
export interface Schedule {
  /** Weekly: on Mondays, or every seven days from the first reset. Monthly: on the 1st. Days: from the first reset, or from 1970-01-01. */
  readonly reset?: { readonly period: 'weekly' | 'monthly' } | { readonly days: number } | undefined;
  /** Unix time in ms; there is no reset before. */
  readonly firstResetAtMs?: number | undefined;
  /** Further resets, Unix time in ms: each ends one period and begins the next. */
  readonly resetsAtMs?: readonly number[] | undefined;
}

/** From `startMs` up to but not including `endMs`, Unix time. */
export interface Period {
  /** 0: since ever. */
  readonly startMs: number;
  /** Undefined: for ever. */
  readonly endMs: number | undefined;
}

/** The schedule of a budget of the Snapshot. A time that is none is left out. */
export function toSchedule({
  reset,
  firstResetAt,
  resetsAt = [],
}: {
  readonly reset?: Schedule['reset'];
  readonly firstResetAt?: string | undefined;
  readonly resetsAt?: readonly (string | undefined)[] | undefined;
}): Schedule {
  const resetsAtMs = resetsAt.flatMap((time) => msOf(time) ?? []);
  return {
    reset,
    firstResetAtMs: msOf(firstResetAt),
    resetsAtMs: resetsAtMs.length === 0 ? undefined : resetsAtMs,
  };
}

function msOf(time: string | undefined): number | undefined {
  const ms = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(ms) ? undefined : ms;
}

export const isSameSchedule = (a: Schedule, b: Schedule): boolean =>
  a === b ||
  (a.firstResetAtMs === b.firstResetAtMs &&
    a.resetsAtMs?.join() === b.resetsAtMs?.join() &&
    lengthOf(a) === lengthOf(b));

const lengthOf = ({ reset }: Schedule): string | number | undefined =>
  reset !== undefined && 'days' in reset ? reset.days : reset?.period;

/** The period that contains the time. */
export function periodAt(schedule: Schedule, nowMs: number): Period {
  let period = regularPeriodAt(schedule, nowMs);
  for (const resetAtMs of schedule.resetsAtMs ?? []) period = dividedAt(period, resetAtMs, nowMs);
  return period;
}

/** The part of the period that contains the time. */
function dividedAt(period: Period, resetAtMs: number, nowMs: number): Period {
  if (resetAtMs <= period.startMs || resetAtMs >= (period.endMs ?? Number.POSITIVE_INFINITY)) return period;
  return nowMs < resetAtMs ? { ...period, endMs: resetAtMs } : { ...period, startMs: resetAtMs };
}

function regularPeriodAt({ reset, firstResetAtMs }: Schedule, nowMs: number): Period {
  if (firstResetAtMs !== undefined && nowMs < firstResetAtMs) return { startMs: 0, endMs: firstResetAtMs };
  if (reset === undefined) return { startMs: firstResetAtMs ?? 0, endMs: undefined };
  if ('days' in reset) return repeated(firstResetAtMs ?? 0, reset.days * DAY_MS, nowMs);
  if (reset.period === 'weekly') return repeated(firstResetAtMs ?? A_MONDAY_MS, WEEK_MS, nowMs);
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return { startMs: Math.max(Date.UTC(year, month, 1), firstResetAtMs ?? 0), endMs: Date.UTC(year, month + 1, 1) };
}

function repeated(anchorMs: number, lengthMs: number, nowMs: number): Period {
  const startMs = anchorMs + Math.floor((nowMs - anchorMs) / lengthMs) * lengthMs;
  return { startMs, endMs: startMs + lengthMs };
}
