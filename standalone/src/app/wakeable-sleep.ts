export interface WakeableSleep {
  /** Ends the wait, or the next one if nobody waits. */
  wake(): void;
  /** True when it was woken, false after the time or when the signal ends. */
  wait(ms: number, signal: AbortSignal): Promise<boolean>;
}

/** A sleep that can be ended from outside. */
export function createWakeableSleep(): WakeableSleep {
  let woken = false;
  let finishWait: (() => void) | undefined;
  return {
    wake: () => {
      woken = true;
      finishWait?.();
    },
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const finish = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', finish);
          finishWait = undefined;
          resolve(woken);
          woken = false;
        };
        const timer = setTimeout(finish, ms);
        finishWait = finish;
        signal.addEventListener('abort', finish, { once: true });
        if (woken || signal.aborted) finish();
      }),
  };
}
