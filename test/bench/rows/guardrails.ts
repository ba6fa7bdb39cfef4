import type { Bench } from '../bench.ts';
import { chatBody } from '../load/index.ts';
import { startGatehouse } from '../peers/index.ts';
import { pairedRatio } from '../rounds.ts';
import type { Row } from '../table.ts';
import { startNginx } from '../upstream/index.ts';
import { closedLoopRounds, closedLoopRow, ratesOf } from './measure.ts';
import { verdictAtLeast } from './verdict.ts';

const WHAT = 'unary chat, three checks on both sides';
const LOAD = { body: chatBody(1024), connections: 64 };
/** Of the throughput without guardrails. */
const LEAST_PERCENT = 85;

/** Throughput with three checks on each request and three on each answer, beside a gateway without guardrails. */
export async function guardrails(bench: Bench): Promise<readonly Row[]> {
  const upstream = await startNginx(bench);
  const without = await startGatehouse(bench, upstream.port, { name: 'without checks' });
  const words = await startGatehouse(bench, upstream.port, { features: 'words', name: 'words, count, pattern' });
  const personal = await startGatehouse(bench, upstream.port, {
    features: 'personal data',
    name: 'words, pattern, personal data',
  });
  const peers = [without, words, personal];
  const rounds = await closedLoopRounds(bench, peers, LOAD);
  await Promise.all([upstream, ...peers].map((running) => running.stop()));

  return peers.map((peer) => {
    const row = closedLoopRow(WHAT, peer, rounds.get(peer) ?? []);
    if (peer === without) return row;
    const measured = 100 * pairedRatio(ratesOf(rounds.get(peer)), ratesOf(rounds.get(without)));
    return { ...row, verdicts: [verdictAtLeast(measured, LEAST_PERCENT, (number) => `${number} % of without checks`)] };
  });
}
