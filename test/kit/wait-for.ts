import { setTimeout as pause } from 'node:timers/promises';

export interface WaitOptions {
  /** Ends a wait for something that never comes. It asserts nothing about speed: on a busy machine everything is slow. */
  readonly deadlineMs?: number;
  /** What is waited for, for the message of the failure. */
  readonly what?: string;
}

/** Beside other work a process may need a minute and more to start. The time of a test is longer, so that this says what failed. */
const DEADLINE_MS = 240_000;

/** The first truthy value of the condition; fails the test at the deadline. */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { deadlineMs = DEADLINE_MS, what = 'a condition' }: WaitOptions = {},
): Promise<NonNullable<T>> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`${what} did not hold within ${deadlineMs} ms`);
    await pause(5); // the pause of a poll with a deadline
  }
}
