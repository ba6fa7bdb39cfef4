/** The ladder: what each step from the bare proxy to the whole gateway costs, for a request and for a streamed event. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PostgresServer, startPostgres } from '@gatehouse/test/kit';
import { bundleFile } from '../../../images/bundle.ts';
import type { Bench } from '../bench.ts';
import { chatBody, closedLoop, streams } from '../load/index.ts';
import { CALLER, ENVIRONMENT, upstreamUrl, writeSnapshot } from '../peers/gatehouse/start.ts';
import { createPeer, type Peer, startBare } from '../peers/index.ts';
import { undisturbed } from '../quiet.ts';
import { interleave, median } from '../rounds.ts';
import { formatNumber, renderCells } from '../table.ts';
import { EVENT_INTERVAL_MS, startNginx, startSse } from '../upstream/index.ts';
import { usageOf } from '../usage.ts';
import type { RungAllocated, RungReady } from './rung-process.ts';
import { includes, RUNGS, type Rung } from './rungs.ts';

export { describeGrowth } from './growth.ts';

const CONNECTIONS = 64;
/** Enough for steady figures, few enough for all rungs to keep up. */
const STREAMS = 200;
const RAMP_SECONDS = 2;
const UNARY_BODY = chatBody(1024);
const STREAM_BODY = chatBody(1024, { stream: true });

interface RungPeer extends Peer {
  readonly rung: Rung;
  /** In the JavaScript heap since the start; not known of the bare proxy. */
  allocatedBytes(): Promise<number | undefined>;
}

interface Cost {
  readonly cpuUs: number;
  readonly allocatedBytes: number | undefined;
}

/** Measures every rung in interleaved rounds; answers with a Markdown table. */
export async function measureLadder(bench: Bench): Promise<string> {
  const program = join(bench.directory, 'ladder.js');
  await bundleFile(fileURLToPath(new URL('./rung-process.ts', import.meta.url)), program);
  const nginx = await startNginx(bench);
  const requests = await measureRungs(bench, program, { port: nginx.port, measure: measureRequests });
  await nginx.stop();
  const sse = await startSse(bench);
  const events = await measureRungs(bench, program, { port: sse.port, measure: measureEvents });
  await sse.stop();
  return render(requests, events);
}

interface Measurement {
  /** Of the upstream. */
  readonly port: number;
  measure(bench: Bench, peer: RungPeer): Promise<Cost>;
}

type Costs = ReadonlyMap<Rung, Cost>;

async function measureRungs(bench: Bench, program: string, { port, measure }: Measurement): Promise<Costs> {
  const peers: RungPeer[] = [];
  await using postgres = await startPostgres();
  for (const { name } of RUNGS) {
    const environment = await environmentOf(name, postgres);
    peers.push(await startRung(bench, name, { program, port, environment }));
  }
  for (const peer of peers) await measure({ ...bench, seconds: 2 }, peer); // until its code is compiled
  const rounds = await interleave(peers, bench.rounds, async (peer, round) => {
    const cost = await undisturbed(bench, () => measure(bench, peer));
    bench.say(`round ${round + 1}: ${peer.rung}: ${Math.round(cost.cpuUs)} µs`);
    return cost;
  });
  await Promise.all(peers.map((peer) => peer.stop()));
  return new Map([...rounds].map(([{ rung }, costs]) => [rung, medianOf(costs)]));
}

function medianOf(costs: readonly Cost[]): Cost {
  const allocated = costs.flatMap(({ allocatedBytes }) => allocatedBytes ?? []);
  return {
    cpuUs: median(costs.map(({ cpuUs }) => cpuUs)),
    allocatedBytes: allocated.length === 0 ? undefined : median(allocated),
  };
}

/** Where a rung has a request log. */
async function environmentOf(rung: Rung, postgres: PostgresServer): Promise<Readonly<Record<string, string>>> {
  if (!includes(rung, 'rows')) return {};
  return {
    GATEHOUSE_LOGS_DATABASE_URL: await postgres.database(),
    GATEHOUSE_LOGS_BODY_BYTES: includes(rung, 'documents') ? '65536' : '0',
  };
}

