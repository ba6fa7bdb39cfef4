/** Which database has the people and the request log of a process. */
import { readFileSync } from 'node:fs';
import { err, ok, type Result } from '@gatehouse/crds';
import {
  createPostgresLogStore,
  type GatewaySettings,
  type Logger,
  type LogStore,
  type Variables,
} from '@gatehouse/gateway';
import { createDatabase, createSignIn, postgresDialect } from '@gatehouse/operator/management';
import type { PeopleDatabase } from '../management/index.ts';
import { AUDIT_RETENTION, DATABASE_CA_PATH, DATABASE_URL } from '../variables.ts';
import { createEmbedded } from './embedded.ts';
import { logObjectsOf } from './log-objects.ts';
import { openLogReading } from './log-reading.ts';
import { readSignIn } from './sign-in.ts';

export interface PeopleOptions {
  readonly folder: string;
  readonly variables: Variables;
  readonly logger: Logger;
  /** Of the gateway: they may name a database of the request log. */
  readonly settings: Pick<GatewaySettings, 'requestLog' | 'ca'>;
  /** Keep a request log in the data folder; where DATABASE_URL names a database, it is kept anyway. */
  readonly keepsLogs: boolean;
}

export interface OpenDatabases {
  readonly people: PeopleDatabase;
  /** Absent: no request log is kept there. */
  readonly logs: LogStore | undefined;
}

/** A hundred years. */
const MAX_DAYS = 36_500;

/** Opens nothing yet. Errors name the variable, never its value. */
export function openDatabases(options: PeopleOptions): Result<OpenDatabases, string> {
  const { variables, logger } = options;
  const auditRetentionDays = Number(variables[AUDIT_RETENTION] || 0);
  if (!Number.isInteger(auditRetentionDays) || auditRetentionDays < 0 || auditRetentionDays > MAX_DAYS)
    return err(`${AUDIT_RETENTION}: expected whole days from 0 to ${MAX_DAYS}`);
  const settings = readSignIn(variables);
  if (!settings.ok) return settings;
  const logObjects = logObjectsOf(variables);
  if (!logObjects.ok) return logObjects;
  const opened = openBoth(options);
  if (!opened.ok) return opened;
  const { logs: store, ...found } = opened.value;
  const { database } = found;
  const onAway = (error: unknown): void => logger.error({ err: error }, 'Identity provider gave no usable answer');
  const signIn = settings.value && createSignIn({ settings: settings.value, database, now: Date.now, onAway });
  const people = { ...found, auditRetentionDays, signIn };
  if (store === undefined && options.settings.requestLog === undefined) return ok({ people, logs: undefined });
  const reading = openLogReading(options, database);
  if (!reading.ok) return reading;
  return ok({ people: { ...people, logs: { ...reading.value, objects: logObjects.value } }, logs: store });
}

interface Both extends Pick<PeopleDatabase, 'database' | 'isLazy'> {
  readonly logs: LogStore | undefined;
}

function openBoth({ folder, variables, logger, keepsLogs }: PeopleOptions): Result<Both, string> {
  const onAway = (error: unknown): void => logger.error({ err: error }, 'Database of people cannot be reached');
  const url = variables[DATABASE_URL]?.trim();
  if (url === undefined || url === '') {
    const embedded = createEmbedded(folder);
    const logs = keepsLogs ? createPostgresLogStore(embedded.dialect) : undefined;
    return ok({ database: embedded.people(onAway), isLazy: !keepsLogs, logs });
  }
  const ca = readCa(variables[DATABASE_CA_PATH]);
  if (!ca.ok) return ca;
  const dialect = postgresDialect({ url, ca: ca.value });
  if (!dialect.ok) return err(`${DATABASE_URL}: ${dialect.error}`);
  const logs = createPostgresLogStore(dialect.value);
  return ok({ database: createDatabase({ dialect: dialect.value, onAway }), isLazy: false, logs });
}

function readCa(path: string | undefined): Result<string | undefined, string> {
  if (path === undefined || path === '') return ok(undefined);
  try {
    return ok(readFileSync(path, 'utf8'));
  } catch {
    return err(`${DATABASE_CA_PATH}: the file cannot be read`);
  }
}
