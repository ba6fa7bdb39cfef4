/** Work that is interrupted: yields where others must run, and promises that must be settled before it goes on. */
export type Steps<T> = Generator<Promise<unknown> | undefined, T, unknown>;

/** Does the work at once when it yields nothing. Throws, or rejects with, what the work throws. */
export function runSteps<T>(steps: Steps<T>, nextSlice: () => Promise<void>): T | Promise<T> {
  const first = steps.next();
  return first.done ? first.value : goOn(steps, first.value, nextSlice);
}

async function goOn<T>(
  steps: Steps<T>,
  first: Promise<unknown> | undefined,
  nextSlice: () => Promise<void>,
): Promise<T> {
  for (let waits = first; ; ) {
    const next = steps.next(await (waits ?? nextSlice()));
    if (next.done) return next.value;
    waits = next.value;
  }
}
