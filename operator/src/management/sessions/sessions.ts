/** Sessions in the database. */
import { createHash, randomBytes } from 'node:crypto';
import type { SessionRow, UserRow } from '@gatehouse/crds/records';
import type { Queries } from '../database/index.ts';

const ID_BYTES = 32;
const ID = /^[A-Za-z0-9_-]{43}$/;
/** The time of the last use is written once in that time, in ms. */
const TOUCH_MS = 60_000;
/** Sessions of one person; the oldest ones end. */
const MAX_SESSIONS = 20;

export interface Lifetimes {
  readonly sessionMs: number;
  readonly idleMs: number;
}

export const hashOf = (id: string): string => createHash('sha256').update(id).digest('hex');

/** Whether a text may be the id of a session at all. */
export const isSessionId = (text: string): boolean => ID.test(text);

/** The id has 256 random bits and is kept nowhere. */
export async function beginSession(
  queries: Queries,
  { userId, nowMs, sessionMs }: { readonly userId: string; readonly nowMs: number; readonly sessionMs: number },
): Promise<string> {
  const id = randomBytes(ID_BYTES).toString('base64url');
  const now = new Date(nowMs);
  await queries.deleteFrom('sessions').where('expires_at', '<=', now).execute();
  await queries
    .insertInto('sessions')
    .values({
      ...{ id_sha256: hashOf(id), user_id: userId, created_at: now, used_at: now },
      expires_at: new Date(nowMs + sessionMs),
    })
    .execute();
  const older = queries
    .selectFrom('sessions')
    .select('id_sha256')
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id_sha256')
    .offset(MAX_SESSIONS);
  await queries.deleteFrom('sessions').where('id_sha256', 'in', older).execute();
  return id;
}

export interface FoundSession {
  readonly session: SessionRow;
  readonly user: UserRow;
}

/** The session and its person; undefined: it has ended, or the account is suspended or gone. */
export async function findSession(
  queries: Queries,
  { idHash, nowMs, idleMs }: { readonly idHash: string; readonly nowMs: number; readonly idleMs: number },
): Promise<FoundSession | undefined> {
  const session = await queries
    .selectFrom('sessions')
    .selectAll()
    .where('id_sha256', '=', idHash)
    .where('expires_at', '>', new Date(nowMs))
    .where('used_at', '>', new Date(nowMs - idleMs))
    .executeTakeFirst();
  if (session === undefined) return undefined;
  const user = await queries
    .selectFrom('users')
    .selectAll()
    .where('id', '=', session.user_id)
    .where('active', '=', true)
    .executeTakeFirst();
  if (user === undefined) return undefined;
  if (nowMs - session.used_at.getTime() >= TOUCH_MS) {
    await queries
      .updateTable('sessions')
      .set({ used_at: new Date(nowMs) })
      .where('id_sha256', '=', idHash)
      .execute();
  }
  return { session, user };
}

export async function endSession(queries: Queries, idHash: string): Promise<void> {
  await queries.deleteFrom('sessions').where('id_sha256', '=', idHash).execute();
}
