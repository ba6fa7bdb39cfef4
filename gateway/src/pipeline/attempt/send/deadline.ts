import { AppError } from '../../../errors/index.ts';

export interface Deadline {
  readonly signal: AbortSignal;
  /** Stops the timer; the signal still follows the request. */
  clear(): void;
}

/** A signal that follows the request and, until cleared, ends after `timeoutMs` with UPSTREAM_TIMEOUT. 0: never. */
export function startDeadline(signal: AbortSignal, timeoutMs: number): Deadline {
  if (timeoutMs === 0) return { signal, clear: () => undefined };
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    timeout.abort(
      new AppError('UPSTREAM_TIMEOUT', {
        detail: `Request exceeded the timeout of ${timeoutMs} ms (x-gw-request-timeout, or request_timeout of the config)`,
      }),
    );
  }, timeoutMs);
  return { signal: AbortSignal.any([signal, timeout.signal]), clear: () => clearTimeout(timer) };
}
