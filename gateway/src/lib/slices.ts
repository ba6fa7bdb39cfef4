import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest run without yielding to the event loop, in ms; a Snapshot load may stall requests for at most 20 ms. */
const SLICE_MS = 8;

/** Visits every item, yielding to other work whenever a slice of time is used up. */
export async function forEachInSlices<T>(items: Iterable<T>, visit: (item: T) => void): Promise<void> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (const item of items) {
    visit(item);
    if (performance.now() < sliceEnd) continue;
    await nextTurn();
    sliceEnd = performance.now() + SLICE_MS;
  }
}
