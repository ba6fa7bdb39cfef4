/** Time as an argument: code that waits or writes times takes a Clock, so that tests need no sleeping. */
export interface Clock {
  /** Monotonic milliseconds, for durations. */
  monotonicMs(): number;
  /** Milliseconds since 1970, for times in objects. */
  wallMs(): number;
  /** Runs once after a delay unless disposed before. */
  schedule(delayMs: number, run: () => void): Disposable;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  schedule: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** Resolves after a delay; rejects with the reason of the signal as soon as it is aborted. */
export function sleep(delayMs: number, { signal, clock }: { signal: AbortSignal; clock: Clock }): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      timer[Symbol.dispose]();
      reject(signal.reason);
    };
    const timer = clock.schedule(delayMs, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** The result of the work, or a rejection with the reason of the signal; the work itself goes on. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
