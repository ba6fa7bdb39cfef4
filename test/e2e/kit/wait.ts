import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '@gatehouse/test/kit';

/** Between two polls: more of them would slow down the API server, and with it what is waited for. */
const LOOK_EVERY_MS = 50;

/** The first truthy value of the condition; fails the test at the deadline. */
export async function eventually<T>(
  what: string,
  condition: () => T | Promise<T>,
  deadlineMs = 300_000,
): Promise<Exclude<NonNullable<T>, false>> {
  const found = await waitFor(
    async () => {
      const value = await condition();
      if (!value) await pause(LOOK_EVERY_MS);
      return value;
    },
    { deadlineMs, what },
  );
  return found as Exclude<NonNullable<T>, false>; // it is truthy, which the type of waitFor does not say
}
