import type { Bench } from '../bench.ts';
import { chatBody } from '../load/index.ts';
import {
  type Missing,
  type Peer,
  startBare,
  startEarlier,
  startGatehouse,
  startLitellm,
  startNginxProxy,
  startPortkey,
} from '../peers/index.ts';
import { pairedRatio } from '../rounds.ts';
import type { Row } from '../table.ts';
import { startNginx } from '../upstream/index.ts';
import { closedLoopRounds, closedLoopRow, directPeer, earlierVerdicts, ratesOf } from './measure.ts';
import { stretch, verdictAtLeast } from './verdict.ts';

const WHAT = 'unary chat, 64 connections';
const LOAD = { body: chatBody(1024), connections: 64 };

/** Peers that Gatehouse is compared with, and how many times their throughput it should have. */
const OTHERS = [
  { name: 'portkey', start: startPortkey, times: 10 },
  { name: 'litellm', start: startLitellm, times: 150 },
] as const;

/** Percent of the bare proxy's throughput. */
const GOAL = 70;
const STRETCH = 85;

const isMissing = (peer: Peer | Missing): peer is Missing => 'reason' in peer;

const ofBare = (percent: string): string => `${percent} % of bare`;

/** Requests per second of all peers in a closed loop: 1 KiB in, 0.5 KiB out. */
export async function unary(bench: Bench): Promise<readonly Row[]> {
  const upstream = await startNginx(bench);
  const direct = directPeer(upstream);
  const nginx = await startNginxProxy(bench, upstream.port);
  const bare = await startBare(bench, upstream.port);
  const gatehouse = await startGatehouse(bench, upstream.port);
  const earlier = await startEarlier(bench, upstream.port);
  const others = await startOthers(bench, upstream.port);
  const found = others.map(({ peer }) => peer).filter((peer): peer is Peer => !isMissing(peer));

  const rounds = await closedLoopRounds(bench, [direct, nginx, bare, gatehouse, ...earlier, ...found], LOAD);
  const rates = (peer: Peer): number[] => ratesOf(rounds.get(peer));
  const row = (peer: Peer): Row => closedLoopRow(WHAT, peer, rounds.get(peer) ?? []);
  await Promise.all([upstream, nginx, bare, gatehouse, ...earlier, ...found].map((running) => running.stop()));

  const ratioTo = (peer: Peer): number => pairedRatio(rates(gatehouse), rates(peer));
  const verdicts = [
    verdictAtLeast(100 * ratioTo(bare), GOAL, ofBare),
    stretch(verdictAtLeast(100 * ratioTo(bare), STRETCH, ofBare)),
    ...earlierVerdicts(rounds, gatehouse, earlier),
    ...others.flatMap(({ peer, times }) =>
      isMissing(peer) ? [] : [verdictAtLeast(ratioTo(peer), times, (factor) => `${factor}× ${peer.name}`)],
    ),
  ];
  return [
    row(direct),
    row(nginx),
    row(bare),
    { ...row(gatehouse), verdicts },
    ...earlier.map(row),
    ...others.map(({ peer }) =>
      isMissing(peer) ? { what: WHAT, peer: peer.name, note: `not installed: ${peer.reason}` } : row(peer),
    ),
  ];
}

/** Starts the other gateways, one after the other. */
async function startOthers(bench: Bench, port: number): Promise<{ peer: Peer | Missing; times: number }[]> {
  const started: { peer: Peer | Missing; times: number }[] = [];
  for (const { name, start, times } of OTHERS) {
    if (!bench.without.has(name)) started.push({ peer: await start(bench, port), times });
  }
  return started;
}
