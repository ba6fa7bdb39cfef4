import { setTimeout as wait } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { chatBody } from '../load/index.ts';
import { type Gatehouse, startGatehouse } from '../peers/index.ts';
import { median, pairedRatio } from '../rounds.ts';
import type { Row } from '../table.ts';
import { startNginx } from '../upstream/index.ts';
import { usageOf } from '../usage.ts';
import { closedLoopRounds, closedLoopRow, ratesOf } from './measure.ts';
import { verdictAtLeast, verdictAtMost } from './verdict.ts';

const KEYS = 100_000;
const SETTLE_MS = 3_000;
const LOAD = { body: chatBody(1024), connections: 64 };

/** A gateway with 100,000 keys: loading them, holding them, and finding them beside a gateway with one. */
export async function keys(bench: Bench): Promise<readonly Row[]> {
  const upstream = await startNginx(bench);
  const loads: { readonly loadMs: number; readonly stallMs: number; readonly rssMb: number }[] = [];
  let many: Gatehouse | undefined;
  for (let round = 0; round < bench.rounds; round += 1) {
    await many?.stop();
    many = await startGatehouse(bench, upstream.port, { keys: KEYS });
    await wait(SETTLE_MS);
    const { loadMs, longestStallMs: stallMs } = many;
    loads.push({ loadMs, stallMs, rssMb: (await usageOf(many.pid)).rssMb });
    bench.say(`round ${round + 1}: loaded in ${Math.round(loadMs)} ms`);
  }
  const rssMb = median(loads.map((load) => load.rssMb));
  const verdicts = [
    verdictAtMost(rssMb, 400, (mb) => `${mb} MB RSS`),
    verdictAtMost(median(loads.map(({ loadMs }) => loadMs)) / 1_000, 3, (seconds) => `${seconds} s to load`),
    verdictAtMost(median(loads.map(({ stallMs }) => stallMs)), 20, (ms) => `${ms} ms longest stall`),
  ];
  const loaded: Row = { what: '100,000 keys loaded', peer: 'Gatehouse', rssMb, verdicts };
  if (many === undefined) return [loaded];
  const lookups = await lookUps(bench, upstream.port, many);
  await Promise.all([upstream, many].map((running) => running.stop()));
  return [loaded, ...lookups];
}

/** Throughput with keys drawn from all of them, beside a gateway with one key: look-ups must not get slower. */
async function lookUps(bench: Bench, upstreamPort: number, many: Gatehouse): Promise<readonly Row[]> {
  const one = await startGatehouse(bench, upstreamPort, { keys: 1 });
  const rounds = await closedLoopRounds(bench, [many, one], LOAD);
  await one.stop();
  const ratio = pairedRatio(ratesOf(rounds.get(many)), ratesOf(rounds.get(one)));
  return [
    closedLoopRow('unary chat, 1 key', one, rounds.get(one) ?? []),
    {
      ...closedLoopRow('unary chat, 100,000 keys', many, rounds.get(many) ?? []),
      verdicts: [verdictAtLeast(100 * ratio, 90, (percent) => `${percent} % of one key`)],
    },
  ];
}
