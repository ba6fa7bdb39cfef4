/** How many requests of a key are in flight; docs/behaviour/limits.md#concurrent-requests. */
import { AppError } from '../errors/index.ts';
import type { Concurrency, Leave } from '../limits/index.ts';
import type { Caller, Exchange } from './exchange.ts';

/** `Retry-After` of a key with too many requests under way, in ms: one of them may end at any time. */
const BUSY_AFTER_MS = 1_000;

/** Counts the request as one of its key until its answer has left. Throws KEY_CONCURRENCY_EXCEEDED. */
export function holdConcurrencySlot(
  { key }: Caller,
  exchange: Pick<Exchange, 'atEnd' | 'signal' | 'settlement'>,
  { concurrency }: { readonly concurrency: Concurrency },
): void | Promise<void> {
  if (exchange.settlement !== undefined) return; // no call of the key
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
