import type { Bench } from '../bench.ts';
import { chatBody, streams as measureStreams, type StreamsResult } from '../load/index.ts';
import { createPeer, type Peer, startBare, startEarlier, startGatehouse, startNginxProxy } from '../peers/index.ts';
import { undisturbed } from '../quiet.ts';
import { interleave, median, pairedRatio } from '../rounds.ts';
import type { Row } from '../table.ts';
import { EVENT_INTERVAL_MS, startSse } from '../upstream/index.ts';
import { usageOf } from '../usage.ts';
import { earlierVerdicts, watchRss } from './measure.ts';
import { verdictAtMost } from './verdict.ts';

const STREAMS = 1_000;
const RAMP_SECONDS = 5;
const BODY = chatBody(1024, { stream: true });

/** A round of streams through one peer. */
export interface StreamsRound extends StreamsResult {
  readonly rssMb: number;
  readonly cpuUs: number;
}

/** Times the bare proxy's. */
const MOST_CPU = 1.15;
const MOST_RSS = 1.2;

/** A thousand event streams at once, 20 events a second each: first events and all events, beside the bare proxy. */
export async function streams(bench: Bench): Promise<readonly Row[]> {
  const upstream = await startSse(bench);
  const direct = createPeer('upstream directly', upstream, { port: upstream.port });
  const nginx = await startNginxProxy(bench, upstream.port);
  const bare = await startBare(bench, upstream.port);
  const gatehouse = await startGatehouse(bench, upstream.port);
  const earlier = await startEarlier(bench, upstream.port);
  const others = [direct, nginx, bare];
  const rounds = await interleave([...others, gatehouse, ...earlier], bench.rounds, async (peer, round) => {
    const measured = await undisturbed(bench, () => measureStreamsOf(bench, peer));
    bench.say(`round ${round + 1}: ${peer.name}: first event p99 ${measured.firstEvent.p99} µs`);
    return measured;
  });
  await Promise.all([upstream, nginx, bare, gatehouse, ...earlier].map((running) => running.stop()));

  const of = (peer: Peer): readonly StreamsRound[] => rounds.get(peer) ?? [];
  const first = (peer: Peer): Row => firstEventRow(peer, of(peer));
  const every = (peer: Peer): Row => ({
    ...delayRow(bench, peer, of(peer)),
    note: `${heldBack(of(peer))} events held back`,
  });
  const verdicts = verdictsBeside(of(gatehouse), of(bare));
  const eventVerdicts = [...verdicts.everyEvent, ...earlierVerdicts(rounds, gatehouse, earlier)];
  return [
    ...others.map(first),
    { ...first(gatehouse), verdicts: verdicts.firstEvent },
    ...earlier.map(first),
    ...others.map(every),
    { ...delayRow(bench, gatehouse, of(gatehouse)), verdicts: eventVerdicts },
    ...earlier.map(every),
  ];
}

/** What the gateway must not do worse than the bare proxy in the same rounds. */
function verdictsBeside(ours: readonly StreamsRound[], bare: readonly StreamsRound[]) {
  const cpu = (rounds: readonly StreamsRound[]): number[] => rounds.map(({ cpuUs }) => cpuUs);
  return {
    firstEvent: [
      verdictAtMost(firstP99(ours), firstP99(bare), (ms) => `${ms} ms, p99`),
      verdictAtMost(mostRss(ours) / mostRss(bare), MOST_RSS, (times) => `${times} × RSS of bare`),
    ],
    everyEvent: [
      verdictAtMost(pairedRatio(cpu(ours), cpu(bare)), MOST_CPU, (times) => `${times} × CPU of bare`),
      verdictAtMost(heldBack(ours), heldBack(bare), (events) => `${events} events held back`),
    ],
  };
}

const firstP99 = (rounds: readonly StreamsRound[]): number =>
  median(rounds.map(({ firstEvent }) => firstEvent.p99)) / 1_000;
const mostRss = (rounds: readonly StreamsRound[]): number => Math.max(...rounds.map(({ rssMb }) => rssMb));
const heldBack = (rounds: readonly StreamsRound[]): number => median(rounds.map((round) => round.heldBack));

export async function measureStreamsOf(bench: Bench, { pid, target }: Peer): Promise<StreamsRound> {
  const before = await usageOf(pid);
  const task = {
    target,
    body: BODY,
    streams: STREAMS,
    rampSeconds: RAMP_SECONDS,
    seconds: bench.seconds,
    intervalMs: EVENT_INTERVAL_MS,
  };
  const { result, rssMb } = await watchRss(pid, measureStreams(bench, task));
  const after = await usageOf(pid);
  return { ...result, rssMb, cpuUs: ((after.cpuMs - before.cpuMs) * 1_000) / result.events };
}

function firstEventRow(peer: Peer, rounds: readonly StreamsRound[]): Row {
  const failed = rounds.reduce((sum, round) => sum + round.failed, 0);
  return {
    what: '1,000 streams: first event',
    peer: peer.name,
    p50Ms: median(rounds.map(({ firstEvent }) => firstEvent.p50)) / 1_000,
    p99Ms: firstP99(rounds),
    rssMb: mostRss(rounds),
    ...(failed === 0 ? {} : { note: `${failed} streams failed` }),
  };
}

/** The cells of all events. */
export const delayRow = ({ seconds }: Bench, peer: Peer, rounds: readonly StreamsRound[]): Row => ({
  what: '1,000 streams: every event',
  peer: peer.name,
  requestsPerSecond: median(rounds.map(({ delay }) => delay.count)) / seconds,
  p50Ms: median(rounds.map(({ delay }) => delay.p50)) / 1_000,
  p99Ms: median(rounds.map(({ delay }) => delay.p99)) / 1_000,
  cpuUs: median(rounds.map(({ cpuUs }) => cpuUs)),
});
