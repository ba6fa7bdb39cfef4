/** Where the request log is written to. */
import { parseClickHouseUrl } from '@gatehouse/crds/logs';
import { parsePostgresUrl } from '@gatehouse/crds/sql';
import { Secret } from '../lib/secret.ts';
import type { Environment } from './env.ts';
import { type DocumentSettings, documentsOf } from './log-store.ts';

export interface RequestLogSettings {
  /** Its URL has the credential; `process`: whoever starts the gateway brings the store. */
  readonly database: { readonly kind: 'postgres' | 'clickhouse'; readonly url: Secret } | { readonly kind: 'process' };
  /** Of records that wait. */
  readonly maxBytes: number;
  /** Of what the database has; undefined: no bound. */
  readonly maxStoredBytes: number | undefined;
  /** In ms; undefined: for ever. */
  readonly retentionMs: number | undefined;
  /** Undefined: documents are in the database. */
  readonly documents: DocumentSettings | undefined;
}

const DAY_MS = 86_400_000;

/** Undefined: there is none. Throws an Error that names the variable. */
export function requestLogOf(env: Environment): RequestLogSettings | undefined {
  const database = databaseOf(env);
  return database && { database, ...boundsOf(env) };
}

/** For a store that the process brings. */
export const requestLogOfProcess = (env: Environment): RequestLogSettings => ({
  database: { kind: 'process' },
  ...boundsOf(env),
});

function boundsOf(env: Environment): Omit<RequestLogSettings, 'database'> {
  const days = env.GATEHOUSE_LOGS_RETENTION_DAYS;
  return {
    maxBytes: env.GATEHOUSE_LOGS_QUEUE_BYTES,
    maxStoredBytes: env.GATEHOUSE_LOGS_DATABASE_BYTES || undefined,
    retentionMs: days === 0 ? undefined : days * DAY_MS,
    documents: documentsOf(env),
  };
}

function databaseOf(env: Environment): RequestLogSettings['database'] | undefined {
  const { GATEHOUSE_LOGS_DATABASE_URL: postgres, GATEHOUSE_LOGS_CLICKHOUSE_URL: clickhouse, TLS_CA: ca } = env;
  if (clickhouse !== undefined) {
    const parsed = parseClickHouseUrl(clickhouse);
    if (!parsed.ok) throw new Error(`Invalid environment: GATEHOUSE_LOGS_CLICKHOUSE_URL: ${parsed.error}`);
    return { kind: 'clickhouse', url: new Secret(clickhouse) };
  }
  if (postgres === undefined) return undefined;
  const parsed = parsePostgresUrl({ url: postgres, ca });
  if (!parsed.ok) throw new Error(`Invalid environment: GATEHOUSE_LOGS_DATABASE_URL: ${parsed.error}`);
  return { kind: 'postgres', url: new Secret(postgres) };
}
