import { setTimeout as wait } from 'node:timers/promises';
import type { OperatorProcess } from './programs.ts';

const STATUSES = 'gatehouse_operator_status_writes_total';
const POLL_MS = 1_000;
/** Without a further status for so many polls there are none left. */
const QUIET_POLLS = 5;
/** Written statuses between two lines of progress. */
const PROGRESS = 5_000;
/** Two hundred thousand statuses on a machine that is busy with other work. */
const DEADLINE_MS = 3_000_000;

/** Waits until the operator has written statuses and has none left to write; answers when it wrote the last, in ms of `performance.now()`. Rejects after the deadline. */
export async function settle(operator: OperatorProcess, say: (text: string) => void): Promise<number> {
  const endMs = performance.now() + DEADLINE_MS;
  let lastMs = performance.now();
  for (let [last, quiet] = [0, 0]; ; ) {
    if (performance.now() > endMs) throw new Error(`statuses are still being written: ${last}`);
    await wait(POLL_MS);
    const written = await operator.metric(STATUSES, '"written"');
    quiet = written > 0 && written === last ? quiet + 1 : 0;
    if (quiet === QUIET_POLLS) return lastMs;
    if (quiet === 0) lastMs = performance.now();
    if (Math.floor(written / PROGRESS) > Math.floor(last / PROGRESS)) say(`${written} statuses written`);
    last = written;
  }
}
