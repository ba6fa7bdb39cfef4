import type { Bench } from '../bench.ts';
import { chatBody, closedLoop, openLoop } from '../load/index.ts';
import { type Peer, startBare, startGatehouse } from '../peers/index.ts';
import { undisturbed } from '../quiet.ts';
import { interleave, median, medians, pairedDifference } from '../rounds.ts';
import type { Row } from '../table.ts';
import { startNginx } from '../upstream/index.ts';
import { directPeer } from './measure.ts';
import { verdictAtMost } from './verdict.ts';

const BODY = chatBody(1024);
const WARMUP_SECONDS = 1;
/** More than any peer can answer here: the rest waits until it is answered. */
const OVERLOAD_PER_SECOND = 20_000;

interface Round {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
}

/**
 * What the gateway adds to every request at half load: the same constant rate for all peers, half of what this generator gets
 * answered at most when it, the gateway and the upstream share the cores. It needs more CPU than a closed loop, and a request
 * that comes alone costs the gateway more than one of a batch: half of the closed loop's rate would be nearly full load here.
 */
export async function latency(bench: Bench): Promise<readonly Row[]> {
  const upstream = await startNginx(bench);
  const direct = directPeer(upstream);
  const bare = await startBare(bench, upstream.port);
  const gatehouse = await startGatehouse(bench, upstream.port);
  const loads = { body: BODY, warmupSeconds: WARMUP_SECONDS, seconds: bench.seconds };
  for (const { target } of [bare, gatehouse])
    await closedLoop(bench, { target, body: BODY, connections: 64, seconds: 3 });
  const overload = { ...loads, target: gatehouse.target, ratePerSecond: OVERLOAD_PER_SECOND };
  const most = [await openLoop(bench, overload), await openLoop(bench, overload)];
  const ratePerSecond = Math.round(median(most.map(({ answersPerSecond }) => answersPerSecond)) / 2);

  const rounds = await interleave([direct, bare, gatehouse], bench.rounds, async ({ name, target }, round) => {
    const { latency, failed } = await undisturbed(bench, () => openLoop(bench, { ...loads, target, ratePerSecond }));
    bench.say(`round ${round + 1}: ${name}: p99 ${latency.p99} µs at ${ratePerSecond} requests/s`);
    return { p50Ms: latency.p50 / 1_000, p99Ms: latency.p99 / 1_000, failed };
  });
  await Promise.all([upstream, bare, gatehouse].map((running) => running.stop()));

  const of = (peer: Peer): readonly Round[] => rounds.get(peer) ?? [];
  const above = (peer: Peer, percentile: 'p50Ms' | 'p99Ms'): number =>
    pairedDifference(
      of(gatehouse).map((round) => round[percentile]),
      of(peer).map((round) => round[percentile]),
    );
  const row = (peer: Peer): Row => {
    const { failed, ...numbers } = medians(of(peer));
    const base = { what: 'latency at half load', peer: peer.name, requestsPerSecond: ratePerSecond, ...numbers };
    return failed === 0 ? base : { ...base, note: `${failed} requests failed` };
  };
  const verdicts = [
    verdictAtMost(above(direct, 'p50Ms'), 0.3, (ms) => `${ms} ms added, p50`),
    verdictAtMost(above(bare, 'p99Ms'), 3, (ms) => `${ms} ms more than bare, p99`),
  ];
  return [row(direct), row(bare), { ...row(gatehouse), verdicts }];
}
