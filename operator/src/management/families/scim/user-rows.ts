/** Accounts of a directory in the database. */
import { randomUUID } from 'node:crypto';
import type { UserRow } from '@gatehouse/crds/records';
import type { Queries } from '../../database/index.ts';
import { isDuplicate } from '../../people/index.ts';
import type { Term } from './filter.ts';
import { scimError } from './problem.ts';
import { emailOf, type UserDraft } from './user-draft.ts';
import type { GroupReference } from './user-resource.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An id that no resource can have is not asked for. */
export const isUuid = (id: unknown): id is string => typeof id === 'string' && UUID.test(id);

type UserFields = Omit<UserRow, 'id' | 'created_at' | 'issuer' | 'subject'>;

/** Throws RestError for a user without a name or an address. */
function toFields(draft: UserDraft, nowMs: number): UserFields {
  const { userName } = draft;
  if (userName === undefined || userName === '') throw scimError('invalidValue', 'userName: is needed');
  return {
    user_name: userName,
    user_name_key: userName.toLowerCase(),
    display_name: draft.displayName ?? null,
    external_id: draft.externalId ?? null,
    first_name: draft.givenName ?? '',
    last_name: draft.familyName ?? '',
    active: draft.active,
    email: emailOf(draft),
    role: draft.role,
    updated_at: new Date(nowMs),
  };
}

const TAKEN = 'userName: another user has this name or this e-mail address';

export async function insertUser(queries: Queries, draft: UserDraft, nowMs: number): Promise<UserRow> {
  const fields = toFields(draft, nowMs);
  await refuseTaken(queries, fields, undefined);
  const row: UserRow = { id: randomUUID(), issuer: null, subject: null, created_at: fields.updated_at, ...fields };
  await unlessTaken(() => queries.insertInto('users').values(row).execute());
  return row;
}

export async function updateUser(queries: Queries, row: UserRow, draft: UserDraft, nowMs: number): Promise<UserRow> {
  const fields = toFields(draft, nowMs);
  await refuseTaken(queries, fields, row.id);
  await unlessTaken(() => queries.updateTable('users').set(fields).where('id', '=', row.id).execute());
  return { ...row, ...fields };
}

/** The name of one person is never the address of another one: a filter by name finds one person. */
async function refuseTaken(
  queries: Queries,
  { user_name_key, email }: UserFields,
  own: string | undefined,
): Promise<void> {
  const names = [...new Set([user_name_key ?? email, email])];
  let asked = queries
    .selectFrom('users')
    .select('id')
    .where((user) => user.or([user('user_name_key', 'in', names), user('email', 'in', names)]));
  if (own !== undefined) asked = asked.where('id', '!=', own);
  if ((await asked.executeTakeFirst()) !== undefined) throw scimError('uniqueness', TAKEN);
}

async function unlessTaken(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw isDuplicate(error) ? scimError('uniqueness', TAKEN) : error;
  }
}

/** For a change: others wait for it. */
export const lockedUser = async (queries: Queries, id: string): Promise<UserRow | undefined> =>
  isUuid(id)
    ? await queries.selectFrom('users').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
    : undefined;

export interface UserPage {
  readonly rows: readonly UserRow[];
  readonly total: number;
}

/** Throws RestError with `invalidFilter` for an attribute that is not compared. */
export async function findUsers(
  queries: Queries,
  terms: readonly Term[],
  { first, limit }: { readonly first: number; readonly limit: number },
): Promise<UserPage> {
  let asked = queries.selectFrom('users');
  for (const { attribute, value } of terms) {
    const text = String(value).toLowerCase();
    switch (attribute) {
      case 'username': // accounts that no directory has written are known by their address
        asked = asked.where((user) =>
          user.or([
            user('user_name_key', '=', text),
            user.and([user('user_name_key', 'is', null), user('email', '=', text)]),
          ]),
        );
        break;
      case 'emails':
      case 'emails.value':
      case 'emails[type eq "work"].value':
        asked = asked.where('email', '=', text);
        break;
      case 'externalid':
        asked = asked.where('external_id', '=', String(value));
        break;
      case 'id':
        if (!isUuid(value)) return { rows: [], total: 0 };
        asked = asked.where('id', '=', value);
        break;
      case 'active':
        asked = asked.where('active', '=', text === 'true');
        break;
      default:
        throw scimError('invalidFilter', `filter: users are not found by ${attribute}`);
    }
  }
  const { count } = await asked.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow();
  const page = asked.selectAll().orderBy('created_at').orderBy('id').limit(limit);
  return { rows: limit === 0 ? [] : await page.offset(first - 1).execute(), total: Number(count) };
}

/** The groups of people, by person. */
export async function groupsOfUsers(
  queries: Queries,
  users: readonly string[],
): Promise<ReadonlyMap<string, readonly GroupReference[]>> {
  if (users.length === 0) return new Map();
  const rows = await queries
    .selectFrom('scim_group_members')
    .innerJoin('scim_groups', 'scim_groups.id', 'scim_group_members.group_id')
    .select(['scim_group_members.user_id', 'scim_groups.id as value', 'scim_groups.display_name as display'])
    .where('scim_group_members.user_id', 'in', users)
    .orderBy('scim_groups.created_at')
    .orderBy('scim_groups.id')
    .execute();
  return Map.groupBy(rows, ({ user_id }) => user_id);
}
