import type { Bench } from '../bench.ts';
import { chatBody } from '../load/index.ts';
import { startGatehouse } from '../peers/index.ts';
import { freePort } from '../ports.ts';
import { pairedRatio } from '../rounds.ts';
import type { Row } from '../table.ts';
import { startNginx } from '../upstream/index.ts';
import { closedLoopRounds, closedLoopRow, ratesOf } from './measure.ts';
import { verdictAtLeast } from './verdict.ts';

const WHAT = 'unary chat, limits of all owners';
const LOAD = { body: chatBody(1024), connections: 64 };

/** Throughput with limits and budgets on every owner and both kinds of policies, beside a gateway without any. */
export async function limits(bench: Bench): Promise<readonly Row[]> {
  const upstream = await startNginx(bench);
  const redisPort = await freePort();
  const redis = await bench.processes.startListener(bench.tools.redis, redisPort, {
    args: ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--daemonize', 'no'],
  });
  const off = await startGatehouse(bench, upstream.port, { features: 'unlimited', name: 'off' });
  const inMemory = await startGatehouse(bench, upstream.port, { features: 'limits', name: 'all, in memory' });
  const inRedis = await startGatehouse(bench, upstream.port, { features: 'limits', redisPort, name: 'all, in Redis' });
  const peers = [off, inMemory, inRedis];
  const rounds = await closedLoopRounds(bench, peers, LOAD);
  await Promise.all([upstream, redis, ...peers].map((running) => running.stop()));

  const goals = [
    { peer: inMemory, percent: 90 },
    { peer: inRedis, percent: 70 },
  ];
  return peers.map((peer) => {
    const row = closedLoopRow(WHAT, peer, rounds.get(peer) ?? []);
    const goal = goals.find((known) => known.peer === peer);
    if (goal === undefined) return row;
    const measured = 100 * pairedRatio(ratesOf(rounds.get(peer)), ratesOf(rounds.get(off)));
    return { ...row, verdicts: [verdictAtLeast(measured, goal.percent, (number) => `${number} % of off`)] };
  });
}
