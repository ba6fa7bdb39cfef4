/** Delays between tries: growing while a server is unreachable, and spread so that clients do not reconnect together. */

export interface Backoff {
  /** The next delay in ms: random between the minimum and a ceiling that doubles with every call since the last reset. */
  next(): number;
  reset(): void;
}

/** `random` is uniform in [0, 1). */
export function createBackoff(
  { minMs, maxMs }: { readonly minMs: number; readonly maxMs: number },
  random: () => number,
): Backoff {
  let ceilingMs = minMs;
  return {
    next: () => {
      ceilingMs = Math.min(maxMs, ceilingMs * 2);
      return minMs + random() * (ceilingMs - minMs);
    },
    reset: () => {
      ceilingMs = minMs;
    },
  };
}

/** Resolves after the time, or as soon as the signal is aborted. */
export function sleepUntilAborted(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
  });
}

/** A signal that follows another one and aborts when it is not extended in time. */
export interface IdleTimeout extends Disposable {
  readonly signal: AbortSignal;
  extend(): void;
}

export function startIdleTimeout(signal: AbortSignal, timeoutMs: number): IdleTimeout {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => controller.abort(new Error('no answer in time')), timeoutMs);
  return {
    signal: controller.signal,
    extend: () => timer.refresh(),
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
