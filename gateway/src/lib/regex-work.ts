/** The work that the patterns of one request may still do. */
export interface RegexWork {
  /** Units: about one per character, more where the automaton meets a state for the first time. */
  left: number;
  /** Resolves when the next slice may run. */
  nextSlice(): Promise<void>;
}

/** Work that can be interrupted. */
export interface RegexTask<T> {
  /** Works until no more than `until` units are left; undefined: there is more to do. */
  advance(work: RegexWork, until: number): T | undefined;
  /** Releases what is not worth keeping. */
  end(): void;
}

/** Work without a pause, in units: a few ms. */
const SLICE_UNITS = 50_000;

/** Does the work at once when it is little, and in slices otherwise. */
export function runTask<T>(task: RegexTask<T>, work: RegexWork): T | Promise<T> {
  const first = task.advance(work, sliceEnd(work));
  if (first === undefined) return inSlices(task, work).finally(task.end);
  task.end();
  return first;
}

async function inSlices<T>(task: RegexTask<T>, work: RegexWork): Promise<T> {
  for (;;) {
    await work.nextSlice();
    const result = task.advance(work, sliceEnd(work));
    if (result !== undefined) return result;
  }
}

const sliceEnd = (work: RegexWork): number => Math.max(0, work.left - SLICE_UNITS);
