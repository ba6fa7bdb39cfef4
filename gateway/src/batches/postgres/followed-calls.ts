/** Batches at providers that are followed, those that have ended, and which rows of outputs were counted. */
import { parseJson } from '@gatehouse/crds';
import { LeaseLost } from '../claims.ts';
import { type FollowedLease, type FollowedStore, followedBatch } from '../followed-store.ts';
import { claimRow } from './claim-row.ts';
import type { BatchDatabase } from './database.ts';
import { lockWorkspace } from './file-calls.ts';

/** Numbers of 64 bits are texts. */
interface FollowedRow {
  readonly terms: string;
  readonly lease_number: string;
}

export const followedCalls = (database: BatchDatabase): FollowedStore => ({
  follow: (batch, maxOfWorkspace) =>
    database.use(({ queries, sql }) =>
      queries.transaction().execute(async (transaction) => {
        await lockWorkspace(sql, batch.workspace).execute(transaction);
        const { rows } = await sql<{ count: string }>`
          select count(*) as count from gateway_batches.followed where workspace = ${batch.workspace}
        `.execute(transaction);
        if (Number(rows[0]?.count ?? 0) >= maxOfWorkspace) return false;
        await sql`
          insert into gateway_batches.followed (id, workspace, terms, lease_until)
          values (${batch.id}, ${batch.workspace}, ${JSON.stringify(batch)}, ${batch.createdAt}::bigint)
          on conflict do nothing
        `.execute(transaction);
        // Last: an end that the insert has waited for is seen by what follows it.
        await sql`
          delete from gateway_batches.followed as again using gateway_batches.followed_ended as ended
          where again.id = ${batch.id} and ended.id = again.id
        `.execute(transaction);
        return true;
      }),
    ),
  follows: (id) =>
    database.use(async ({ queries, sql }) => {
      const { rows } = await sql`select 1 from gateway_batches.followed where id = ${id}`.execute(queries);
      return rows.length > 0;
    }),
  claimFollowed: (options) =>
    database.use(async ({ queries, sql }) => {
      const which = { table: 'followed', isOpen: sql`true`, order: sql`lease_until, id` } as const;
      const { rows } = await claimRow<FollowedRow>(sql, { ...options, ...which }).execute(queries);
      const [row] = rows;
      return row === undefined ? undefined : leaseOf(database, row, options.leaseMs);
    }),
  countedRows: (output, owner) =>
    database.use(async ({ queries, sql }) => {
      const { rows } = await sql<{ rows: number }>`
        select coalesce(max(until_row), 0) as rows from gateway_batches.counted_rows
        where output = ${output} and owner <> ${owner}
      `.execute(queries);
      return rows[0]?.rows ?? 0;
    }),
  countRows: (output, { before, rows: until, owner, nowMs }) =>
    database.use(async ({ queries, sql }) => {
      const { rows } = await sql`
        insert into gateway_batches.counted_rows as known (output, from_row, until_row, owner, counted_at)
        values (${output}, ${before}::integer, ${until}::integer, ${owner}, ${nowMs}::bigint)
        on conflict (output, from_row) do update set counted_at = known.counted_at
        where known.owner = excluded.owner and known.until_row = excluded.until_row
        returning 1
      `.execute(queries);
      return rows.length > 0;
    }),
  forgetBefore: (timeMs, limit) =>
    database.use(async ({ queries, sql }) => {
      await sql`
        delete from gateway_batches.counted_rows where (output, from_row) in (
          select output, from_row from gateway_batches.counted_rows
          where counted_at < ${timeMs}::bigint order by counted_at limit ${limit}
        )
      `.execute(queries);
      await sql`
        delete from gateway_batches.followed_ended where id in (
          select id from gateway_batches.followed_ended
          where ended_at < ${timeMs}::bigint order by ended_at limit ${limit}
        )
      `.execute(queries);
    }),
});

function leaseOf(database: BatchDatabase, row: FollowedRow, leaseMs: number): FollowedLease {
  const followed = followedBatch.parse(parseJson(row.terms));
  const number = Number(row.lease_number);
  const { id } = followed;
  const until = (ms: number): Promise<void> =>
    database.use(async ({ queries, sql }) => {
      const { numAffectedRows = 0n } = await sql`
        update gateway_batches.followed set lease_until = ${ms}::bigint
        where id = ${id} and lease_number = ${number}::bigint
      `.execute(queries);
      if (numAffectedRows === 0n) throw lost();
    });
  return {
    followed,
    number,
    renew: (nowMs) => until(nowMs + leaseMs),
    later: until,
    end: (nowMs, maxOfWorkspace) =>
      database.use(async ({ queries, sql }) => {
        const { rows } = await sql`
          with gone as (
            delete from gateway_batches.followed where id = ${id} and lease_number = ${number}::bigint
            returning id, workspace
          )
          insert into gateway_batches.followed_ended as known (id, workspace, ended_at)
          select id, workspace, ${nowMs}::bigint from gone
          on conflict (id) do update set ended_at = excluded.ended_at
          returning 1
        `.execute(queries);
        if (rows.length === 0) throw lost();
        await sql`
          delete from gateway_batches.followed_ended
          where workspace = ${followed.workspace} and (ended_at, id) <= (
            select ended_at, id from gateway_batches.followed_ended where workspace = ${followed.workspace}
            order by ended_at desc, id desc offset ${maxOfWorkspace} limit 1
          )
        `.execute(queries);
      }),
  };
}

const lost = (): LeaseLost => new LeaseLost('Another pod follows the batch');
