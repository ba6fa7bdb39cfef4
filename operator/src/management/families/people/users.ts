/** People of the organisation. */
import type { UserRow } from '@gatehouse/crds/records';
import { users } from '@gatehouse/crds/rest';
import type { Queries } from '../../database/index.ts';
import { RestError } from '../../http/rest-error.ts';
import { directoryOf } from '../../people/index.ts';
import { isScimMade } from '../../store/index.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { windowOf } from '../pages.ts';
import { absent } from '../write.ts';
import { endMembership, type Member } from './members-of.ts';

const WHAT = 'user';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const idOf = ({ path }: Pick<RestCall, 'path'>): string => {
  const { userId = '' } = path;
  if (!UUID.test(userId)) throw absent(WHAT);
  return userId;
};

async function read(queries: Queries, id: string): Promise<UserRow> {
  const row = await queries.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw absent(WHAT);
  return row;
}

/** Memberships by the person that they name. */
async function membershipsOf({ store }: Services): Promise<ReadonlyMap<string, readonly Member[]>> {
  return Map.groupBy(await store.list('WorkspaceMember'), ({ spec }) => spec.user);
}

async function workspaceIds({ store }: Services): Promise<ReadonlyMap<string, string>> {
  return new Map((await store.list('Workspace')).map(({ meta, spec }) => [spec.namespace, meta.uid]));
}

async function createView(services: Services) {
  const [memberships, ids] = [await membershipsOf(services), await workspaceIds(services)];
  return ({ id, first_name, last_name, role, email, created_at, updated_at }: UserRow) => ({
    object: 'user' as const,
    ...{ id, first_name, last_name, role, email },
    created_at: created_at.toISOString(),
    last_updated_at: updated_at.toISOString(),
    workspace_ids: (memberships.get(id) ?? []).flatMap(({ meta }) => ids.get(meta.namespace ?? '') ?? []),
  });
}

export const USERS: readonly BoundOperation[] = [
  serveOperation(users.list, async ({ query }, services) => {
    const { role, email } = query;
    const { rows, total } = await directoryOf(services).use(async (queries) => {
      let asked = queries.selectFrom('users');
      if (role !== undefined) asked = asked.where('role', '=', role);
      if (email !== undefined) asked = asked.where('email', '=', email.toLowerCase());
      const { limit, offset } = windowOf(query);
      const { count } = await asked.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow();
      const page = asked.selectAll().orderBy('created_at').orderBy('id').limit(limit).offset(offset);
      return { rows: await page.execute(), total: Number(count) };
    });
    return { object: 'list' as const, total, data: rows.map(await createView(services)) };
  }),
  serveOperation(users.get, async (call, services) => {
    const row = await directoryOf(services).use((queries) => read(queries, idOf(call)));
    return (await createView(services))(row);
  }),
  serveOperation(users.update, async (call, services) => {
    const id = idOf(call);
    const { role } = call.body;
    const { role: before, email } = await directoryOf(services).use(async (queries) => {
      const row = await read(queries, id);
      if (row.role === role) throw new RestError('INVALID', { message: 'role: the user has this role', param: 'role' });
      await mayLeaveRole(queries, row);
      const changed = { role, updated_at: new Date(services.now()) };
      await queries.updateTable('users').set(changed).where('id', '=', id).execute();
      return row;
    });
    services.note?.({
      kind: 'User',
      object: id,
      action: 'update',
      before: { email, role: before },
      after: { email, role },
    });
    return {};
  }),
  serveOperation(users.delete, async (call, services) => {
    const id = idOf(call);
    const directory = directoryOf(services);
    const { email, role, first_name, last_name } = await directory.use(async (queries) => {
      const row = await read(queries, id);
      await mayLeaveRole(queries, row);
      return row;
    });
    const memberships = await membershipsOf(services);
    for (const member of [id, email].flatMap((user) => memberships.get(user) ?? [])) {
      await endMembership(services.store, member, call.force || isScimMade(member.meta));
    }
    await directory.use((queries) => queries.deleteFrom('users').where('id', '=', id).execute());
    services.note?.({
      kind: 'User',
      object: id,
      action: 'delete',
      before: { email, role, first_name, last_name },
      after: null,
    });
    return {};
  }),
];

/** Throws RestError CONFLICT for the last owner. */
export async function mayLeaveRole(queries: Queries, { id, role }: UserRow): Promise<void> {
  if (role !== 'owner') return;
  const other = await queries
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'owner')
    .where('active', '=', true)
    .where('id', '!=', id)
    .executeTakeFirst();
  if (other === undefined) throw new RestError('CONFLICT', { message: 'The last owner of the organisation stays' });
}
