/** Groups of the directory, for those who map them. */
import { scimGroups } from '@gatehouse/crds/rest';
import { directoryOf } from '../../people/index.ts';
import { type BoundOperation, serveOperation } from '../family.ts';
import { keyOfName } from './directory-groups.ts';
import { scimWindowOf } from './scim-pages.ts';

/** A text as a part of a pattern of LIKE. */
const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, (character) => `\\${character}`);

export const SCIM_GROUPS: readonly BoundOperation[] = [
  serveOperation(scimGroups.list, async ({ query }, services) => {
    const { limit, offset } = scimWindowOf(query);
    const { rows, total } = await directoryOf(services).use(async (queries) => {
      let asked = queries.selectFrom('scim_groups');
      const { search = '' } = query;
      if (search !== '') asked = asked.where('name_key', 'like', `%${escaped(keyOfName(search))}%`);
      const { count } = await asked.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow();
      const page = asked
        .selectAll()
        .select((group) =>
          group
            .selectFrom('scim_group_members')
            .innerJoin('users', 'users.id', 'scim_group_members.user_id')
            .whereRef('scim_group_members.group_id', '=', 'scim_groups.id')
            .select(({ fn }) => fn.countAll().as('count'))
            .as('members'),
        )
        .orderBy('created_at')
        .orderBy('id');
      return { rows: await page.limit(limit).offset(offset).execute(), total: Number(count) };
    });
    const data = rows.map((row) => ({
      object: 'scim_group' as const,
      ...{ id: row.id, name: row.display_name, external_id: row.external_id, provisioned: row.provisioned },
      member_count: Number(row.members ?? 0),
      created_at: row.created_at.toISOString(),
      last_updated_at: row.updated_at.toISOString(),
    }));
    return { object: 'list' as const, total, data };
  }),
];
