/** When each version was first seen at one place. */
export interface Marks {
  /** The newest version seen; 0 before the first. */
  readonly version: number;
  note(version: number): void;
  /** When this version or a later one was seen, in ms of `performance.now()`; rejects after the time. */
  reach(version: number, timeoutMs: number): Promise<number>;
}

/** Versions whose time is kept: far more than are waited for at a time. */
const MAX_KEPT = 1_000;

interface Waiter {
  readonly version: number;
  readonly resolve: (atMs: number) => void;
}

/** Begins with nothing seen. */
export function createMarks(place: string): Marks {
  let kept: readonly { readonly version: number; readonly atMs: number }[] = [];
  let waiters: readonly Waiter[] = [];
  return {
    get version() {
      return kept.at(-1)?.version ?? 0;
    },
    note: (version) => {
      if (version <= (kept.at(-1)?.version ?? 0)) return;
      const atMs = performance.now();
      kept = [...kept.slice(1 - MAX_KEPT), { version, atMs }];
      const due = waiters.filter((waiter) => waiter.version <= version);
      waiters = waiters.filter((waiter) => waiter.version > version);
      for (const { resolve } of due) resolve(atMs);
    },
    reach: async (version, timeoutMs) => {
      const known = kept.find((mark) => mark.version >= version);
      if (known !== undefined) return known.atMs;
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      waiters = [...waiters, { version, resolve }];
      const timer = setTimeout(() => reject(new Error(`${place} did not get to version ${version}`)), timeoutMs);
      return promise.finally(() => clearTimeout(timer));
    },
  };
}
