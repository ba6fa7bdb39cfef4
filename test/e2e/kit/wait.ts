import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '@gatehouse/test/kit';

/** Between two looks: an API server that is asked all the time would slow down what is waited for. */
const LOOK_EVERY_MS = 50;

/** The first truthy value of the condition, which may also fail until then; fails the test at the deadline. */
export function eventually<T>(
  what: string,
  condition: () => T | Promise<T>,
  deadlineMs = 30_000,
): Promise<NonNullable<T>> {
  return waitFor(
    async () => {
      const value = await condition();
      if (!value) await pause(LOOK_EVERY_MS);
      return value;
    },
    { deadlineMs, what },
  );
}
