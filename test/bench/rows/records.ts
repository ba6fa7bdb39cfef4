import { startPostgres } from '@gatehouse/test/kit';
import type { Bench } from '../bench.ts';
import { chatBody } from '../load/index.ts';
import { type Gatehouse, startGatehouse } from '../peers/index.ts';
import { pairedRatio } from '../rounds.ts';
import type { Row, Verdict } from '../table.ts';
import { startNginx } from '../upstream/index.ts';
import { closedLoopRounds, closedLoopRow, ratesOf } from './measure.ts';
import { verdictAtLeast } from './verdict.ts';

const WHAT = 'unary chat, request log';
const LOAD = { body: chatBody(1024), connections: 64 };
const GOAL_PERCENT = 90;
const BODY_BYTES = 65_536;

/**
 * Throughput with a request log, beside a gateway without one: in a PostgreSQL on the same cores, and with a database that has cores of its
 * own. What stands for that one takes the inserts of a ClickHouse and does nothing with them.
 */
export async function records(bench: Bench): Promise<readonly Row[]> {
  const upstream = await startNginx(bench);
  await using postgres = await startPostgres();
  const off = await startGatehouse(bench, upstream.port, { name: 'off' });
  const start = (name: string, log: LogOptions) => startWithLog(bench, upstream.port, { ...log, name });
  const here = async () => ({ GATEHOUSE_LOGS_DATABASE_URL: await postgres.database() });
  const elsewhere = { GATEHOUSE_LOGS_CLICKHOUSE_URL: `http://127.0.0.1:${upstream.sinkPort}` };
  const logged = [
    await start('rows', { database: await here(), bodyBytes: 0 }),
    await start('rows and documents', { database: await here(), bodyBytes: BODY_BYTES }),
    await start('rows, database elsewhere', { database: elsewhere, bodyBytes: 0 }),
    await start('rows and documents, database elsewhere', { database: elsewhere, bodyBytes: BODY_BYTES }),
  ];
  const peers = [off, ...logged];
  const rounds = await closedLoopRounds(bench, peers, LOAD);
  const written = new Map(await Promise.all(logged.map(async (peer) => [peer, await writtenBy(peer)] as const)));
  await Promise.all([upstream, ...peers].map((running) => running.stop()));

  return peers.map((peer) => {
    const row = closedLoopRow(WHAT, peer, rounds.get(peer) ?? []);
    const fate = written.get(peer);
    if (fate === undefined) return row;
    const measured = 100 * pairedRatio(ratesOf(rounds.get(peer)), ratesOf(rounds.get(off)));
    return { ...row, verdicts: [verdictAtLeast(measured, GOAL_PERCENT, (number) => `${number} % of off`), fate] };
  });
}

interface LogOptions {
  /** What names it in the environment of the gateway. */
  readonly database: Readonly<Record<string, string>>;
  /** Of bodies that are kept. */
  readonly bodyBytes: number;
}

const startWithLog = (
  bench: Bench,
  upstreamPort: number,
  { database, bodyBytes, name }: LogOptions & { readonly name: string },
): Promise<Gatehouse> =>
  startGatehouse(bench, upstreamPort, {
    environment: { ...database, GATEHOUSE_LOGS_BODY_BYTES: String(bodyBytes) },
    name,
  });

/** How many rows the database has got, and how many it has not. */
async function writtenBy({ adminPort }: Gatehouse): Promise<Verdict> {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  const sumOf = (name: string): number =>
    [...text.matchAll(new RegExp(`^gatehouse_request_log_${name}_total\\S* (\\d+)`, 'gm'))].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  const [kept, dropped] = [sumOf('written'), sumOf('dropped')];
  return { target: 'no row dropped', measured: `${kept} written, ${dropped} dropped`, met: dropped === 0 && kept > 0 };
}
