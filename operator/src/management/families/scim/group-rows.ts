/** Groups of a directory in the database. */
import { randomUUID } from 'node:crypto';
import type { GroupRow } from '@gatehouse/crds/records';
import type { Queries } from '../../database/index.ts';
import { isDuplicate } from '../../people/index.ts';
import { keyOfName } from './directory-groups.ts';
import type { Term } from './filter.ts';
import type { GroupDraft } from './group-draft.ts';
import { scimError } from './problem.ts';
import { isUuid } from './user-rows.ts';

/** Rows of one statement: PostgreSQL takes 65,535 values. */
const CHUNK = 1_000;

const chunksOf = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, i) => items.slice(i * CHUNK, (i + 1) * CHUNK));

type GroupFields = Omit<GroupRow, 'id' | 'created_at'>;

function toFields({ displayName, externalId }: GroupDraft, nowMs: number): GroupFields {
  if (displayName === undefined || displayName === '') throw scimError('invalidValue', 'displayName: is needed');
  return {
    display_name: displayName,
    name_key: keyOfName(displayName),
    external_id: externalId ?? null,
    provisioned: true,
    updated_at: new Date(nowMs),
  };
}

async function unlessTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isDuplicate(error) ? scimError('uniqueness', 'displayName: another group has this name') : error;
  }
}

/** A group that a mapping has named before is the one that the directory means. */
export async function insertGroup(queries: Queries, draft: GroupDraft, nowMs: number): Promise<GroupRow> {
  const fields = toFields(draft, nowMs);
  const waiting = await queries
    .updateTable('scim_groups')
    .set(fields)
    .where('name_key', '=', fields.name_key)
    .where('provisioned', '=', false)
    .returningAll()
    .executeTakeFirst();
  if (waiting !== undefined) return waiting;
  const row: GroupRow = { id: randomUUID(), created_at: fields.updated_at, ...fields };
  await unlessTaken(() => queries.insertInto('scim_groups').values(row).execute());
  return row;
}

export async function updateGroup(
  queries: Queries,
  row: GroupRow,
  draft: GroupDraft,
  nowMs: number,
): Promise<GroupRow> {
  const fields = toFields(draft, nowMs);
  await unlessTaken(() => queries.updateTable('scim_groups').set(fields).where('id', '=', row.id).execute());
  return { ...row, ...fields };
}

/** For a change: others wait for it. */
export const lockedGroup = async (queries: Queries, id: string): Promise<GroupRow | undefined> =>
  isUuid(id)
    ? await queries.selectFrom('scim_groups').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
    : undefined;

export async function memberIds(queries: Queries, group: string): Promise<ReadonlySet<string>> {
  const rows = await queries.selectFrom('scim_group_members').select('user_id').where('group_id', '=', group).execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

/** Throws RestError for somebody who has no account. */
export async function writeMembers(
  queries: Queries,
  group: string,
  { before, after }: { readonly before: ReadonlySet<string>; readonly after: ReadonlySet<string> },
): Promise<void> {
  const added = [...after.difference(before)];
  for (const users of chunksOf(added)) {
    await refuseUnknown(queries, users);
    await queries
      .insertInto('scim_group_members')
      .values(users.map((user_id) => ({ group_id: group, user_id })))
      .execute();
  }
  for (const users of chunksOf([...before.difference(after)])) {
    await queries
      .deleteFrom('scim_group_members')
      .where('group_id', '=', group)
      .where('user_id', 'in', users)
      .execute();
  }
}

async function refuseUnknown(queries: Queries, users: readonly string[]): Promise<void> {
  const ids = users.filter(isUuid);
  const rows =
    ids.length === 0 ? [] : await queries.selectFrom('users').select('id').where('id', 'in', ids).forShare().execute();
  const known = new Set(rows.map(({ id }) => id));
  const unknown = users.find((user) => !known.has(user));
  if (unknown !== undefined) throw scimError('invalidValue', `members: ${unknown} is no user`);
}

export interface GroupPage {
  readonly rows: readonly GroupRow[];
  readonly total: number;
}

/** Only what the directory has sent. Throws RestError with `invalidFilter` for an attribute that is not compared. */
export async function findGroups(
  queries: Queries,
  terms: readonly Term[],
  { first, limit }: { readonly first: number; readonly limit: number },
): Promise<GroupPage> {
  let asked = queries.selectFrom('scim_groups').where('provisioned', '=', true);
  for (const { attribute, value } of terms) {
    switch (attribute) {
      case 'displayname':
        asked = asked.where('name_key', '=', keyOfName(String(value)));
        break;
      case 'externalid':
        asked = asked.where('external_id', '=', String(value));
        break;
      case 'id':
        if (!isUuid(value)) return { rows: [], total: 0 };
        asked = asked.where('id', '=', value);
        break;
      case 'members':
      case 'members.value':
        if (!isUuid(value)) return { rows: [], total: 0 };
        asked = asked.where('id', 'in', (group) =>
          group.selectFrom('scim_group_members').select('group_id').where('user_id', '=', value),
        );
        break;
      default:
        throw scimError('invalidFilter', `filter: groups are not found by ${attribute}`);
    }
  }
  const { count } = await asked.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow();
  const page = asked.selectAll().orderBy('created_at').orderBy('id').limit(limit);
  return { rows: limit === 0 ? [] : await page.offset(first - 1).execute(), total: Number(count) };
}

export interface MemberReference {
  readonly value: string;
  readonly display: string;
}

/** The people of groups, by group. */
export async function membersOfGroups(
  queries: Queries,
  groups: readonly string[],
): Promise<ReadonlyMap<string, readonly MemberReference[]>> {
  if (groups.length === 0) return new Map();
  const rows = await queries
    .selectFrom('scim_group_members')
    .innerJoin('users', 'users.id', 'scim_group_members.user_id')
    .select(['scim_group_members.group_id', 'users.id as value', 'users.email as display'])
    .where('scim_group_members.group_id', 'in', groups)
    .orderBy('users.id')
    .execute();
  return Map.groupBy(rows, ({ group_id }) => group_id);
}
