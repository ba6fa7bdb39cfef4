import { setTimeout as wait } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { startGatehouse } from '../peers/index.ts';
import { freePort } from '../ports.ts';
import { median } from '../rounds.ts';
import type { Row } from '../table.ts';
import { usageOf } from '../usage.ts';
import { verdictAtMost } from './verdict.ts';

/** 1,000 objects, with the organisation, its workspace, `@openai` and the credentials that are entries of their own. */
const OBJECTS = { keys: 597, providers: 200, configs: 200 };
const SETTLE_MS = 3_000;

/** Start of a gateway with 1,000 objects, and what it needs while nothing happens. */
export async function idle(bench: Bench): Promise<readonly Row[]> {
  const upstreamPort = await freePort(); // never called
  const starts: number[] = [];
  const sizes: number[] = [];
  for (let round = 0; round < bench.rounds; round += 1) {
    const gatehouse = await startGatehouse(bench, upstreamPort, OBJECTS);
    await wait(SETTLE_MS);
    starts.push(gatehouse.startMs);
    sizes.push((await usageOf(gatehouse.pid)).rssMb);
    await gatehouse.stop();
    bench.say(`round ${round + 1}: ready after ${Math.round(gatehouse.startMs)} ms`);
  }
  const rssMb = median(sizes);
  const verdicts = [
    verdictAtMost(rssMb, 120, (mb) => `${mb} MB RSS`),
    verdictAtMost(median(starts) / 1_000, 1, (seconds) => `${seconds} s to ready`),
  ];
  return [{ what: 'idle, 1,000 objects', peer: 'Gatehouse', rssMb, verdicts }];
}
