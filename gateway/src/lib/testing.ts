/** Shared by the tests beside the source. */
import { type ByteAccount, createByteBudget } from './byte-budget.ts';
import { Cancellation, type CancelSignal } from './cancellation.ts';

/** An account that always has room. */
export const unlimitedAccount = (): ByteAccount => createByteBudget(Number.MAX_SAFE_INTEGER).open();

/** A signal that was cancelled before anyone looked at it. */
export function cancelledBy(reason: unknown): CancelSignal {
  const cancellation = new Cancellation();
  cancellation.cancel(reason);
  return cancellation;
}
