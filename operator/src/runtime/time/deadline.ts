import { type Clock, systemClock } from './clock.ts';

export interface DeadlineOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The reason of the inner signal after the timeout. */
  readonly onTimeout: () => Error;
  readonly clock?: Clock | undefined;
}

/** A signal that follows another one and also aborts after a time; dispose it when the work is over. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Starts the time again, optionally with another duration. */
  extend(timeoutMs?: number): void;
}

/** Unlike `AbortSignal.any`, it leaves no listener on a signal that lives as long as the process. */
export function startDeadline({ signal, timeoutMs, onTimeout, clock = systemClock }: DeadlineOptions): Deadline {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  const start = (delayMs: number): Disposable => clock.schedule(delayMs, () => controller.abort(onTimeout()));
  let timer = start(timeoutMs);
  return {
    signal: controller.signal,
    extend: (delayMs = timeoutMs) => {
      timer[Symbol.dispose]();
      timer = start(delayMs);
    },
    [Symbol.dispose]: () => {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', onAbort);
    },
  };
}
