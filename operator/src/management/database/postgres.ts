/** PostgreSQL by its URL. */
import { err, ok, type Result } from '@gatehouse/crds';
import type { Dialect } from 'kysely';
import type { PoolConfig } from 'pg';

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database?sslmode=verify-full`. */
  readonly url: string;
  /** Certificate authorities as PEM; absent: those of Node. */
  readonly ca?: string | undefined;
}

const MAX_CONNECTIONS = 8;
const CONNECT_MS = 5_000;
const QUERY_MS = 15_000;
const IDLE_MS = 60_000;

const TLS_MODES = ['disable', 'no-verify', 'require', 'verify-ca', 'verify-full'] as const;
type TlsMode = (typeof TLS_MODES)[number];

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
export function poolConfig({ url, ca }: PostgresOptions): Result<PoolConfig, string> {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    return err('expected postgres://USER:PASSWORD@HOST:PORT/DATABASE');
  }
  const { hostname, port, username, password, pathname, searchParams } = parsed;
  const unknown = [...searchParams.keys()].find((name) => name !== 'sslmode');
  if (unknown !== undefined) return err(`the parameter ${unknown} is not known; sslmode is the only one`);
  const mode = searchParams.get('sslmode') ?? (ca === undefined ? 'disable' : 'verify-full');
  if (!isTlsMode(mode)) return err(`sslmode: expected one of ${TLS_MODES.join(', ')}`);
  const [user, secret, database] = [username, password, pathname.slice(1)].map(decoded);
  if (hostname === '' || user === '' || user === undefined || secret === undefined || !database) {
    return err('needs a user, a host and a database, and percent-encoding that can be read');
  }
  return ok({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? 5432 : Number(port),
    user,
    ...(secret === '' ? {} : { password: secret }),
    database,
    ssl: mode === 'disable' ? false : { rejectUnauthorized: mode !== 'no-verify', ...(ca === undefined ? {} : { ca }) },
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    query_timeout: QUERY_MS,
    statement_timeout: QUERY_MS,
    application_name: 'gatehouse-management',
    keepAlive: true,
  });
}

const isTlsMode = (mode: string): mode is TlsMode => TLS_MODES.some((known) => known === mode);

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
