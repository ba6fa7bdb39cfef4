/** Numbers of graphs, and response times of steps: docs/behaviour/request-logs.md#analytics */
import { msOfStep } from '@gatehouse/crds/logs';
import type { Sum } from '../../logs/index.ts';
import { CENT_NANO } from '../logs/index.ts';

type Steps = Sum['times'];

/** Steps of several sums as one distribution, in their order. */
export function mergeTimes(sums: readonly Pick<Sum, 'times'>[]): Steps {
  const merged = new Map<number, number>();
  for (const { times } of sums) {
    for (const [step, requests] of times) merged.set(step, (merged.get(step) ?? 0) + requests);
  }
  return [...merged].sort(([a], [b]) => a - b);
}

/** The time that this share of requests has not exceeded, in ms; 0 without requests. */
export function percentile(times: Steps, share: number): number {
  const total = times.reduce((sum, [, requests]) => sum + requests, 0);
  let rest = Math.max(1, Math.ceil(total * share));
  for (const [step, requests] of times) {
    rest -= requests;
    if (rest <= 0) return rounded(msOfStep(step));
  }
  return 0;
}

/** To three digits behind the point: what is shown is no more exact. */
export const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

/** Of nano-dollars, which are no more exact than one: totals and averages alike. */
export const cents = (nano: number): number => Math.round(nano) / CENT_NANO;

/** 0 of nothing. */
export const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : rounded(part / whole));

/** In percent. */
export const percent = (part: number, whole: number): number => ratio(100 * part, whole);
