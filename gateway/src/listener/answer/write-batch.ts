/** Runs a write at the end of the event loop's turn, together with the others of that turn. A write must not throw. */
export type BatchWrite = (write: () => void) => void;

/**
 * Answers that are written right after each other wake their readers once. Written one by one, between the work for other
 * requests, each pays for a wake-up, which costs more than the write.
 */
export function createWriteBatch(): BatchWrite {
  let waiting: (() => void)[] = [];
  const run = (): void => {
    const due = waiting;
    waiting = [];
    for (const write of due) write();
  };
  return (write) => {
    if (waiting.push(write) === 1) setImmediate(run);
  };
}
