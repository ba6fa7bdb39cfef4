/**
 * The port of rate limits: fixed windows aligned to the epoch, one counter per subject, unit and window. The limit's value is
 * not part of the counter, so that a changed limit keeps its count. Rules: docs/behaviour/limits.md.
 */

/** What is counted. */
export type LimitUnit = 'requests' | 'tokens' | 'cents';

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
  readonly unit: LimitUnit;
  readonly window: LimitWindow;
  /** How many units one window admits. */
  readonly limit: number;
  /** How many units the request takes. A cost that is not positive and finite is denied. */
  readonly cost: number;
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
  /** Until that window ends. */
  readonly retryAfterMs: number;
}

export type LimitDecision = { readonly allowed: true } | Denial;

/** Room taken for one request. The first call of `settle` or `release` counts, later ones do nothing. */
export interface Reservation {
  readonly allowed: true;
  /**
   * Corrects the demands to what was really used, in their order; may exceed the limit. Less than reserved is returned to
   * the window of the reservation, more is counted in the window of `nowMs`. An actual cost that is negative or not finite
   * leaves the reserved one. After the hold time an estimate counts in full, in the window of `nowMs`.
   */
  settle(actualCosts: readonly number[], nowMs: number): void | Promise<void>;
  /** Returns everything to the window of the reservation. */
  release(): void | Promise<void>;
}

/** `nowMs`: Unix time. A limiter in memory answers with values, one behind a network with promises. */
export interface Limiter {
  /** Whether the demands would be granted; takes nothing. */
  ask(demands: readonly Demand[], nowMs: number): LimitDecision | Promise<LimitDecision>;
  /** Takes room in all limits, or in none. Demands of the same counter take the largest cost among them, once. */
  reserve(demands: readonly Demand[], nowMs: number): Reservation | Denial | Promise<Reservation | Denial>;
  close(): Promise<void>;
}
