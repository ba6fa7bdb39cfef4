import { setTimeout as wait } from 'node:timers/promises';

/** Longest wait of a test for something that takes milliseconds on an idle machine. */
const DEADLINE_MS = 5_000;
const STEP_MS = 10;

/** Polls until the result is not undefined; rejects with what it waited for after the deadline. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const endMs = performance.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > endMs) throw new Error(`waited ${deadlineMs} ms for ${what}`);
    await wait(STEP_MS);
  }
}
