/** Memberships as resources, and the keys that end with them. */
import { createHash } from 'node:crypto';
import type { WorkspaceRole } from '@gatehouse/crds/kinds';
import type { Caller } from '../../callers/index.ts';
import { RestError } from '../../http/rest-error.ts';
import type { ResourceStore, StoredObject } from '../../store/index.ts';
import { absent, written } from '../write.ts';

export type Member = StoredObject<'WorkspaceMember'>;
type Store = Pick<ResourceStore, 'list' | 'create' | 'delete'>;

export const WHAT = 'member';
const NAME_DIGITS = 24;

/** The same for a person each time, so that nobody becomes a member twice at once. */
export const placeOf = (namespace: string, user: string) =>
  ({
    kind: 'WorkspaceMember',
    namespace,
    name: `member-${createHash('sha256').update(user).digest('hex').slice(0, NAME_DIGITS)}`,
  }) as const;

export async function findMember(store: Store, namespace: string, user: string): Promise<Member | undefined> {
  return (await store.list('WorkspaceMember', namespace)).find(({ spec }) => spec.user === user);
}

export async function memberOrAbsent(store: Store, namespace: string, user: string): Promise<Member> {
  const found = await findMember(store, namespace, user);
  if (found === undefined) throw absent(WHAT);
  return found;
}

/**
 * People change neither their own membership nor that of admins, and make no admins, unless they are one: a right that a toggle has
 * withdrawn is not taken back this way. Throws RestError FORBIDDEN.
 */
export async function mayChangeMembers(
  { type, user }: Caller,
  { store, namespace }: { readonly store: Store; readonly namespace: string },
  about: { readonly user: string; readonly roles: readonly WorkspaceRole[] },
): Promise<void> {
  if (type !== 'workspace-user' || user === undefined) return;
  const own = await findMember(store, namespace, user);
  if (about.user === user) throw new RestError('FORBIDDEN', { message: 'Nobody changes their own membership' });
  if (own !== undefined && own.spec.role !== 'admin' && about.roles.includes('admin')) {
    throw new RestError('FORBIDDEN', { message: 'Only an admin of the workspace makes, changes and removes admins' });
  }
}

/** The keys of the person go first: where the membership is the last one, a workspace may stop asking for it. */
export async function endMembership(store: Store, member: Member, force: boolean): Promise<void> {
  const { namespace, name } = member.meta;
  const keys = await store.list('ApiKey', namespace);
  for (const { meta, spec } of keys.filter(
    (key) => key.spec.type === 'workspace-user' && key.spec.user === member.spec.user,
  )) {
    const ended = await store.delete({ kind: 'ApiKey', namespace, name: meta.name }, { force });
    if (ended.ok || ended.error.kind !== 'absent') written(ended, `key ${meta.name} of ${spec.user}`);
  }
  written(await store.delete({ kind: 'WorkspaceMember', namespace, name }, { force }), WHAT);
}
