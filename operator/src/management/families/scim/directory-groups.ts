/** Groups of the directory in the database. */
import { randomUUID } from 'node:crypto';
import type { GroupRow } from '@gatehouse/crds/records';
import type { Queries } from '../../database/index.ts';

/** Names are compared without regard to case. */
export const keyOfName = (name: string): string => name.toLowerCase();

export function findGroup(queries: Queries, id: string): Promise<GroupRow | undefined> {
  return queries.selectFrom('scim_groups').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The group of a name; one that the directory has not sent yet is made for it to take over. */
export async function ensureGroup(queries: Queries, name: string, nowMs: number): Promise<GroupRow> {
  const now = new Date(nowMs);
  const row: GroupRow = {
    ...{ id: randomUUID(), display_name: name, name_key: keyOfName(name), external_id: null, provisioned: false },
    ...{ created_at: now, updated_at: now },
  };
  await queries
    .insertInto('scim_groups')
    .values(row)
    .onConflict((conflict) => conflict.column('name_key').doNothing())
    .execute();
  return queries.selectFrom('scim_groups').selectAll().where('name_key', '=', row.name_key).executeTakeFirstOrThrow();
}
