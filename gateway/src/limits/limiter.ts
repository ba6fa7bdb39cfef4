/** Request-count limits in fixed windows aligned to the epoch; behaviour-limits-cost 9.2. */

export type RateUnit = 'rps' | 'rpm' | 'rph' | 'rpd' | 'rpw';

export interface RateLimit {
  readonly unit: RateUnit;
  /** Requests per window, at least 1. */
  readonly value: number;
}

export type RateVerdict =
  | { readonly allowed: true }
  /** `retryAfterMs`: until the window that is full ends. */
  | { readonly allowed: false; readonly limit: RateLimit; readonly retryAfterMs: number };

/** Counts requests. A denied request consumes nothing, of no limit (gateway-behaviour, defect 2). */
export interface RateLimiter {
  consume(subject: string, limits: readonly RateLimit[], nowMs: number): RateVerdict | Promise<RateVerdict>;
  close(): Promise<void>;
}

/** Length of each window in ms. */
export const WINDOW_MS: Readonly<Record<RateUnit, number>> = {
  rps: 1_000,
  rpm: 60_000,
  rph: 3_600_000,
  rpd: 86_400_000,
  rpw: 604_800_000,
};
