import { setTimeout as pause } from 'node:timers/promises';

export interface WaitOptions {
  readonly deadlineMs?: number;
  /** What is waited for, for the message of the failure. */
  readonly what?: string;
}

/** The first truthy value of the condition; fails the test at the deadline. */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { deadlineMs = 10_000, what = 'a condition' }: WaitOptions = {},
): Promise<NonNullable<T>> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`${what} did not hold within ${deadlineMs} ms`);
    await pause(5); // the pause of a poll with a deadline
  }
}
