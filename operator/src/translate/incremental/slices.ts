/** Long computations in slices: the caller decides what happens between two of them. */

/** Yields after each slice and returns the result. */
export type Sliced<T> = Generator<undefined, T, undefined>;

/** Objects per slice: most take microseconds, the largest some milliseconds. */
const SLICE = 4;

/** Visits the items and yields after each slice. */
export function* inSlices<T>(items: Iterable<T>, visit: (item: T) => void): Sliced<void> {
  let count = 0;
  for (const item of items) {
    visit(item);
    count += 1;
    if (count % SLICE === 0) yield;
  }
}

/** Runs to the end without pauses. */
export function runToEnd<T>(steps: Sliced<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
