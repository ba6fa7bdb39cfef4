export interface WakeableSleep {
  /** Ends the current wait, or the next one. */
  wake(): void;
  /** Resolves to true when woken, to false after the time or on abort. */
  wait(ms: number, signal: AbortSignal): Promise<boolean>;
}

/** A sleep that can be ended early. */
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
