import type { Bench } from '../bench.ts';
import { chatBody, streams as measureStreams, type StreamsResult } from '../load/index.ts';
import { createPeer, type Peer, startBare, startEarlier, startGatehouse } from '../peers/index.ts';
import { undisturbed } from '../quiet.ts';
import { interleave, median, pairedDifference } from '../rounds.ts';
import type { Row } from '../table.ts';
import { EVENT_INTERVAL_MS, startSse } from '../upstream/index.ts';
import { usageOf } from '../usage.ts';
import { earlierVerdicts, watchRss } from './measure.ts';
import { verdictAtMost } from './verdict.ts';

const STREAMS = 1_000;
const RAMP_SECONDS = 5;
const BODY = chatBody(1024, { stream: true });

interface Round extends StreamsResult {
  readonly rssMb: number;
  readonly cpuUs: number;
}

/** A thousand event streams at once, 20 events a second each: what the gateway adds to first events and to all events. */
export async function streams(bench: Bench): Promise<readonly Row[]> {
  const upstream = await startSse(bench);
  const direct = createPeer('upstream directly', upstream, { port: upstream.port });
  const bare = await startBare(bench, upstream.port);
  const gatehouse = await startGatehouse(bench, upstream.port);
  const earlier = await startEarlier(bench, upstream.port);
  const rounds = await interleave([direct, bare, gatehouse, ...earlier], bench.rounds, async (peer, round) => {
    const measured = await undisturbed(bench, () => measure(bench, peer));
    bench.say(`round ${round + 1}: ${peer.name}: first event p99 ${measured.firstEvent.p99} µs`);
    return measured;
  });
  await Promise.all([upstream, bare, gatehouse, ...earlier].map((running) => running.stop()));

  const of = (peer: Peer): readonly Round[] => rounds.get(peer) ?? [];
  const firstP99 = (peer: Peer): number[] => of(peer).map(({ firstEvent }) => firstEvent.p99 / 1_000);
  const heldBy = (peer: Peer): number => median(of(peer).map(({ heldBack }) => heldBack));
  const verdicts = [
    verdictAtMost(pairedDifference(firstP99(gatehouse), firstP99(direct)), 5, (ms) => `${ms} ms added, p99`),
    verdictAtMost(Math.max(...of(gatehouse).map(({ rssMb }) => rssMb)), 300, (mb) => `${mb} MB RSS`),
  ];
  const delayVerdicts = [
    verdictAtMost(heldBy(gatehouse), 0, (events) => `${events} events held back`),
    ...earlierVerdicts(rounds, gatehouse, earlier),
  ];
  return [
    firstEventRow(direct, of(direct)),
    firstEventRow(bare, of(bare)),
    { ...firstEventRow(gatehouse, of(gatehouse)), verdicts },
    ...earlier.map((peer) => firstEventRow(peer, of(peer))),
    { ...delayRow(bench, direct, of(direct)), note: `${heldBy(direct)} events held back` },
    { ...delayRow(bench, bare, of(bare)), note: `${heldBy(bare)} events held back` },
    { ...delayRow(bench, gatehouse, of(gatehouse)), verdicts: delayVerdicts },
    ...earlier.map((peer) => ({ ...delayRow(bench, peer, of(peer)), note: `${heldBy(peer)} events held back` })),
  ];
}

async function measure(bench: Bench, { pid, target }: Peer): Promise<Round> {
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

function firstEventRow(peer: Peer, rounds: readonly Round[]): Row {
  const failed = rounds.reduce((sum, round) => sum + round.failed, 0);
  return {
    what: '1,000 streams: first event',
    peer: peer.name,
    p50Ms: median(rounds.map(({ firstEvent }) => firstEvent.p50)) / 1_000,
    p99Ms: median(rounds.map(({ firstEvent }) => firstEvent.p99)) / 1_000,
    rssMb: Math.max(...rounds.map(({ rssMb }) => rssMb)),
    ...(failed === 0 ? {} : { note: `${failed} streams failed` }),
  };
}

const delayRow = ({ seconds }: Bench, peer: Peer, rounds: readonly Round[]): Row => ({
  what: '1,000 streams: every event',
  peer: peer.name,
  requestsPerSecond: median(rounds.map(({ delay }) => delay.count)) / seconds,
  p50Ms: median(rounds.map(({ delay }) => delay.p50)) / 1_000,
  p99Ms: median(rounds.map(({ delay }) => delay.p99)) / 1_000,
  cpuUs: median(rounds.map(({ cpuUs }) => cpuUs)),
});
