/** Which batches there are, and who works on them. */
import { parseJson } from '@gatehouse/crds';
import type { JobStore } from '../job-store.ts';
import { batchOrder, batchProgress, NOT_STARTED, type StoredBatch } from '../records.ts';
import { claimRow } from './claim-row.ts';
import type { BatchDatabase } from './database.ts';
import { behind, lockWorkspace } from './file-calls.ts';
import { createPostgresLease } from './postgres-lease.ts';

export type BatchCalls = Pick<
  JobStore,
  'addBatch' | 'batch' | 'batches' | 'cancelBatch' | 'removeBatchesEndedBefore' | 'claim'
>;

/** Numbers of 64 bits are texts. */
interface BatchRow {
  readonly terms: string;
  readonly progress: string;
  readonly cancelling_at: string | null;
  readonly lease_number: string;
}

const toBatch = (row: BatchRow): StoredBatch => ({
  order: batchOrder.parse(parseJson(row.terms)),
  progress: batchProgress.parse(parseJson(row.progress)),
  cancellingAt: row.cancelling_at === null ? undefined : Number(row.cancelling_at),
});

export const batchCalls = (database: BatchDatabase): BatchCalls => ({
  addBatch: (order, maxOpen) =>
    database.use(({ queries, sql }) =>
      queries.transaction().execute(async (transaction) => {
        await lockWorkspace(sql, order.workspace).execute(transaction);
        const { numAffectedRows = 0n } = await sql`
          insert into gateway_batches.batches (id, workspace, created_at, terms, progress)
          select ${order.id}, ${order.workspace}, ${order.createdAt}::bigint, ${JSON.stringify(order)}, ${JSON.stringify(NOT_STARTED)}
          where (
            select count(*) from gateway_batches.batches where workspace = ${order.workspace} and ended_at is null
          ) < ${maxOpen}::bigint
        `.execute(transaction);
        return numAffectedRows > 0n;
      }),
    ),
  batch: (workspace, id) =>
    database.use(async ({ queries, sql }) => {
      const { rows } = await sql<BatchRow>`
        select * from gateway_batches.batches where id = ${id} and workspace = ${workspace}
      `.execute(queries);
      return rows.map(toBatch)[0];
    }),
  batches: (workspace, { limit, after, order = 'desc' }) =>
    database.use(async ({ queries, sql }) => {
      const isDescending = order === 'desc';
      const { rows } = await sql<BatchRow>`
        select * from gateway_batches.batches
        where workspace = ${workspace} and ${behind(sql, { table: 'batches', workspace, after, isDescending })}
        order by created_at ${sql.raw(order)}, id ${sql.raw(order)}
        limit ${limit + 1}
      `.execute(queries);
      return { items: rows.slice(0, limit).map(toBatch), hasMore: rows.length > limit };
    }),
  cancelBatch: (workspace, id, nowMs) =>
    database.use(async ({ queries, sql }) => {
      const { rows } = await sql<BatchRow>`
        update gateway_batches.batches set cancelling_at = coalesce(cancelling_at, ${nowMs}::bigint)
        where id = ${id} and workspace = ${workspace}
        returning *
      `.execute(queries);
      return rows.map(toBatch)[0];
    }),
  removeBatchesEndedBefore: (timeMs, limit) =>
    database.use(async ({ queries, sql }) => {
      await sql`
        delete from gateway_batches.batches where id in (
          select id from gateway_batches.batches where ended_at < ${timeMs}::bigint order by ended_at limit ${limit}
        )
      `.execute(queries);
    }),
  claim: (options) =>
    database.use(async ({ queries, sql }) => {
      const which = { table: 'batches', isOpen: sql`ended_at is null`, order: sql`created_at, id` } as const;
      const { rows } = await claimRow<BatchRow>(sql, { ...options, ...which }).execute(queries);
      const [row] = rows;
      if (row === undefined) return undefined;
      const { leaseMs } = options;
      return createPostgresLease(database, { batch: toBatch(row), number: Number(row.lease_number), leaseMs });
    }),
});
