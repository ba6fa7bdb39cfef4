/** Expiry, request limits and concurrency of the key. Rules: docs/behaviour/limits.md. */
import { AppError } from '../errors/index.ts';
import type { Concurrency, Demand, Denial, Leave, Limiter, Reservation } from '../limits/index.ts';
import type { KeyRecord } from '../snapshot/index.ts';
import type { Caller, ClientRequest, Exchange } from './exchange.ts';

/** Reading these resources costs no request of the key: clients poll them while a job runs. */
const FREE = /^\/v1\/(?:batches|files|fine_tuning)(?:\/|$)/;

export interface AdmitPorts {
  readonly limiter: Limiter;
  /** Unix time in ms. */
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
  const result = limiter.reserve(requestDemands(key), nowMs);
  if (!(result instanceof Promise)) return refuseDenied(key.name, result);
  return result.then((settled) => refuseDenied(key.name, settled));
}

// A memo of a pure function: keys serve many requests.
const demandsOf = new WeakMap<KeyRecord, readonly Demand[]>();

/** One request of each limit; the count is exact, so there is nothing to settle. */
function requestDemands(key: KeyRecord): readonly Demand[] {
  const known = demandsOf.get(key);
  if (known !== undefined) return known;
  const { id: subject, workspace, rateLimits } = key;
  const demands = rateLimits.map(({ type, unit, value }) => ({
    subject,
    slot: workspace ?? '',
    unit: type,
    window: unit,
    limit: value,
    cost: 1,
  }));
  demandsOf.set(key, demands);
  return demands;
}

function refuseDenied(name: string, result: Reservation | Denial): void {
  if (result.allowed) return;
  const { limit, window } = result.demand;
  throw new AppError('KEY_RATE_LIMITED', {
    detail: `The API key ${name} exceeded its limit of ${limit} requests (${window})`,
    retryAfterMs: result.retryAfterMs,
  });
}

/** `Retry-After` of a key with too many requests under way, in ms: one of them may end at any time. */
const BUSY_AFTER_MS = 1_000;

/** Counts the request as one of its key until its answer has left. Throws KEY_CONCURRENCY_EXCEEDED. */
export function holdConcurrencySlot(
  { key }: Caller,
  exchange: Pick<Exchange, 'atEnd' | 'signal'>,
  { concurrency }: { readonly concurrency: Concurrency },
): void | Promise<void> {
  const entered = concurrency.enter(key.id);
  if (!(entered instanceof Promise)) return hold(entered, exchange);
  return entered.then((leave) => {
    if (!exchange.signal.cancelled) return hold(leave, exchange);
    leave?.(); // the request has ended meanwhile: its end is not announced again
    throw exchange.signal.reason;
  });
}

function hold(leave: Leave | undefined, { atEnd }: Pick<Exchange, 'atEnd'>): void {
  if (leave === undefined) throw new AppError('KEY_CONCURRENCY_EXCEEDED', { retryAfterMs: BUSY_AFTER_MS });
  atEnd(leave);
}
