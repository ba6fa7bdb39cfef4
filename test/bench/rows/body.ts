import type { Bench } from '../bench.ts';
import { imageBody } from '../load/index.ts';
import { startBare, startEarlier, startGatehouse, startNginxProxy } from '../peers/index.ts';
import { pairedRatio } from '../rounds.ts';
import type { Row } from '../table.ts';
import { startNginx } from '../upstream/index.ts';
import { closedLoopRounds, closedLoopRow, directPeer, earlierVerdicts, ratesOf } from './measure.ts';
import { verdictAtLeast } from './verdict.ts';

const WHAT = 'body of 1 MiB, 16 connections';
const LOAD = { body: imageBody(1024 * 1024), connections: 16 };

/** Throughput of requests with an inline image; the upstream answers once it has the whole body. */
export async function body(bench: Bench): Promise<readonly Row[]> {
  const upstream = await startNginx(bench);
  const direct = directPeer(upstream, upstream.bodyPort);
  const nginx = await startNginxProxy(bench, upstream.bodyPort);
  const bare = await startBare(bench, upstream.bodyPort);
  const gatehouse = await startGatehouse(bench, upstream.bodyPort);
  const earlier = await startEarlier(bench, upstream.bodyPort);
  const peers = [direct, nginx, bare, gatehouse, ...earlier];
  const rounds = await closedLoopRounds(bench, peers, LOAD);
  await Promise.all([upstream, nginx, bare, gatehouse, ...earlier].map((running) => running.stop()));

  const ofBare = pairedRatio(ratesOf(rounds.get(gatehouse)), ratesOf(rounds.get(bare)));
  const rows = peers.map((peer) => closedLoopRow(WHAT, peer, rounds.get(peer) ?? []));
  const verdicts = [
    verdictAtLeast(100 * ofBare, 85, (percent) => `${percent} % of bare`),
    ...earlierVerdicts(rounds, gatehouse, earlier),
  ];
  return rows.map((row) => (row.peer === gatehouse.name ? { ...row, verdicts } : row));
}
