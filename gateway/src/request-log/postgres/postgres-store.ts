/** The request log in PostgreSQL: docs/behaviour/request-logs.md. */
import { withoutBrokenText } from '@gatehouse/crds';
import { LOG_LOCK, LOG_SCHEMA, type LogRow, MIGRATIONS } from '@gatehouse/crds/logs';
import type { Sql, Transaction } from 'kysely';
import { createDatabase, type OpenDialect } from '../../store/index.ts';
import type { LogStore, SealedBatch } from '../log-store.ts';
import { createPartitions } from './partitions.ts';
import { hoursOf, minutesOf, usersOf } from './roll-ups.ts';

/** Opens nothing yet. */
export function createPostgresStore(dialect: OpenDialect): LogStore {
  const database = createDatabase({ dialect, migrations: MIGRATIONS, schema: LOG_SCHEMA, lock: LOG_LOCK });
  const partitions = createPartitions(database);
  return {
    name: 'postgres',
    write: async (batch) => {
      await partitions.prepare(batch.records.map(({ row }) => row.created_at));
      await database.use(({ queries, sql }) =>
        queries.transaction().execute((transaction) => write(transaction, sql, batch)),
      );
    },
    isTemporary: (error) => !isRefusal(error),
    dropBefore: partitions.dropBefore,
    close: database.close,
  };
}

/** Rows that are there already add nothing to the sums. */
async function write(transaction: Transaction<unknown>, sql: Sql, { records }: SealedBatch): Promise<void> {
  const into = (table: string) => sql.table(`${LOG_SCHEMA}.${table}`);
  const given = (table: string, rows: readonly object[]) =>
    sql`select * from jsonb_populate_recordset(null::${into(table)}, ${jsonOf(rows)}::jsonb)`;
  const rows = records.map(({ row }) => ({ ...row, created_at: instant(row.created_at) }));
  const { rows: kept } = await sql<{ id: string }>`
    insert into ${into('logs')} ${given('logs', rows)} on conflict do nothing returning id`.execute(transaction);
  const documents = records.flatMap(({ row, content }) =>
    content === undefined || row.document !== 'database'
      ? []
      : [{ ...identityOf(row), content: withoutBrokenText(content) }],
  );
  if (documents.length > 0) {
    await sql`insert into ${into('documents')} ${given('documents', documents)} on conflict do nothing`.execute(
      transaction,
    );
  }
  const isNew = new Set(kept.map(({ id }) => id));
  const fresh = records.flatMap(({ row }) => (isNew.has(row.id) ? [row] : []));
  if (fresh.length === 0) return;
  for (const [table, sums] of [
    ['log_minutes', minutesOf(fresh)],
    ['log_hours', hoursOf(fresh)],
    ['user_hours', usersOf(fresh)],
  ] as const) {
    if (sums.length === 0) continue;
    const { names, added } = COLUMNS[table];
    const target = table;
    await sql`
      insert into ${into(table)} as ${sql.id(target)} ${given(table, sums)}
      on conflict (${sql.join(names.map((name) => sql.id(name)))}) do update set ${sql.join(
        added.map((name) => sql`${sql.id(name)} = ${sql.id(target, name)} + excluded.${sql.id(name)}`),
      )}`.execute(transaction);
  }
}

const NAMES = [
  ...['bucket', 'workspace', 'api_key', 'provider', 'account', 'model', 'config', 'prompt'],
  ...['status', 'cache', 'retries', 'is_fallback', 'latency'],
];
const SUMS = ['requests', 'attempts', 'response_ms', 'cost_nano', 'input_tokens', 'output_tokens', 'total_tokens'];

/** Of roll-ups: by which rows are told apart, and what is added up. */
const COLUMNS = {
  log_minutes: { names: NAMES, added: SUMS },
  log_hours: { names: NAMES, added: SUMS },
  user_hours: { names: ['bucket', 'workspace', 'api_key', 'end_user'], added: ['requests', 'cost_nano'] },
} as const;

const instant = (ms: number): string => new Date(ms).toISOString();

const identityOf = ({ id, created_at, workspace }: LogRow) => ({ id, created_at: instant(created_at), workspace });

const jsonOf = (rows: readonly object[]): string => withoutBrokenText(JSON.stringify(rows));

/** Classes of SQLSTATE: data exceptions, and constraints that a row breaks. */
const REFUSALS = /^(22|23)/;

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && REFUSALS.test(error.code);
