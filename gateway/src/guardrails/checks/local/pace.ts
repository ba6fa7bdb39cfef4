/** Longest run without a pause, in ms. */
const SLICE_MS = 3;

/** Pauses work that has run for a slice of time; to be awaited every few thousand characters. */
export function createPace(nextSlice: () => Promise<void>): () => Promise<void> {
  let end = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < end) return;
    await nextSlice();
    end = performance.now() + SLICE_MS;
  };
}
