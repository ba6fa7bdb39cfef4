/** Which account a person has who was signed in elsewhere. */
import type { UserRow } from '@gatehouse/crds/records';
import type { Queries } from '../database/index.ts';
import type { SignedIn } from './provider.ts';

const MAX_SUBJECT = 255;

/**
 * The account of the subject; at the first time that of the address, if it is verified and the account is nobody else's: it is then
 * tied to the subject for ever. Undefined: there is none.
 */
export async function findPerson(
  queries: Queries,
  { issuer, subject, email, isVerified }: SignedIn,
  nowMs: number,
): Promise<UserRow | undefined> {
  if (subject.length > MAX_SUBJECT) return undefined;
  const known = await queries
    .selectFrom('users')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  if (known !== undefined || email === undefined || !isVerified) return known;
  return queries
    .updateTable('users')
    .set({ issuer, subject, updated_at: new Date(nowMs) })
    .where('email', '=', email)
    .where('subject', 'is', null)
    .where('active', '=', true)
    .returningAll()
    .executeTakeFirst();
}
