/** PostgreSQL by its URL. */
import { ok, type Result } from '@gatehouse/crds';
import { type PostgresOptions, parsePostgresUrl } from '@gatehouse/crds/sql';
import type { Dialect } from 'kysely';
import type { PoolConfig } from 'pg';

const MAX_CONNECTIONS = 8;
const CONNECT_MS = 5_000;
const QUERY_MS = 15_000;
const IDLE_MS = 60_000;

/** Opens nothing yet. Errors name the part of the URL, never its content. */
export function postgresDialect(options: PostgresOptions): Result<() => Promise<Dialect>, string> {
  const config = poolConfig(options);
  if (!config.ok) return config;
  return ok(async () => {
    const [{ PostgresDialect }, { Pool }] = await Promise.all([import('kysely'), import('pg')]);
    const pool = new Pool(config.value);
    pool.on('error', () => undefined); // an idle connection was closed: the next query opens another one
    // One that is closed between two queries of a transaction fails the next of them; without a listener it would end the process.
    pool.on('connect', (client) => client.on('error', () => undefined));
    return new PostgresDialect({ pool });
  });
}

/** The settings of the connections. */
export function poolConfig(options: PostgresOptions): Result<PoolConfig, string> {
  const address = parsePostgresUrl(options);
  if (!address.ok) return address;
  return ok({
    ...address.value,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    query_timeout: QUERY_MS,
    statement_timeout: QUERY_MS,
    application_name: 'gatehouse-management',
    keepAlive: true,
  });
}
