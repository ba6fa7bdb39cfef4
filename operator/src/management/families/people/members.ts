/** Members of workspaces. */
import { type OrganisationRole, scopesOfMember, togglesFrom } from '@gatehouse/crds/kinds';
import type { UserRow } from '@gatehouse/crds/records';
import { members } from '@gatehouse/crds/rest';
import { RestError } from '../../http/rest-error.ts';
import type { WorkspaceHome } from '../../tenancy/index.ts';
import { type BoundOperation, type RestCall, type Services, serveOperation } from '../family.ts';
import { pageOf } from '../pages.ts';
import { absent, written } from '../write.ts';
import { endMembership, type Member, mayChangeMembers, memberOrAbsent, placeOf, WHAT } from './members-of.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Place {
  readonly workspace: WorkspaceHome;
  readonly namespace: string;
}

async function homeOf({ caller, path }: Pick<RestCall, 'caller' | 'path'>, { tenancy }: Services): Promise<Place> {
  const { workspace, namespace } = await tenancy.workspaceOf(caller, path['workspaceId']);
  if (workspace === undefined) throw absent('workspace');
  return { workspace, namespace };
}

/** Accounts by id: only for members whose name is the id of one. */
async function accountsOf(users: readonly string[], { database }: Services): Promise<ReadonlyMap<string, UserRow>> {
  const ids = users.filter((user) => UUID.test(user));
  if (ids.length === 0 || database === undefined) return new Map();
  const rows = await database.use((queries) =>
    queries.selectFrom('users').selectAll().where('id', 'in', ids).execute(),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

type View = { readonly email: string; readonly role: string };

async function viewsOf(found: readonly Member[], { workspace }: Place, services: Services) {
  const accounts = await accountsOf(
    found.map(({ spec }) => spec.user),
    services,
  );
  const organisation = await services.store.get({ kind: 'Organisation', namespace: undefined, name: 'default' });
  const own = await services.store.get({ kind: 'Workspace', namespace: undefined, name: workspace.slug });
  const toggles = togglesFrom(organisation?.spec.roleToggles, own?.spec.roleToggles);
  return found.map(({ meta, spec }) => {
    const account = accounts.get(spec.user);
    const orgRole: OrganisationRole = account?.role ?? 'member';
    return {
      object: 'workspace-user' as const,
      id: spec.user,
      first_name: account?.first_name ?? '',
      last_name: account?.last_name ?? '',
      org_role: orgRole,
      role: spec.role,
      created_at: meta.createdAt,
      last_updated_at: meta.createdAt,
      status: 'active' as const,
      workspace_id: workspace.id,
      email: account?.email ?? (spec.user.includes('@') ? spec.user : ''),
      scopes: [...scopesOfMember(spec.role, toggles)].sort(),
    };
  });
}

const isAsked = ({ email, role }: View, query: { email?: string | undefined; role?: string | undefined }): boolean =>
  (query.role === undefined || query.role === role) &&
  (query.email === undefined || query.email.toLowerCase() === email.toLowerCase());

const userOf = ({ path }: Pick<RestCall, 'path'>): string => path['userId'] ?? '';

export const MEMBERS: readonly BoundOperation[] = [
  serveOperation(members.list, async (call, services) => {
    const place = await homeOf(call, services);
    const all = await viewsOf(await services.store.list('WorkspaceMember', place.namespace), place, services);
    return pageOf(
      all.filter((view) => isAsked(view, call.query)),
      call.query,
      (view) => view,
    );
  }),
  serveOperation(members.add, async (call, services) => {
    const place = await homeOf(call, services);
    const { store } = services;
    const present = new Set((await store.list('WorkspaceMember', place.namespace)).map(({ spec }) => spec.user));
    const accounts = await accountsOf(
      call.body.users.map(({ id }) => id),
      services,
    );
    for (const [i, { id, role }] of call.body.users.entries()) {
      const param = `users[${i}].id`;
      await mayChangeMembers(call.caller, { store, namespace: place.namespace }, { user: id, roles: [role] });
      if (present.has(id)) throw new RestError('CONFLICT', { message: `${id} is a member already`, param });
      if (UUID.test(id) && services.database !== undefined && !accounts.has(id)) {
        throw new RestError('ABSENT', { message: `${id} is no user of the organisation`, param });
      }
      present.add(id);
    }
    await addAll(call, place.namespace, services);
    return {};
  }),
  serveOperation(members.get, async (call, services) => {
    const place = await homeOf(call, services);
    const found = await memberOrAbsent(services.store, place.namespace, userOf(call));
    const [view] = await viewsOf([found], place, services);
    if (view === undefined) throw absent(WHAT);
    return view;
  }),
  serveOperation(members.update, async (call, services) => {
    const { namespace } = await homeOf(call, services);
    const { store } = services;
    const found = await memberOrAbsent(store, namespace, userOf(call));
    const { role } = call.body;
    await mayChangeMembers(
      call.caller,
      { store, namespace },
      { user: found.spec.user, roles: [found.spec.role, role] },
    );
    if (found.spec.role === role) {
      throw new RestError('INVALID', { message: 'role: the member has this role', param: 'role' });
    }
    const target = { kind: 'WorkspaceMember', namespace, name: found.meta.name } as const;
    written(await store.update(target, ({ spec }) => ({ spec: { ...spec, role } }), { force: call.force }), WHAT);
    return {};
  }),
  serveOperation(members.remove, async (call, services) => {
    const { namespace } = await homeOf(call, services);
    const { store } = services;
    const found = await memberOrAbsent(store, namespace, userOf(call));
    await mayChangeMembers(call.caller, { store, namespace }, { user: found.spec.user, roles: [found.spec.role] });
    await endMembership(store, found, call.force);
    return {};
  }),
];

/** All or none: what was made is taken back when one cannot be. */
async function addAll(
  { body, force }: RestCall<typeof members.add>,
  namespace: string,
  { store }: Services,
): Promise<void> {
  const made: ReturnType<typeof placeOf>[] = [];
  for (const { id, role } of body.users) {
    const place = placeOf(namespace, id);
    const outcome = await store.create(place, { spec: { user: id, role } }, { force });
    if (outcome.ok) made.push(place);
    else {
      for (const undone of made) await store.delete(undone, { force });
      written(outcome, WHAT);
    }
  }
}
