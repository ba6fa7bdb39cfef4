/** Which database has the people of a process. */
import { readFileSync } from 'node:fs';
import { err, ok, type Result } from '@gatehouse/crds';
import type { Logger, Variables } from '@gatehouse/gateway';
import { createDatabase, createSignIn, postgresDialect } from '@gatehouse/operator/management';
import type { PeopleDatabase } from '../management/index.ts';
import { AUDIT_RETENTION, DATABASE_CA_PATH, DATABASE_URL } from '../variables.ts';
import { createEmbeddedDatabase } from './embedded.ts';
import { readSignIn } from './sign-in.ts';

export interface PeopleOptions {
  readonly folder: string;
  readonly variables: Variables;
  readonly logger: Logger;
}

/** A hundred years. */
const MAX_DAYS = 36_500;

/** Opens nothing yet. Errors name the variable, never its value. */
export function openPeople({ folder, variables, logger }: PeopleOptions): Result<PeopleDatabase, string> {
  const auditRetentionDays = Number(variables[AUDIT_RETENTION] || 0);
  if (!Number.isInteger(auditRetentionDays) || auditRetentionDays < 0 || auditRetentionDays > MAX_DAYS)
    return err(`${AUDIT_RETENTION}: expected whole days from 0 to ${MAX_DAYS}`);
  const settings = readSignIn(variables);
  if (!settings.ok) return settings;
  const opened = openDatabase({ folder, variables, logger });
  if (!opened.ok) return opened;
  const { database } = opened.value;
  const onAway = (error: unknown): void => logger.error({ err: error }, 'Identity provider gave no usable answer');
  const signIn = settings.value && createSignIn({ settings: settings.value, database, now: Date.now, onAway });
  return ok({ ...opened.value, auditRetentionDays, signIn });
}

function openDatabase({
  folder,
  variables,
  logger,
}: PeopleOptions): Result<Pick<PeopleDatabase, 'database' | 'isLazy'>, string> {
  const onAway = (error: unknown): void => logger.error({ err: error }, 'Database of people cannot be reached');
  const url = variables[DATABASE_URL]?.trim();
  if (url === undefined || url === '')
    return ok({ database: createEmbeddedDatabase({ folder, onAway }), isLazy: true });
  const ca = readCa(variables[DATABASE_CA_PATH]);
  if (!ca.ok) return ca;
  const dialect = postgresDialect({ url, ca: ca.value });
  if (!dialect.ok) return err(`${DATABASE_URL}: ${dialect.error}`);
  return ok({ database: createDatabase({ dialect: dialect.value, onAway }), isLazy: false });
}

function readCa(path: string | undefined): Result<string | undefined, string> {
  if (path === undefined || path === '') return ok(undefined);
  try {
    return ok(readFileSync(path, 'utf8'));
  } catch {
    return err(`${DATABASE_CA_PATH}: the file cannot be read`);
  }
}
