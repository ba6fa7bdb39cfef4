/**
 * The port of rate limits: fixed windows aligned to the epoch, one counter per subject, unit and window. The limit's value is
 * not part of the counter, so that a changed limit keeps its count. Rules: docs/behaviour/limits.md.
 */

/** What is counted. */
export type LimitUnit = 'requests' | 'tokens';

/** A window as limits of resources spell it: per second, minute, hour, day or week. */
export type LimitWindow = 'rps' | 'rpm' | 'rph' | 'rpd' | 'rpw';

/** Length of each window in ms. */
export const WINDOW_MS: Readonly<Record<LimitWindow, number>> = {
  rps: 1_000,
  rpm: 60_000,
  rph: 3_600_000,
  rpd: 86_400_000,
  rpw: 604_800_000,
};

/** One limit that a request needs room in. */
export interface Demand {
  /** What the counter belongs to: the id of a Snapshot entry, which is unique among all kinds. */
  readonly subject: string;
  /** The workspace that owns the counter, or '' for the organisation: counters of one owner stand on one node of a cluster. */
  readonly slot: string;
  readonly unit: LimitUnit;
  readonly window: LimitWindow;
  /** How many units one window admits. */
  readonly limit: number;
  /** How many units the request takes: a whole number from 1 to 2^53 - 1, others are denied. */
  readonly cost: number;
  /** Room for the cost must be left, but nothing is taken. */
  readonly takes?: false;
  /**
   * The cost is a guess: without `settle` or `release` it is returned after the limiter's hold time. Costs without this mark
   * count for good.
   */
  readonly estimated?: true;
}

export interface Denial {
  readonly allowed: false;
  /** The first demand that its window has no room for. */
  readonly demand: Demand;
  /** Units that this window has left. */
  readonly remaining: number;
  /** Until that window ends. */
  readonly retryAfterMs: number;
}

/** The window of a demand, after the reservation. */
export interface WindowState {
  /** Units that are left; 0 also where settled costs have exceeded the limit. */
  readonly remaining: number;
  /** Until the window ends, counted from the reservation. */
  readonly resetMs: number;
}

export type LimitDecision = { readonly allowed: true } | Denial;

/** Room taken for one request. The first call of `settle` or `release` counts, later ones do nothing. */
export interface Reservation {
  readonly allowed: true;
  /** Of the demands, in their order. */
  readonly windows: readonly WindowState[];
  /**
   * Corrects the demands to what was really used, in their order; may exceed the limit. Less than reserved is returned to
   * the window of the reservation, more is counted in the window of `nowMs`. An actual cost that is no whole number leaves the
   * reserved one; a demand that takes nothing stays without cost. After the hold time an estimate counts in full, in the
   * window of `nowMs`.
   */
  settle(actualCosts: readonly number[], nowMs: number): void | Promise<void>;
  /** Returns everything to the window of the reservation. */
  release(): void | Promise<void>;
}

/** What a counter belongs to: all limits of a subject, unit and length of window share one. */
export type CounterName = Pick<Demand, 'subject' | 'slot' | 'unit' | 'window'>;

/** Units of one window that another limiter has counted; negative when more was counted before. */
export interface Change {
  readonly counter: CounterName;
  /** Unix time in ms. */
  readonly startMs: number;
  readonly units: number;
}

/** `nowMs`: Unix time. A limiter in memory answers with values, one behind a network with promises. */
export interface Limiter {
  /** Whether the demands would be granted; takes nothing. */
  ask(demands: readonly Demand[], nowMs: number): LimitDecision | Promise<LimitDecision>;
  /** Takes room in all limits, or in none. Demands of the same counter take the largest cost among them, once. */
  reserve(demands: readonly Demand[], nowMs: number): Reservation | Denial | Promise<Reservation | Denial>;
  close(): Promise<void>;
}

/** Whether a demand may take that much. */
export const isAmount = (cost: number): boolean => cost > 0 && Number.isSafeInteger(cost);

/** Whether that much can have been used. */
export const isCount = (cost: number | undefined): cost is number =>
  cost !== undefined && cost >= 0 && Number.isSafeInteger(cost);
