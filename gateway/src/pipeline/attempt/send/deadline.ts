import { AppError } from '../../../errors/index.ts';
import { Cancellation, type CancelSignal } from '../../../lib/cancellation.ts';

export interface Deadline {
  readonly signal: CancelSignal;
  /** Stops the timer; the signal still follows the request. */
  clear(): void;
}

const NOTHING_TO_CLEAR = (): void => undefined;

/** A signal that follows the request and, until cleared, ends after `timeoutMs` with UPSTREAM_TIMEOUT. 0: never. */
export function startDeadline(signal: CancelSignal, timeoutMs: number): Deadline {
  if (timeoutMs === 0) return { signal, clear: NOTHING_TO_CLEAR };
  const either = new Cancellation();
  const timer = setTimeout(() => {
    either.cancel(
      new AppError('UPSTREAM_TIMEOUT', {
        detail: `Request exceeded the timeout of ${timeoutMs} ms (x-gw-request-timeout, or request_timeout of the config)`,
      }),
    );
  }, timeoutMs);
  signal.onCancel(() => either.cancel(signal.reason));
  return { signal: either, clear: () => clearTimeout(timer) };
}
