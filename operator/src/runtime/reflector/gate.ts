/** Runs work once there is room for it. */
export type Gate = <R>(signal: AbortSignal, work: () => Promise<R>) => Promise<R>;

/** Lets everything through at once. */
export const openGate: Gate = (_signal, work) => work();

/** Lets at most `width` pieces of work run at the same time; the others wait in order. */
export function createGate(width: number): Gate {
  const waiting = new Set<() => void>();
  let running = 0;
  const enter = (signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (running < width) {
      running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        waiting.delete(onTurn);
        reject(signal.reason);
      };
      const onTurn = (): void => {
        waiting.delete(onTurn);
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      waiting.add(onTurn);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  };
  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) running -= 1;
    else next(); // takes over the place
  };
  return async (signal, work) => {
    await enter(signal);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
