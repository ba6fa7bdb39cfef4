/** The account of gateways in the database of the management API: docs/behaviour/request-logs.md#writing. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { LOG_ACCOUNT, LOG_LOCK, LOG_SCHEMA } from '@gatehouse/crds/logs';
import type { Kysely, Sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * Makes the account, or gives it this password, and makes it the owner of the schema of the request log: it sees nothing else. Needs an
 * account that may make roles.
 */
export async function makeLogAccount(database: Pick<Database, 'use'>, password: string): Promise<void> {
  const { sql } = await import('kysely');
  const account = sql.id(LOG_ACCOUNT);
  await database.use((queries) =>
    queries.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(LOG_LOCK)})`.execute(transaction);
      const { rows: roles } = await sql`select 1 from pg_roles where rolname = ${LOG_ACCOUNT}`.execute(transaction);
      if (roles.length === 0) await sql`create role ${account}`.execute(transaction);
      await sql`alter role ${account} login password ${sql.lit(scramVerifier(password))}`.execute(transaction);
      const { rows: member } = await sql`select 1 where pg_has_role(${LOG_ACCOUNT}, 'member')`.execute(transaction);
      if (member.length === 0) await sql`grant ${account} to current_user`.execute(transaction);
      await sql`create schema if not exists ${sql.id(LOG_SCHEMA)}`.execute(transaction);
      await sql`alter schema ${sql.id(LOG_SCHEMA)} owner to ${account}`.execute(transaction);
      for (const table of await tablesOfOthers(transaction, sql))
        await sql`alter table ${sql.table(`${LOG_SCHEMA}.${table}`)} owner to ${account}`.execute(transaction);
    }),
  );
}

/** Tables that were made before the account was. */
async function tablesOfOthers<T>(transaction: Kysely<T>, sql: Sql): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${LOG_SCHEMA} and c.relkind in ('r', 'p') and pg_get_userbyid(c.relowner) <> ${LOG_ACCOUNT}`.execute(
    transaction,
  );
  return rows.map(({ name }) => name);
}

const ITERATIONS = 4_096;
const SALT_BYTES = 16;

/** What PostgreSQL keeps of a password (RFC 5803), so that no statement has the password itself. */
function scramVerifier(password: string): string {
  const salt = randomBytes(SALT_BYTES);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const hmac = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`;
}
