import type { PostgresAddress } from './postgres-url.ts';

const MAX_CONNECTIONS = 8;
const CONNECT_MS = 5_000;
const QUERY_MS = 15_000;
/** Shorter than the wait of the client: the server then says why. */
const STATEMENT_MS = 14_000;
const IDLE_MS = 60_000;

/** Settings of `pg` for the connections of a program, which the server knows by the name. */
export const poolSettings = (address: PostgresAddress, application: string) => ({
  ...address,
  max: MAX_CONNECTIONS,
  connectionTimeoutMillis: CONNECT_MS,
  idleTimeoutMillis: IDLE_MS,
  query_timeout: QUERY_MS,
  statement_timeout: STATEMENT_MS,
  application_name: application,
  keepAlive: true,
});
