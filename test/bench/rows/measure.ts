import type { Bench } from '../bench.ts';
import { closedLoop } from '../load/index.ts';
import { createPeer, type Peer } from '../peers/index.ts';
import { undisturbed } from '../quiet.ts';
import { interleave, medians, pairedRatio } from '../rounds.ts';
import type { Row, Verdict } from '../table.ts';
import type { Upstream } from '../upstream/index.ts';
import { usageOf } from '../usage.ts';
import { verdictAtMost } from './verdict.ts';

export interface Load {
  readonly body: string;
  readonly connections: number;
}

export interface Round {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
  readonly rssMb: number;
  readonly cpuUs: number;
}

const WARMUP_SECONDS = 3;

/** The upstream without anything before it. */
export const directPeer = (upstream: Upstream, port: number = upstream.port): Peer =>
  createPeer('upstream directly', upstream, { port });

/** Closed-loop rounds of each peer, interleaved, after a warm-up of each. */
export async function closedLoopRounds(
  bench: Bench,
  peers: readonly Peer[],
  load: Load,
): Promise<ReadonlyMap<Peer, readonly Round[]>> {
  for (const { name, target } of peers) {
    bench.say(`warming up: ${name}`);
    await closedLoop(bench, { ...load, target, seconds: WARMUP_SECONDS });
  }
  return interleave(peers, bench.rounds, async (peer, round) => {
    const measured = await undisturbed(bench, () => closedLoopRound(bench, peer, load));
    bench.say(`round ${round + 1}: ${peer.name}: ${Math.round(measured.requestsPerSecond)} requests/s`);
    return measured;
  });
}

async function closedLoopRound(bench: Bench, { pid, target }: Peer, load: Load): Promise<Round> {
  const before = await usageOf(pid);
  const { requests, ...result } = await closedLoop(bench, { ...load, target, seconds: bench.seconds });
  const after = await usageOf(pid);
  return { ...result, rssMb: after.rssMb, cpuUs: ((after.cpuMs - before.cpuMs) * 1_000) / requests };
}

/** The cell of the table for a peer's rounds. */
export function closedLoopRow(what: string, peer: Peer, rounds: readonly Round[]): Row {
  const { failed: _, ...numbers } = medians(rounds);
  const failed = rounds.reduce((sum, round) => sum + round.failed, 0);
  return { what, peer: peer.name, ...numbers, ...(failed === 0 ? {} : { note: `${failed} requests failed` }) };
}

export const ratesOf = (rounds: readonly Round[] = []): number[] =>
  rounds.map(({ requestsPerSecond }) => requestsPerSecond);

/** What runs on the same machine in the same rounds differs by less than this. */
const NOISE_PERCENT = 5;

interface Cost {
  readonly cpuUs: number;
}

/** Whether the present gateway costs as much CPU as the revision it is compared with. */
export function earlierVerdicts(
  rounds: ReadonlyMap<Peer, readonly Cost[]>,
  present: Peer,
  earlier: readonly Peer[],
): readonly Verdict[] {
  const costs = (peer: Peer): number[] => (rounds.get(peer) ?? []).map(({ cpuUs }) => cpuUs);
  return earlier.map((peer) => {
    const percent = 100 * pairedRatio(costs(present), costs(peer));
    return verdictAtMost(percent, 100 + NOISE_PERCENT, (number) => `${number} % of the CPU of ${peer.name}`);
  });
}

const SAMPLE_MS = 500;

/** The most resident memory a process has while something runs. */
export async function watchRss<T>(
  pid: number,
  work: Promise<T>,
): Promise<{ readonly result: T; readonly rssMb: number }> {
  const samples: number[] = [];
  const timer = setInterval(() => {
    usageOf(pid).then(
      ({ rssMb }) => samples.push(rssMb),
      () => undefined, // it has ended
    );
  }, SAMPLE_MS);
  try {
    const result = await work;
    return { result, rssMb: Math.max(0, ...samples) };
  } finally {
    clearInterval(timer);
  }
}
