/** Groups of a directory (RFC 7644, section 3). */
import type { GroupRow } from '@gatehouse/crds/records';
import { scimGroupResources } from '@gatehouse/crds/rest';
import type { Queries } from '../../database/index.ts';
import { directoryOf } from '../../people/index.ts';
import { type BoundOperation, type RestCall, type ScimAnswer, type Services, serveScim } from '../family.ts';
import { absent } from '../write.ts';
import { isAskedFor, listAnswer, locationOf, type Projection, projected, windowOfScim } from './answers.ts';
import { changesOfBody, changesOfPatch } from './changes.ts';
import { keyOfName } from './directory-groups.ts';
import { applyToGroup, type GroupDraft, NEW_GROUP } from './group-draft.ts';
import { toGroup } from './group-resource.ts';
import {
  findGroups,
  insertGroup,
  lockedGroup,
  memberIds,
  membersOfGroups,
  updateGroup,
  writeMembers,
} from './group-rows.ts';
import { mappingObjects } from './mapped-groups.ts';
import { settleMembers } from './settle.ts';
import { alone } from './sync.ts';
import { termsOf } from './terms.ts';
import { isUuid } from './user-rows.ts';

const WHAT = 'group';
/** Groups of one page with their members: a group may have many. */
const MAX_PAGE_WITH_MEMBERS = 10;

async function shown(queries: Queries, row: GroupRow, projection: Projection): Promise<object> {
  const members = isAskedFor('members', projection) ? await membersOfGroups(queries, [row.id]) : undefined;
  return projected(toGroup(row, members && (members.get(row.id) ?? [])), projection);
}

/** People are noted by their number: the database has who they are. */
const noted = ({ display_name, external_id }: GroupRow, members: ReadonlySet<string>) => ({
  displayName: display_name,
  externalId: external_id,
  members: members.size,
});

/** Changes a group, and then memberships. */
async function change(
  { path }: Pick<RestCall, 'path'>,
  services: Services,
  next: (row: GroupRow, members: ReadonlySet<string>) => GroupDraft,
): Promise<GroupRow> {
  const { row, after, before, members } = await directoryOf(services).use((queries) =>
    queries.transaction().execute(async (transaction) => {
      const found = await lockedGroup(transaction, path['id'] ?? '');
      if (found === undefined) throw absent(WHAT);
      const present = await memberIds(transaction, found.id);
      const draft = next(found, present);
      const changed = await updateGroup(transaction, found, draft, services.now());
      await writeMembers(transaction, found.id, { before: present, after: draft.members });
      return { row: found, after: changed, before: present, members: draft.members };
    }),
  );
  services.note?.({
    ...{ kind: 'Group', object: row.id, action: 'update' },
    ...{ before: noted(row, before), after: noted(after, members) },
  });
  await settleMembers(services);
  return after;
}

const toDraft = ({ display_name, external_id }: GroupRow, members: ReadonlySet<string>): GroupDraft => ({
  ...{ displayName: display_name, externalId: external_id ?? undefined, members },
});

export const SCIM_GROUP_RESOURCES: readonly BoundOperation[] = [
  serveScim(scimGroupResources.list, async ({ query }, services) => {
    const terms = termsOf(query.filter);
    const withMembers = isAskedFor('members', query);
    const window = windowOfScim(query, withMembers ? MAX_PAGE_WITH_MEMBERS : undefined);
    const { groups, total } = await directoryOf(services).use(async (queries) => {
      const page = await findGroups(queries, terms, window);
      const ids = page.rows.map(({ id }) => id);
      const members = withMembers ? await membersOfGroups(queries, ids) : undefined;
      return {
        groups: page.rows.map((row) => toGroup(row, members && (members.get(row.id) ?? []))),
        total: page.total,
      };
    });
    return listAnswer(
      groups.map((group) => projected(group, query)),
      total,
      window.first,
    );
  }),
  serveScim(scimGroupResources.create, async ({ body }, services) => {
    const draft = applyToGroup(NEW_GROUP, changesOfBody(body));
    const { row, resource } = await directoryOf(services).use((queries) =>
      queries.transaction().execute(async (transaction) => {
        const made = await insertGroup(transaction, draft, services.now());
        await writeMembers(transaction, made.id, { before: new Set(), after: draft.members });
        return { row: made, resource: await shown(transaction, made, {}) };
      }),
    );
    services.note?.({
      kind: 'Group',
      object: row.id,
      action: 'create',
      before: null,
      after: noted(row, draft.members),
    });
    await settleMembers(services);
    return { status: 201, body: resource, location: locationOf('Groups', row.id) };
  }),
  serveScim(scimGroupResources.get, async ({ path, query }, services): Promise<ScimAnswer> => {
    const id = path['id'] ?? '';
    const body = await directoryOf(services).use(async (queries) => {
      const row = isUuid(id)
        ? await queries.selectFrom('scim_groups').selectAll().where('id', '=', id).executeTakeFirst()
        : undefined;
      if (row === undefined) throw absent(WHAT);
      return shown(queries, row, query);
    });
    return { status: 200, body };
  }),
  serveScim(scimGroupResources.replace, async (call, services) => {
    const draft = applyToGroup(NEW_GROUP, changesOfBody(call.body));
    const row = await change(call, services, () => draft);
    return { status: 200, body: await directoryOf(services).use((queries) => shown(queries, row, {})) };
  }),
  serveScim(scimGroupResources.patch, async (call, services) => {
    await change(call, services, (row, members) => applyToGroup(toDraft(row, members), changesOfPatch(call.body)));
    return { status: 204 }; // a group may have many members
  }),
  serveScim(scimGroupResources.delete, async ({ path }, services) => {
    const row = await directoryOf(services).use((queries) =>
      alone(queries, async (transaction) => {
        const found = await lockedGroup(transaction, path['id'] ?? '');
        if (found === undefined) throw absent(WHAT);
        await transaction.deleteFrom('scim_group_members').where('group_id', '=', found.id).execute();
        await transaction.deleteFrom('scim_groups').where('id', '=', found.id).execute();
        return found;
      }),
    );
    services.note?.({ kind: 'Group', object: row.id, action: 'delete', before: noted(row, new Set()), after: null });
    await endMappings(row, services);
    await settleMembers(services);
    return { status: 204 };
  }),
];

/** Mappings that a repository keeps stay: they wait for a group of that name. */
async function endMappings({ id, name_key }: GroupRow, services: Services): Promise<void> {
  for (const { meta, spec } of await mappingObjects(services)) {
    const isOfGroup =
      spec.group.id === id || (spec.group.name !== undefined && keyOfName(spec.group.name) === name_key);
    if (!isOfGroup) continue;
    await services.store.delete({ kind: 'ScimMapping', namespace: meta.namespace, name: meta.name }, { force: false });
  }
}
