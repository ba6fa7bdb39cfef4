/** Ends a request that was counted; further calls do nothing. */
export type Leave = () => void;

/** Bounds how many requests of one subject are in flight, streams included. */
export interface Concurrency {
  /** Counts a request; undefined when the subject is at its bound. One in memory answers with values. */
  enter(subject: string): Leave | undefined | Promise<Leave | undefined>;
}

export interface MemoryConcurrency extends Concurrency {
  enter(subject: string): Leave | undefined;
}

/** `max`: requests per subject; 0: no bound. Subjects without a request take no memory. */
export function createConcurrency(max: number): MemoryConcurrency {
  const serving = new Map<string, number>();
  return {
    enter: (subject) => {
      const count = serving.get(subject) ?? 0;
      if (max > 0 && count >= max) return undefined;
      serving.set(subject, count + 1);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        const now = (serving.get(subject) ?? 1) - 1;
        if (now > 0) serving.set(subject, now);
        else serving.delete(subject);
      };
    },
  };
}
