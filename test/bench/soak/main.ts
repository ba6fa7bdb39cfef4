/** `npm run bench:soak`: a fleet under constant load while its Snapshot changes and its gateways are replaced. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Bench } from '../bench.ts';
import { chatBody, closedLoop } from '../load/index.ts';
import { Processes } from '../processes.ts';
import { watchBackground } from '../quiet.ts';
import { describeCommit, describeMachine } from '../report.ts';
import { renderTable } from '../table.ts';
import { findTools } from '../tools.ts';
import { startNginx } from '../upstream/index.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { MemoryWatch } from './memory-watch.ts';
import { type Options, parseOptions, USAGE } from './options.ts';
import { planOf } from './plan.ts';
import { soakRow } from './row.ts';
import { Traffic } from './traffic.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BODY = chatBody(1024);
const CONNECTIONS = 32;
const LOAD = 0.6;
const CAPACITY_SECONDS = 10;

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (!options.ok) return refuse(`${options.error}\n\n${USAGE}`);
  const tools = findTools(process.env['PATH'] ?? '');
  if (!tools.ok) return refuse(tools.error);
  await using processes = new Processes();
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-soak-'));
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  try {
    const background = await watchBackground();
    const [seconds, rounds, without] = [CAPACITY_SECONDS, 1, new Set<string>()];
    const bench: Bench = { tools: tools.value, processes, directory, seconds, rounds, without, background, say };
    await Promise.race([run(bench, options.value), interrupted()]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function run(bench: Bench, options: Options): Promise<void> {
  const commit = await describeCommit(bench.processes, ROOT, ['gateway', 'crds']);
  const upstream = await startNginx(bench);
  const fleet = await startFleet(bench, upstream.port);
  const capacity = await capacityOf(bench, fleet);
  const ratePerSecond = Math.round(LOAD * capacity);
  bench.say(`${Math.round(capacity)} requests/s at most, ${ratePerSecond} requests/s from now on`);

  const traffic = new Traffic({ body: BODY, ratePerSecond });
  const balance = (): void => traffic.setTargets(fleet.gateways().map(({ target }) => target));
  balance();
  const memory = new MemoryWatch(() => fleet.gateways());
  traffic.start();
  await happen(options, { bench, fleet, balance, traffic });
  const result = await traffic.stop();
  memory.stop();
  const { minutes, changes, rollouts } = options;
  const what = `${minutes} min at ${100 * LOAD} % of ${Math.round(capacity)}/s, ${changes} changes, ${rollouts} rollouts`;
  const row = soakRow({ what, ratePerSecond, result, memory: memory.seen(fleet.gateways(), minutes * 60_000) });
  console.log([describeMachine(), `* Software: Node ${process.version}`, commit, '', renderTable([row])].join('\n'));
  await Promise.all([upstream, ...fleet.gateways()].map((running) => running.stop()));
}

interface Stage {
  readonly bench: Bench;
  readonly fleet: Fleet;
  readonly balance: () => void;
  readonly traffic: Traffic;
}

/** Changes and rollouts when they are due, one after the other, until the time is over. */
async function happen(options: Options, { bench, fleet, balance, traffic }: Stage): Promise<void> {
  const startMs = performance.now();
  const until = (atMs: number): Promise<void> => wait(Math.max(0, startMs + atMs - performance.now()));
  for (const { kind, atMs } of planOf(options)) {
    await until(atMs);
    const beganMs = performance.now();
    await (kind === 'change' ? fleet.change() : fleet.rollOut(balance));
    const tookMs = Math.round(performance.now() - beganMs);
    bench.say(`${Math.round(atMs / 1_000)} s: ${kind} took ${tookMs} ms, ${traffic.failed} requests failed so far`);
  }
  await until(options.minutes * 60_000);
}

/** Requests per second of all gateways together, measured at once. */
async function capacityOf(bench: Bench, fleet: Fleet): Promise<number> {
  const rates = await Promise.all(
    fleet.gateways().map(async ({ target }) => {
      const directory = join(bench.directory, `load-${target.port}`);
      await mkdir(directory);
      const load = { target, body: BODY, connections: CONNECTIONS, seconds: bench.seconds };
      return (await closedLoop({ ...bench, directory }, load)).requestsPerSecond;
    }),
  );
  return rates.reduce((sum, rate) => sum + rate, 0);
}

/** Rejects when the soak is interrupted, so that its children end with it. */
function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Error(signal)));
  });
}

function refuse(text: string): void {
  console.error(text);
  process.exitCode = 2;
}

await main();
