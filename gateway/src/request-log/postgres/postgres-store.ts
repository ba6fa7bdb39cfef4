/** The request log in PostgreSQL: docs/behaviour/request-logs.md. */
import { withoutBrokenText } from '@gatehouse/crds';
import { LOG_LOCK, LOG_SCHEMA, type LogRow, MIGRATIONS } from '@gatehouse/crds/logs';
import type { Sql, Transaction } from 'kysely';
import { createDatabase, type OpenDialect } from '../../store/index.ts';
import type { LogStore, SealedBatch } from '../log-store.ts';
import { addSums } from './add-sums.ts';
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
  await addSums(transaction, sql, {
    log_minutes: minutesOf(fresh),
    log_hours: hoursOf(fresh),
    user_hours: usersOf(fresh),
  });
}

const instant = (ms: number): string => new Date(ms).toISOString();

const identityOf = ({ id, created_at, workspace }: LogRow) => ({ id, created_at: instant(created_at), workspace });

const jsonOf = (rows: readonly object[]): string => withoutBrokenText(JSON.stringify(rows));

/** Classes of SQLSTATE: data exceptions, and constraints that a row breaks. */
const REFUSALS = /^(22|23)/;

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && REFUSALS.test(error.code);
