export interface Alarm {
  /** Ends the wait, or the next one if nobody waits. */
  ring(): void;
  /** True when it rang, false after the time or when the signal ends. */
  wait(ms: number, signal: AbortSignal): Promise<boolean>;
}

/** A sleep that can be ended from outside. */
export function createAlarm(): Alarm {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring: () => {
      rung = true;
      wake?.();
    },
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const finish = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', finish);
          wake = undefined;
          resolve(rung);
          rung = false;
        };
        const timer = setTimeout(finish, ms);
        wake = finish;
        signal.addEventListener('abort', finish, { once: true });
        if (rung || signal.aborted) finish();
      }),
  };
}
