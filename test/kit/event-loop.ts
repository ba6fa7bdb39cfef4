import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * The most CPU time that one turn of the event loop took while the work ran, in ms. CPU time of this thread and not the
 * clock: a machine that does other work changes nothing.
 */
export async function costliestTurnMs(work: Promise<unknown>): Promise<number> {
  let isRunning = true;
  const ended = work.finally(() => {
    isRunning = false;
  });
  let most = 0;
  while (isRunning) {
    const before = process.threadCpuUsage();
    await nextTurn();
    const { user, system } = process.threadCpuUsage(before);
    most = Math.max(most, (user + system) / 1_000);
  }
  await ended;
  return most;
}
