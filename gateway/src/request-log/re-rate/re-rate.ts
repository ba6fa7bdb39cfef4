/** Computes the cost of rows in PostgreSQL again: docs/behaviour/request-logs.md#prices-in-hindsight */
import { LOG_LOCK, LOG_SCHEMA, type LogRow, MIGRATIONS } from '@gatehouse/crds/logs';
import type { Sql, Transaction } from 'kysely';
import { createDatabase, type OpenDialect } from '../../store/index.ts';
import { addingTo, NAMES } from '../postgres/sums.ts';
import type { RatingOptions } from './options.ts';
import { type Change, rateRows } from './rate-rows.ts';

export interface ReRateOptions extends RatingOptions {
  readonly dialect: OpenDialect;
}

const BATCH = 500;

type Place = Pick<LogRow, 'created_at' | 'id'>;

/**
 * Goes through the rows that have a cost, in transactions of a bounded number of rows, in which their sums change, too. What was
 * done stays done when it is stopped or fails; to do it twice changes nothing. Rejects with what the database says.
 */
export async function reRate({ dialect, onBatch, isStopped, ...options }: ReRateOptions): Promise<void> {
  const database = createDatabase({ dialect, migrations: MIGRATIONS, schema: LOG_SCHEMA, lock: LOG_LOCK });
  try {
    let after: Place | undefined;
    do {
      const place = after;
      const { rows, last } = await database.use(({ queries, sql }) =>
        queries.transaction().execute((transaction) => reRateBatch(transaction, sql, { ...options, after: place })),
      );
      after = last;
      if (last !== undefined) onBatch({ rows, reached: last.created_at });
    } while (after !== undefined && !isStopped());
  } finally {
    await database.close();
  }
}

interface BatchOptions extends Omit<ReRateOptions, 'dialect' | 'onBatch' | 'isStopped'> {
  readonly after: Place | undefined;
}

async function reRateBatch(transaction: Transaction<unknown>, sql: Sql, options: BatchOptions) {
  const found = await readRows(transaction, sql, options);
  const { rows, changes } = rateRows(found, options);
  if (!options.isDry && changes.length > 0) await write(transaction, sql, changes);
  return { rows, last: found.at(-1) };
}

/** Rows that are read are locked, so that nobody else changes their cost meanwhile. */
async function readRows(transaction: Transaction<unknown>, sql: Sql, options: BatchOptions) {
  const { from, to, models, isDry, batch = BATCH, after } = options;
  const since = after?.created_at ?? from;
  const beyond = after === undefined ? sql`true` : sql`(created_at, id) > (${instant(since)}, ${after.id})`;
  const named =
    models === undefined
      ? sql`true`
      : sql`exists (select 1 from jsonb_to_recordset(${JSON.stringify(models)}::jsonb) as named (provider text, model text)
          where named.provider = logs.provider and named.model = logs.model)`;
  const { rows } = await sql<{ row: LogRow & { readonly created_at: string | number } }>`
    select to_jsonb(logs) as row from ${sql.table(`${LOG_SCHEMA}.logs`)} as logs
    where created_at >= ${instant(since)} and created_at < ${instant(to)} and ${beyond}
      and provider is not null and cost_nano is not null and ${named}
    order by created_at, id limit ${batch} ${isDry ? sql`` : sql`for update`}`.execute(transaction);
  return rows.map(({ row }): LogRow => ({ ...row, created_at: Date.parse(String(row.created_at)) }));
}

async function write(transaction: Transaction<unknown>, sql: Sql, changes: readonly Change[]): Promise<void> {
  const given = changes.map(({ before, after: { id, created_at, cost_nano, is_unpriced, decision } }) => ({
    ...{ id, created_at: instant(created_at), cost_nano, is_unpriced, decision },
    difference: (cost_nano ?? 0) - (before.cost_nano ?? 0),
  }));
  const [before, after] = WRITE_COSTS;
  await sql`${sql.raw(before)}${JSON.stringify(given)}${sql.raw(after)}`.execute(transaction);
}

/** Their requests, attempts, times and tokens are in the sums. */
const WRITE_COSTS = addingTo(`
  update ${LOG_SCHEMA}.logs as logs
  set cost_nano = new.cost_nano, is_unpriced = new.is_unpriced, decision = new.decision
  from jsonb_to_recordset($::jsonb) as new
    (id uuid, created_at timestamptz, cost_nano bigint, is_unpriced boolean, decision jsonb, difference bigint)
  where logs.created_at = new.created_at and logs.id = new.id
  returning ${NAMES.map((name) => `logs.${name}`).join(', ')}, new.difference as cost_nano,
    null::smallint as attempt, false as is_final, 0 as input_tokens, 0 as output_tokens, 0 as total_tokens`).split(
  '$',
) as [before: string, after: string]; // one place for the parameter

const instant = (ms: number): string => new Date(ms).toISOString();
