/** People and invitations in the database. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { InviteRow, UserRow } from '@gatehouse/crds/records';
import { type Database, DatabaseAway, type Queries } from '../database/index.ts';
import { RestError } from '../http/rest-error.ts';

const INVITE_MS = 7 * 86_400_000;
const TOKEN_BYTES = 32;
const UNIQUE = '23505';

/** Throws DatabaseAway where there is none. */
export function directoryOf({ database }: { readonly database?: Database | undefined }): Database {
  if (database !== undefined) return database;
  throw new DatabaseAway('People need a database: set DATABASE_URL');
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

export interface NewInvite extends Pick<InviteRow, 'role' | 'workspaces' | 'key_scopes' | 'invited_by'> {
  readonly email: string;
}

/** A token of 256 random bits; only its hash is kept. */
function newToken(nowMs: number): {
  readonly token: string;
  readonly hashed: { token_sha256: string; expires_at: Date };
} {
  const token = `gwi_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  return { token, hashed: { token_sha256: hashOf(token), expires_at: new Date(nowMs + INVITE_MS) } };
}

/** Throws RestError CONFLICT for somebody who has an account or an open invitation. */
export async function createInvite(
  queries: Queries,
  { email, workspaces, key_scopes, ...rest }: NewInvite,
  nowMs: number,
): Promise<{ readonly id: string; readonly token: string }> {
  const address = email.toLowerCase();
  const { token, hashed } = newToken(nowMs);
  const id = randomUUID();
  const known = await queries.selectFrom('users').select('id').where('email', '=', address).executeTakeFirst();
  if (known !== undefined) throw new RestError('CONFLICT', { message: 'The person is a user already', param: 'email' });
  const now = new Date(nowMs);
  await queries // of an invitation that has expired nothing is left to accept
    .updateTable('invites')
    .set({ cancelled_at: now })
    .where('email', '=', address)
    .where('accepted_at', 'is', null)
    .where('cancelled_at', 'is', null)
    .where('expires_at', '<=', now)
    .execute();
  const row = {
    ...{ id, email: address, ...rest, ...hashed, created_at: now, accepted_at: null, cancelled_at: null },
    workspaces: JSON.stringify(workspaces),
    key_scopes: key_scopes === null ? null : JSON.stringify(key_scopes),
  };
  try {
    await queries.insertInto('invites').values(row).execute();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new RestError('CONFLICT', { message: 'The person has an open invitation', param: 'email' });
  }
  return { id, token };
}

/** Undefined: there is none that is open. */
export async function renewInvite(queries: Queries, id: string, nowMs: number): Promise<string | undefined> {
  const { token, hashed } = newToken(nowMs);
  const renewed = await queries
    .updateTable('invites')
    .set(hashed)
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .where('cancelled_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return renewed === undefined ? undefined : token;
}

export interface Acceptance {
  readonly token: string;
  readonly first: string;
  readonly last: string;
  readonly nowMs: number;
}

/**
 * Marks it as accepted, once, and makes the account, both only if `admit` succeeds. Undefined: the token is not that of a pending
 * invitation.
 */
export function acceptInvite<T>(
  queries: Queries,
  { token, first, last, nowMs }: Acceptance,
  admit: (user: UserRow, invite: InviteRow) => Promise<T>,
): Promise<{ readonly user: UserRow; readonly result: T } | undefined> {
  const now = new Date(nowMs);
  return queries.transaction().execute(async (transaction) => {
    const invite = await transaction
      .updateTable('invites')
      .set({ accepted_at: now })
      .where('token_sha256', '=', hashOf(token))
      .where('accepted_at', 'is', null)
      .where('cancelled_at', 'is', null)
      .where('expires_at', '>', now)
      .returningAll()
      .executeTakeFirst();
    if (invite === undefined) return undefined;
    const names = { first_name: first, last_name: last };
    const user: UserRow = {
      ...{ id: randomUUID(), email: invite.email, ...names, role: invite.role, active: true, external_id: null },
      ...{ issuer: null, subject: null, created_at: now, updated_at: now },
      ...{ user_name: null, user_name_key: null, display_name: null },
    };
    await transaction.insertInto('users').values(user).execute();
    return { user, result: await admit(user, invite) };
  });
}

export const isDuplicate = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === UNIQUE;
