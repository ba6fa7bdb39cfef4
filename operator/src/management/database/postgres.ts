/** PostgreSQL by its URL. */
import { ok, type Result } from '@gatehouse/crds';
import { type PostgresOptions, parsePostgresUrl, poolSettings } from '@gatehouse/crds/sql';
import type { Dialect } from 'kysely';
import type { PoolConfig } from 'pg';

/** A question reads many partitions, each with code of its own: to compile it takes longer than to run it. Before version 11 nothing does. */
const NO_JIT = "select set_config('jit', 'off', false) from pg_settings where name = 'jit'";

/** Opens nothing yet. Errors name the part of the URL, never its content. */
export function postgresDialect(options: PostgresOptions): Result<() => Promise<Dialect>, string> {
  const config = poolConfig(options);
  if (!config.ok) return config;
  return ok(async () => {
    const [{ CompiledQuery, PostgresDialect }, { Pool }] = await Promise.all([import('kysely'), import('pg')]);
    const pool = new Pool(config.value);
    pool.on('error', () => undefined); // an idle connection was closed: the next query opens another one
    // One that is closed between two queries of a transaction fails the next of them; without a listener it would end the process.
    pool.on('connect', (client) => client.on('error', () => undefined));
    return new PostgresDialect({
      pool,
      onCreateConnection: async (connection) => void (await connection.executeQuery(CompiledQuery.raw(NO_JIT))),
    });
  });
}

/** The settings of the connections. */
export function poolConfig(options: PostgresOptions): Result<PoolConfig, string> {
  const address = parsePostgresUrl(options);
  return address.ok ? ok(poolSettings(address.value, 'gatehouse-management')) : address;
}
