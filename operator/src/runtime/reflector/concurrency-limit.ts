/** Runs work as soon as the limit allows it. */
export type ConcurrencyLimit = <R>(signal: AbortSignal, work: () => Promise<R>) => Promise<R>;

/** No limit. */
export const unlimited: ConcurrencyLimit = (_signal, work) => work();

type Enter = () => void;

/**
 * Runs at most `width` tasks at the same time; the others wait in order, in one line per name. Lines alternate, so that a long
 * one delays the others by one task at most.
 */
export function createConcurrencyLimit(width: number): (line: string) => ConcurrencyLimit {
  const lines = new Map<string, Set<Enter>>();
  let running = 0;
  const queue = (name: string, enter: Enter): void => {
    const line = lines.get(name) ?? new Set<Enter>();
    lines.set(name, line.add(enter));
  };
  const unqueue = (name: string, enter: Enter): void => {
    const line = lines.get(name);
    line?.delete(enter);
    if (line?.size === 0) lines.delete(name);
  };
  const enter = (name: string, signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (running < width) {
      running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        unqueue(name, onTurn);
        reject(signal.reason);
      };
      const onTurn = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      queue(name, onTurn);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  };
  const leave = (): void => {
    const [first] = lines;
    if (first === undefined) {
      running -= 1;
      return;
    }
    const [name, line] = first;
    const [next] = line;
    lines.delete(name); // the next line is served first next time
    if (next === undefined) return;
    line.delete(next);
    if (line.size > 0) lines.set(name, line);
    next(); // takes over the slot
  };
  return (name) => async (signal, work) => {
    await enter(name, signal);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