interface RungOptions {
  readonly program: string;
  /** Of the upstream. */
  readonly port: number;
  readonly environment: Readonly<Record<string, string>>;
}

async function startRung(bench: Bench, rung: Rung, { program, port, environment }: RungOptions): Promise<RungPeer> {
  if (rung === 'bare') return { ...(await startBare(bench, port)), rung, allocatedBytes: async () => undefined };
  const upstream = upstreamUrl(port);
  const snapshot = await writeSnapshot(bench, { upstream, keys: 1, providers: 0, configs: 0 });
  const running = await bench.processes.startNode<RungReady>(program, {
    env: { ...ENVIRONMENT, ...environment, RUNG: rung, UPSTREAM: upstream, SNAPSHOT: snapshot },
  });
  return {
    ...createPeer(rung, running, { port: running.ready.port, headers: CALLER, keys: 1 }),
    rung,
    allocatedBytes: async () => (await running.ask<RungAllocated>()).allocatedBytes,
  };
}

const measureRequests = (bench: Bench, peer: RungPeer): Promise<Cost> =>
  costOf(peer, async () => {
    const load = { target: peer.target, body: UNARY_BODY, connections: CONNECTIONS, seconds: bench.seconds };
    const { requests, failed } = await closedLoop(bench, load);
    if (failed > 0) throw new Error(`${peer.rung}: ${failed} requests failed`);
    return requests;
  });

const measureEvents = (bench: Bench, peer: RungPeer): Promise<Cost> =>
  costOf(peer, async () => {
    const load = { streams: STREAMS, rampSeconds: RAMP_SECONDS, seconds: bench.seconds, intervalMs: EVENT_INTERVAL_MS };
    const { events, failed } = await streams(bench, { target: peer.target, body: STREAM_BODY, ...load });
    if (failed > 0) throw new Error(`${peer.rung}: ${failed} streams failed`);
    return events;
  });

/** What one of what `run` counts costs. */
async function costOf(peer: RungPeer, run: () => Promise<number>): Promise<Cost> {
  const [usage, allocated] = [await usageOf(peer.pid), await peer.allocatedBytes()];
  const count = await run();
  const [usageAfter, allocatedAfter] = [await usageOf(peer.pid), await peer.allocatedBytes()];
  return {
    cpuUs: ((usageAfter.cpuMs - usage.cpuMs) * 1_000) / count,
    allocatedBytes:
      allocated === undefined || allocatedAfter === undefined ? undefined : (allocatedAfter - allocated) / count,
  };
}

const HEADINGS = ['step', 'adds', 'µs/request', '±', 'kB/request', '±', 'µs/event', '±', 'kB/event'];
const NUMBERS: ReadonlySet<number> = new Set([2, 3, 4, 5, 6, 7, 8]);

function render(requests: Costs, events: Costs): string {
  const lines = RUNGS.map(({ name, adds }, at) => {
    const before = RUNGS[at - 1]?.name;
    const [request, event] = [requests.get(name), events.get(name)];
    const [requestBefore, eventBefore] = [costBefore(requests, before), costBefore(events, before)];
    return [
      name,
      adds,
      formatNumber(request?.cpuUs),
      difference(request?.cpuUs, requestBefore?.cpuUs),
      kilobytes(request),
      difference(inKilobytes(request), inKilobytes(requestBefore)),
      formatNumber(event?.cpuUs),
      difference(event?.cpuUs, eventBefore?.cpuUs),
      kilobytes(event),
    ];
  });
  return renderCells(HEADINGS, lines, NUMBERS);
}

const costBefore = (costs: Costs, rung: Rung | undefined): Cost | undefined =>
  rung === undefined ? undefined : costs.get(rung);

const inKilobytes = (cost: Cost | undefined): number | undefined =>
  cost?.allocatedBytes === undefined ? undefined : cost.allocatedBytes / 1_000;

const kilobytes = (cost: Cost | undefined): string => formatNumber(inKilobytes(cost));

function difference(value: number | undefined, before: number | undefined): string {
  if (value === undefined || before === undefined) return '';
  const text = formatNumber(Math.abs(value - before));
  return value < before ? `−${text}` : `+${text}`;
}
