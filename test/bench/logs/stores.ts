/** The stores of rows, each with what the management API needs beside it. */
import { startPostgres, unwrap } from '@gatehouse/test/kit';
import {
  createDatabase,
  type Database,
  logTablesIn,
  openLogReader,
  postgresDialect,
} from '../../../operator/src/management/index.ts';
import type { LogReader } from '../../../operator/src/management/logs/index.ts';
import { startClickHouse } from '../../clickhouse/index.ts';
import { clickHouseRows } from './generate-clickhouse.ts';
import { feedbackOn, postgresRows } from './generate-postgres.ts';
import type { GeneratedRows } from './generated.ts';

export const STORES = ['postgres', 'clickhouse'] as const;
export type StoreName = (typeof STORES)[number];

export interface BenchStore extends AsyncDisposable {
  /** For a report. */
  readonly name: string;
  /** Of PostgreSQL, which has feedback and exports in any case. */
  readonly url: string;
  readonly clickHouseUrl: string | undefined;
  readonly database: Database;
  readonly reader: LogReader;
  /** Makes the tables of PostgreSQL first by asking something. */
  fill(of: GeneratedRows): Promise<void>;
}

export interface StorePlace {
  /** Of a PostgreSQL, and of a ClickHouse, that has the rows already; undefined: one is started. */
  readonly url: string | undefined;
  readonly clickHouseUrl: string | undefined;
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);

export async function openStore(name: StoreName, given: StorePlace): Promise<BenchStore> {
  await using stack = new AsyncDisposableStack();
  const server = given.url === undefined ? stack.use(await startPostgres()) : undefined;
  const url = given.url ?? (await server?.database()) ?? '';
  const isStarted = name === 'clickhouse' && given.clickHouseUrl === undefined;
  const clickHouse = isStarted ? stack.use(await startClickHouse()) : undefined;
  const clickHouseUrl = name === 'clickhouse' ? (given.clickHouseUrl ?? clickHouse?.url) : undefined;
  const database = createDatabase({ dialect: unwrap(postgresDialect({ url })), onAway: (error) => say(String(error)) });
  stack.defer(() => database.close());
  const tables = logTablesIn(database);
  const { reader, close } = unwrap(
    openLogReader(clickHouseUrl === undefined ? undefined : { url: clickHouseUrl, onAway: () => undefined }, tables),
  );
  stack.defer(close);
  const inPostgres = async (statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await server?.sql(statement, new URL(url).pathname.slice(1));
  };
  const owned = stack.move();
  return {
    name: name === 'postgres' ? 'PostgreSQL' : 'ClickHouse',
    ...{ url, clickHouseUrl, database, reader },
    fill: async (of) => {
      await tables.use(async () => undefined);
      if (name === 'postgres') return inPostgres(postgresRows(of));
      for (const statement of clickHouse === undefined ? [] : clickHouseRows(of)) await clickHouse?.rows(statement);
      return inPostgres(feedbackOn(of));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
