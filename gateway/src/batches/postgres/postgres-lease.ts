/** The right of one pod to work on a batch; every write names its number, and only the highest one counts. */

import { LeaseLost } from '../claims.ts';
import type { Lease } from '../job-store.ts';
import { hasEnded, type StoredBatch } from '../records.ts';
import type { BatchDatabase, Opened } from './database.ts';

export interface PostgresLeaseOptions {
  readonly batch: StoredBatch;
  readonly number: number;
  readonly leaseMs: number;
}

/** Answers may be large. */
const LINES_PER_QUERY = 20;

export function createPostgresLease(database: BatchDatabase, { batch, number, leaseMs }: PostgresLeaseOptions): Lease {
  const { id } = batch.order;
  const lost = (): LeaseLost => new LeaseLost('Another pod works on the batch');
  const isHeld = async ({ queries, sql }: Opened): Promise<boolean> => {
    const { rows } = await sql`
      select 1 from gateway_batches.batches where id = ${id} and lease_number = ${number}::bigint and ended_at is null
    `.execute(queries);
    return rows.length > 0;
  };
  return {
    batch,
    renew: (nowMs) =>
      database.use(async ({ queries, sql }) => {
        const { rows } = await sql<{ cancelling_at: string | null }>`
          update gateway_batches.batches set lease_until = ${nowMs + leaseMs}::bigint
          where id = ${id} and lease_number = ${number}::bigint and ended_at is null
          returning cancelling_at
        `.execute(queries);
        const [row] = rows;
        if (row === undefined) throw lost();
        return { cancellingAt: row.cancelling_at === null ? undefined : Number(row.cancelling_at) };
      }),
    answeredRows: () =>
      database.use(async ({ queries, sql }) => {
        const { rows } = await sql<{ row: number; succeeded: boolean }>`
          select row, succeeded from gateway_batches.answers where batch_id = ${id}
        `.execute(queries);
        return new Map(rows.map(({ row, succeeded }) => [row, succeeded]));
      }),
    addAnswer: ({ row, succeeded, line }) =>
      database.use(async (opened) => {
        const { queries, sql } = opened;
        const { numAffectedRows = 0n } = await sql`
          insert into gateway_batches.answers (batch_id, row, succeeded, line)
          select id, ${row}::integer, ${succeeded}::boolean, ${line} from gateway_batches.batches
          where id = ${id} and lease_number = ${number}::bigint and ended_at is null
          on conflict do nothing
        `.execute(queries);
        if (numAffectedRows === 0n && !(await isHeld(opened))) throw lost();
      }),
    lines: async function* (succeeded) {
      for (let after = -1; ; ) {
        const rows = await database.use(async ({ queries, sql }) => {
          const found = await sql<{ row: number; line: string }>`
            select row, line from gateway_batches.answers
            where batch_id = ${id} and succeeded = ${succeeded} and row > ${after}::integer
            order by row limit ${LINES_PER_QUERY}
          `.execute(queries);
          return found.rows;
        });
        for (const { line } of rows) yield line;
        if (rows.length < LINES_PER_QUERY) return;
        after = rows.at(-1)?.row ?? after;
      }
    },
    save: (progress) =>
      database.use(({ queries, sql }) =>
        queries.transaction().execute(async (transaction) => {
          const { numAffectedRows = 0n } = await sql`
            update gateway_batches.batches
            set progress = ${JSON.stringify(progress)}, ended_at = ${progress.endedAt}::bigint
            where id = ${id} and lease_number = ${number}::bigint and ended_at is null
          `.execute(transaction);
          if (numAffectedRows === 0n) throw lost();
          if (hasEnded(progress))
            await sql`delete from gateway_batches.answers where batch_id = ${id}`.execute(transaction);
        }),
      ),
    release: (atMs = 0) =>
      database.use(async ({ queries, sql }) => {
        await sql`
          update gateway_batches.batches set lease_until = ${atMs}::bigint where id = ${id} and lease_number = ${number}::bigint
        `.execute(queries);
      }),
  };
}
