/** Bounds how many requests of one subject are in flight, streams included. */
export interface Concurrency {
  /** Counts a request and returns the function that ends it; undefined when the subject is at its bound. */
  enter(subject: string): (() => void) | undefined;
}

/** `max`: requests per subject; 0: no bound. Subjects without a request take no memory. */
export function createConcurrency(max: number): Concurrency {
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
