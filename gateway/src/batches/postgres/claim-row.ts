/** Takes a row to work on, for one process alone. */
import type { RawBuilder, Sql } from 'kysely';
import type { ClaimOptions } from '../claims.ts';

interface Claim extends ClaimOptions {
  readonly table: 'batches' | 'followed';
  /** Of rows whose lease is over. */
  readonly isOpen: RawBuilder<unknown>;
  /** The first is taken. */
  readonly order: RawBuilder<unknown>;
}

/** At most one row, with the lease that counts from now on. */
export function claimRow<R>(sql: Sql, { table, isOpen, order, nowMs, leaseMs, except = NOBODY }: Claim): RawBuilder<R> {
  const rows = sql.table(`gateway_batches.${table}`);
  return sql<R>`
    update ${rows}
    set lease_number = lease_number + 1, lease_until = ${nowMs + leaseMs}::bigint
    where id = (
      select id from ${rows}
      where ${isOpen} and lease_until < ${nowMs}::bigint and not workspace = any(${[...except]}::text[])
      order by ${order} limit 1
      for update skip locked
    )
    returning *`;
}

const NOBODY: ReadonlySet<string> = new Set();
