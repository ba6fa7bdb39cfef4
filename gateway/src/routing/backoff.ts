/** Statuses that allow a retry and waits before it, as pipeline/attempt/retries.ts applies them; docs/behaviour/retries.md. */
import { MAX_RETRY_AFTER_MS, RETRY_BACKOFF_BASE_MS } from '@gatehouse/crds/config';
import type { RetryPlan } from './plan.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Headers in order of precedence, with their unit in ms. An HTTP date is not parsed: the usual back-off applies. */
const RETRY_AFTER_HEADERS: readonly (readonly [name: string, unitMs: number])[] = [
  ['retry-after-ms', 1],
  ['x-ms-retry-after-ms', 1],
  ['retry-after', 1_000],
];

/** Whether a status is retried. */
export function isRetryable(plan: RetryPlan, status: number): boolean {
  return plan.statusCodes.has(status);
}

/** Wait before retry `k` (from 1) in ms: 1 s, 2 s, 4 s, 8 s, 16 s; 0 once a retry-after was honoured. */
export function backoffMs(k: number, honoured: boolean): number {
  return honoured ? 0 : RETRY_BACKOFF_BASE_MS * 2 ** (k - 1);
}

/**
 * The retry-after of a 429, in ms; undefined without one. `stop`: it exceeds 60 s, alone or together with the waits
 * honoured before.
 */
export function retryAfterMs(headers: Headers, waitedMs: number): number | 'stop' | undefined {
  for (const [name, unitMs] of RETRY_AFTER_HEADERS) {
    const text = headers[name];
    if (typeof text !== 'string' || !/^\d+$/.test(text.trim())) continue;
    const waitMs = Number(text) * unitMs;
    return waitMs > MAX_RETRY_AFTER_MS || waitedMs + waitMs > MAX_RETRY_AFTER_MS ? 'stop' : waitMs;
  }
  return undefined;
}
