import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import { treeCpuMs, USER_HZ_MS } from './usage.ts';

/** How much more of a core other programs may use while something is measured than they did before. */
const MORE_FOREIGN = 0.08;
/** More than this is nothing that is always there: a busy beginning must not excuse busy measurements. */
const MAX_BACKGROUND = 0.2;
const MAX_TRIES = 3;
const WATCHES = 4;
const WATCH_MS = 1_000;

/** What other programs use of the machine while the bench does nothing, as a share of one core. */
export async function watchBackground(): Promise<number> {
  const shares: number[] = [];
  while (shares.length < WATCHES) shares.push((await withForeign(() => wait(WATCH_MS))).foreign);
  return Math.min(...shares); // the quietest moment: what is always there
}

/**
 * Measures, and measures again when other programs used more of the machine meanwhile than in the background. When that
 * helps nothing, the least disturbed result counts, and the bench reports it.
 */
export async function undisturbed<T>({ say, background }: Bench, measure: () => Promise<T>): Promise<T> {
  const most = Math.min(background, MAX_BACKGROUND) + MORE_FOREIGN;
  let best = await withForeign(measure);
  for (let tries = 1; tries < MAX_TRIES && best.foreign > most; tries += 1) {
    say(`measured again: other programs used ${Math.round(100 * best.foreign)} % of a core`);
    const next = await withForeign(measure);
    if (next.foreign < best.foreign) best = next;
  }
  return best.result;
}

async function withForeign<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly foreign: number }> {
  const startMs = performance.now();
  const before = await foreignCpuMs();
  const result = await work();
  const foreign = ((await foreignCpuMs()) - before) / (performance.now() - startMs);
  return { result, foreign: Math.max(0, foreign) };
}

/** CPU time of the machine since its start that was not this process's or its children's. */
async function foreignCpuMs(): Promise<number> {
  const [machine, own] = await Promise.all([readFile('/proc/stat', 'utf8').then(parseBusyMs), treeCpuMs(process.pid)]);
  return machine - own;
}

/** User, nice, system, interrupt and steal time in the text of /proc/stat (proc(5)), all cores together. */
export function parseBusyMs(stat: string): number {
  const [user, nice, system, , , irq, softirq, steal] = stat.split('\n', 1)[0]?.split(/\s+/).slice(1).map(Number) ?? [];
  return [user, nice, system, irq, softirq, steal].reduce<number>((sum, ticks = 0) => sum + ticks, 0) * USER_HZ_MS;
}
