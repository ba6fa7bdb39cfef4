/** Puts a task off to the end of the event loop's turn, where all of them run together. A task must not throw. */
export type Defer = (task: () => void) => void;

/**
 * Answers that are written one right after the other wake their readers once; written one by one, between the work for
 * other requests, each of them pays for a wake-up, which costs more than the write.
 */
export function createDefer(): Defer {
  let waiting: (() => void)[] = [];
  const run = (): void => {
    const due = waiting;
    waiting = [];
    for (const task of due) task();
  };
  return (task) => {
    if (waiting.push(task) === 1) setImmediate(run);
  };
}
