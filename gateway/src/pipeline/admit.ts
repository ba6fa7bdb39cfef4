/** Expiry and request rates of the key; behaviour-lifecycle 1.4 rule 6, behaviour-limits-cost 9.2. */
import { AppError } from '../errors/index.ts';
import type { Concurrency, RateLimiter } from '../limits/index.ts';
import type { Caller, ClientRequest, Exchange } from './exchange.ts';

/** What is asked again and again while a job runs costs no request of the key; behaviour-limits-cost 9.1. */
const FREE = /^\/v1\/(?:batches|files|fine_tuning)(?:\/|$)/;

export interface AdmitPorts {
  readonly limiter: RateLimiter;
  now(): number;
}

/** Lets a caller in or throws KEY_EXPIRED or KEY_RATE_LIMITED. A denied request consumes nothing. */
export function admit(
  { key }: Caller,
  { method, path }: Pick<ClientRequest, 'method' | 'path'>,
  { limiter, now }: AdmitPorts,
): void | Promise<void> {
  const nowMs = now();
  if (nowMs >= key.expiresAtMs) throw new AppError('KEY_EXPIRED');
  if (key.rateLimits.length === 0 || (method === 'GET' && FREE.test(path))) return;
  const verdict = limiter.consume(key.id, key.rateLimits, nowMs);
  if (!(verdict instanceof Promise)) return judge(key.name, verdict);
  return verdict.then((settled) => judge(key.name, settled));
}

function judge(name: string, verdict: Awaited<ReturnType<RateLimiter['consume']>>): void {
  if (verdict.allowed) return;
  throw new AppError('KEY_RATE_LIMITED', {
    detail: `The API key ${name} exceeded its limit of ${verdict.limit.value} requests (${verdict.limit.unit})`,
    retryAfterMs: verdict.retryAfterMs,
  });
}

/** When a key that has too many requests under way may come again, in ms: one of them may end at any time. */
const BUSY_AFTER_MS = 1_000;

/** Counts the request as one of its key until its answer has left. Throws KEY_CONCURRENCY_EXCEEDED. */
export function enter(
  { key }: Caller,
  { atEnd }: Pick<Exchange, 'atEnd'>,
  { concurrency }: { readonly concurrency: Concurrency },
): void {
  const leave = concurrency.enter(key.id);
  if (leave === undefined) throw new AppError('KEY_CONCURRENCY_EXCEEDED', { retryAfterMs: BUSY_AFTER_MS });
  atEnd(leave);
}
