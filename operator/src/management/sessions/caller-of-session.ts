/** What a person who is signed in may do: docs/behaviour/people.md#roles */
import { scopesOfMember, scopesOfPerson, togglesFrom, type WorkspaceRole } from '@gatehouse/crds/kinds';
import type { UserRow } from '@gatehouse/crds/records';
import type { Caller } from '../callers/index.ts';
import { RestError } from '../http/rest-error.ts';
import type { ResourceStore } from '../store/index.ts';
import type { Tenancy } from '../tenancy/index.ts';

export interface Place {
  readonly store: Pick<ResourceStore, 'get' | 'list'>;
  readonly tenancy: Tenancy;
}

export interface Membership {
  readonly id: string;
  readonly slug: string;
  readonly role: WorkspaceRole;
}

const PERSON = { workspace: undefined, isSession: true, expiresAtMs: Number.POSITIVE_INFINITY } as const;

/** The person, who may nothing in particular: for records. */
export const callerOfPerson = ({ id, email }: Pick<UserRow, 'id' | 'email'>): Caller => ({
  ...{ ...PERSON, keyId: id, keyName: email, user: id },
  type: 'workspace-user',
  scopes: new Set(),
});

/** Another page makes the browser send the cookie, but cannot say that it is ours. */
export const foreignOrigin = (): RestError =>
  new RestError('FORBIDDEN', { message: 'A write with a session comes from a page of this host (Origin)' });

/** The workspaces of a person, named by their id or their address. */
export async function membershipsOf(
  { id, email }: Pick<UserRow, 'id' | 'email'>,
  { store }: Pick<Place, 'store'>,
): Promise<readonly Membership[]> {
  const [workspaces, members] = [await store.list('Workspace'), await store.list('WorkspaceMember')];
  return workspaces.flatMap(({ meta, spec: { namespace } }) => {
    const own = members.filter((member) => member.meta.namespace === namespace);
    const found = [id, email].flatMap((user) => own.find(({ spec }) => spec.user === user) ?? [])[0];
    return found === undefined ? [] : [{ id: meta.uid, slug: meta.name, role: found.spec.role }];
  });
}

/**
 * Owners and admins call as the organisation; members call in one workspace, the one that the call names, or the only one they have.
 * Throws RestError ABSENT for a workspace of others, INVALID where none is named.
 */
export async function callerOfSession(
  user: UserRow,
  { named, ...place }: Place & { readonly named: string | undefined },
): Promise<Caller> {
  const who = { ...PERSON, keyId: user.id, keyName: user.email, user: user.id };
  const organisation = await place.store.get({ kind: 'Organisation', namespace: undefined, name: 'default' });
  const toggles = organisation?.spec.roleToggles;
  if (user.role !== 'member') {
    return { ...who, type: 'organisation-service', scopes: scopesOfPerson(user.role, togglesFrom(toggles, undefined)) };
  }
  const memberships = await membershipsOf(user, place);
  const [only, ...more] = memberships;
  if (named === undefined && (only === undefined || more.length > 0)) {
    const message = 'a person names the workspace that the call is about';
    throw new RestError('INVALID', { message: `workspace_id: ${message}`, param: 'workspace_id' });
  }
  const chosen = named === undefined ? only : memberships.find(({ id, slug }) => id === named || slug === named);
  if (chosen === undefined) {
    throw new RestError('ABSENT', { message: 'The workspace does not exist', param: 'workspace_id' });
  }
  const workspace = await place.store.get({ kind: 'Workspace', namespace: undefined, name: chosen.slug });
  const scopes = scopesOfMember(chosen.role, togglesFrom(toggles, workspace?.spec.roleToggles));
  return { ...who, type: 'workspace-user', workspace: chosen.slug, scopes };
}
