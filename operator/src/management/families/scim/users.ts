/** Users of a directory (RFC 7644, section 3). */
import type { UserRow } from '@gatehouse/crds/records';
import { scimUsers } from '@gatehouse/crds/rest';
import type { Queries } from '../../database/index.ts';
import { directoryOf } from '../../people/index.ts';
import { type BoundOperation, type RestCall, type ScimAnswer, type Services, serveScim } from '../family.ts';
import { mayLeaveRole } from '../people/index.ts';
import { absent } from '../write.ts';
import { listAnswer, locationOf, projected, windowOfScim } from './answers.ts';
import { changesOfBody, changesOfPatch } from './changes.ts';
import { settleMembers } from './settle.ts';
import { termsOf } from './terms.ts';
import { applyToUser, NEW_USER, type UserDraft } from './user-draft.ts';
import { toDraft, toUser } from './user-resource.ts';
import { findUsers, groupsOfUsers, insertUser, isUuid, lockedUser, updateUser } from './user-rows.ts';
import { endAccess } from './withdrawal.ts';

const WHAT = 'user';

async function shown(queries: Queries, row: UserRow): Promise<object> {
  return toUser(row, (await groupsOfUsers(queries, [row.id])).get(row.id) ?? []);
}

/** Changes an account; what its owner may do ends with it, if the directory has suspended it. */
async function change(
  { path }: Pick<RestCall, 'path'>,
  services: Services,
  next: (row: UserRow) => UserDraft,
): Promise<ScimAnswer> {
  const { before, after, body } = await directoryOf(services).use((queries) =>
    queries.transaction().execute(async (transaction) => {
      const row = await lockedUser(transaction, path['id'] ?? '');
      if (row === undefined) throw absent(WHAT);
      const draft = next(row);
      if (draft.role !== row.role || !draft.active) await mayLeaveRole(transaction, row);
      const changed = await updateUser(transaction, row, draft, services.now());
      return { before: row, after: changed, body: await shown(transaction, changed) };
    }),
  );
  services.note?.({
    ...{ kind: 'User', object: after.id, action: 'update' },
    ...{ before: noted(before), after: noted(after) },
  });
  if (!after.active) await endAccess(services, after);
  await settleMembers(services);
  return { status: 200, body };
}

const noted = ({ email, role, active, user_name }: UserRow) => ({ email, role, active, userName: user_name });

export const SCIM_USERS: readonly BoundOperation[] = [
  serveScim(scimUsers.list, async ({ query }, services) => {
    const terms = termsOf(query.filter);
    const window = windowOfScim(query);
    const { users, total } = await directoryOf(services).use(async (queries) => {
      const page = await findUsers(queries, terms, window);
      const groups = await groupsOfUsers(
        queries,
        page.rows.map(({ id }) => id),
      );
      return { users: page.rows.map((row) => toUser(row, groups.get(row.id) ?? [])), total: page.total };
    });
    return listAnswer(
      users.map((user) => projected(user, query)),
      total,
      window.first,
    );
  }),
  serveScim(scimUsers.create, async ({ body }, services) => {
    const draft = applyToUser(NEW_USER, changesOfBody(body));
    const row = await directoryOf(services).use((queries) => insertUser(queries, draft, services.now()));
    services.note?.({ kind: 'User', object: row.id, action: 'create', before: null, after: noted(row) });
    return { status: 201, body: toUser(row, []), location: locationOf('Users', row.id) };
  }),
  serveScim(scimUsers.get, async ({ path, query }, services) => ({
    status: 200,
    body: projected(await read(path['id'] ?? '', services), query),
  })),
  serveScim(scimUsers.replace, async (call, services) =>
    change(call, services, ({ active, role }) => applyToUser({ ...NEW_USER, active, role }, changesOfBody(call.body))),
  ),
  serveScim(scimUsers.patch, async (call, services) =>
    change(call, services, (row) => applyToUser(toDraft(row), changesOfPatch(call.body))),
  ),
  serveScim(scimUsers.delete, async ({ path }, services) => {
    const directory = directoryOf(services);
    // Suspended first: nobody makes it a member again meanwhile.
    const row = await directory.use((queries) =>
      queries.transaction().execute(async (transaction) => {
        const found = await lockedUser(transaction, path['id'] ?? '');
        if (found === undefined) throw absent(WHAT);
        await mayLeaveRole(transaction, found);
        await transaction.updateTable('users').set({ active: false }).where('id', '=', found.id).execute();
        return found;
      }),
    );
    await endAccess(services, row);
    await directory.use((queries) =>
      queries.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('scim_group_members').where('user_id', '=', row.id).execute();
        await transaction.deleteFrom('users').where('id', '=', row.id).execute();
      }),
    );
    services.note?.({ kind: 'User', object: row.id, action: 'delete', before: noted(row), after: null });
    await settleMembers(services);
    return { status: 204 };
  }),
];

async function read(id: string, services: Services): Promise<object> {
  return directoryOf(services).use(async (queries) => {
    const row = isUuid(id)
      ? await queries.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
      : undefined;
    if (row === undefined) throw absent(WHAT);
    return shown(queries, row);
  });
}
