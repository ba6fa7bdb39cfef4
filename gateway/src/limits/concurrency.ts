/** How many requests of one subject are served at the same time, streams included. */
export interface Concurrency {
  /** Counts a request; answers with what ends it, or undefined when as many are served as may be. */
  enter(subject: string): (() => void) | undefined;
}

/** `max`: per subject; 0: as many as come. Subjects without a request take no room. */
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
