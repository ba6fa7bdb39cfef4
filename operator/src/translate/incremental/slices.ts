/** Long computations in slices: who runs one decides what happens between two of them. */

/** Gives way after each slice and ends with the result. */
export type Sliced<T> = Generator<undefined, T, undefined>;

/** Objects of a slice: most take microseconds, the largest some milliseconds. */
const SLICE = 4;

/** Goes through the items, giving way after each slice. */
export function* inSlices<T>(items: Iterable<T>, visit: (item: T) => void): Sliced<void> {
  let count = 0;
  for (const item of items) {
    visit(item);
    count += 1;
    if (count % SLICE === 0) yield;
  }
}

/** Runs to the end without a pause. */
export function runToEnd<T>(steps: Sliced<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
