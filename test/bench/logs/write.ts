/** How many rows a second one process writes: generated rows, through the queue and the store of the gateway. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { LogRow } from '@gatehouse/crds/logs';
import { logRow, startPostgres } from '@gatehouse/test/kit';
import {
  createClickHouseStore,
  createPostgresStore,
  createRequestLog,
  type LogStore,
} from '../../../gateway/src/request-log/index.ts';
import { postgresDialect } from '../../../gateway/src/store/index.ts';
import { createLogger, createMetrics, type Metrics } from '../../../gateway/src/telemetry/index.ts';
import { startClickHouse } from '../../clickhouse/index.ts';
import { WORKSPACES } from './generated.ts';
import type { StoreName } from './stores.ts';

/** Of GATEHOUSE_LOGS_QUEUE_BYTES. */
const QUEUE_BYTES = 64 * 1024 * 1024;
const DRAIN_MS = 30_000;
/** Rows a second. */
const GOALS: Readonly<Record<StoreName, number>> = { clickhouse: 10_000, postgres: 3_000 };
/** Rows that are told apart; their ids and times are new each time. */
const TEMPLATES = 5_000;
const TICK_MS = 5;

/** How many rows are due at a time since the start, in ms; undefined: as many as the log has room for. */
type Due = ((ms: number) => number) | undefined;

export async function measureWriting(name: StoreName, seconds: number): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const open = await openerOf(name, stack);
  const goal = GOALS[name];
  const lines = [
    await describe('as fast as it takes them', { store: open(), seconds, due: undefined }),
    await describe(`${goal} a second`, { store: open(), seconds, due: (ms) => (goal * ms) / 1_000 }),
  ];
  return [
    `* ${name === 'postgres' ? 'PostgreSQL' : 'ClickHouse'} with its settings as they come, on the same machine; ${seconds} s each`,
    '',
    '| rows are given | written in a second | dropped | CPU of the process, µs for a row | RSS of the process, MiB |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...lines,
  ].join('\n');
}

async function openerOf(name: StoreName, stack: AsyncDisposableStack): Promise<() => LogStore> {
  if (name === 'clickhouse') {
    const { url } = stack.use(await startClickHouse());
    return () => createClickHouseStore({ url });
  }
  const server = stack.use(await startPostgres());
  const url = await server.database();
  return () => createPostgresStore(postgresDialect({ url }));
}

interface Giving {
  readonly store: LogStore;
  readonly seconds: number;
  readonly due: Due;
}

async function describe(what: string, { store, seconds, due }: Giving): Promise<string> {
  const counts = { written: 0, dropped: 0 };
  const log = createRequestLog({
    ...{ store, maxBytes: QUEUE_BYTES, retentionMs: () => undefined, now: Date.now },
    metrics: counting(counts),
    logger: createLogger({ level: 'warn', service: 'bench', destination: process.stderr }),
  });
  const rows = someRows();
  log.add(recordOf(rows, 0)); // opens the connection, makes the tables
  while (counts.written + counts.dropped === 0) await delay(TICK_MS);
  const started = performance.now();
  const cpu = process.cpuUsage();
  let given = 0;
  for (let ms = 0; ms < seconds * 1_000; ms = performance.now() - started) {
    const wanted = due?.(ms);
    while (wanted === undefined ? !log.isBusy() : given < wanted) {
      given += 1;
      log.add(recordOf(rows, given));
    }
    await delay(TICK_MS);
  }
  const tookMs = performance.now() - started;
  const written = counts.written - 1;
  const { user, system } = process.cpuUsage(cpu);
  const rss = process.memoryUsage.rss() / 1024 ** 2;
  await log.close(DRAIN_MS);
  const perSecond = Math.round(written / (tookMs / 1_000));
  return `| ${what} | ${perSecond} | ${counts.dropped} | ${Math.round((user + system) / written)} | ${Math.round(rss)} |`;
}

function counting(counts: { written: number; dropped: number }): Metrics {
  const metrics = createMetrics({ service: 'bench', environment: 'bench', runtime: false, bufferedBytes: () => 0 });
  return {
    ...metrics,
    requestLogWritten: {
      ...metrics.requestLogWritten,
      add: (_, rows = 1) => {
        counts.written += rows;
      },
    },
    requestLogDropped: {
      ...metrics.requestLogDropped,
      add: (_, rows = 1) => {
        counts.dropped += rows;
      },
    },
  };
}

const someRows = (): readonly LogRow[] =>
  Array.from({ length: TEMPLATES }, (_, i) =>
    logRow({
      workspace: WORKSPACES[i % WORKSPACES.length] ?? '',
      ...{ api_key: `key/team/${i % 40}`, api_key_name: `Key ${i % 40}`, end_user: `user-${(i * 7_919) % 5_000}` },
      ...{ provider: `provider-${i % 5}`, account: `account-${i % 5}`, model: `model-${i % 5}-${i % 3}` },
      ...{ config: `config-${i % 10}`, config_version: '1', mode: 'fallback', target: 'config.targets[0]' },
      ...{
        status: i % 10 === 0 ? 429 : 200,
        response_ms: 20 + ((i * 37) % 2_000),
        cache: i % 5 === 0 ? 'HIT' : 'MISS',
      },
      metadata: { team: `team-${i % 30}`, region: `region-${i % 4}` },
      decision: { calls: 1, price: 'catalogue', limits: [{ id: 'requests', passed: true }], usage: {} },
    }),
  );

function recordOf(rows: readonly LogRow[], at: number) {
  const row = rows[at % rows.length] ?? logRow();
  return { row: { ...row, id: randomUUID(), trace_id: randomUUID(), created_at: Date.now() }, content: undefined };
}
