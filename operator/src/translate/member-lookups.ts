/** Who is a member of which workspace. */
import type { WorkspaceMember } from '@gatehouse/crds/kinds';
import { DEFAULT_ORGANISATION, type ObjectStates, resourceOf, resourcesOf } from './incremental/index.ts';
import { type Lookups, objectKey } from './types/index.ts';

interface Members {
  /** By namespace and person; the oldest of a person counts. */
  readonly byUser: ReadonlyMap<string, WorkspaceMember>;
  /** With members, also such as have never been valid: a mistake in the only one does not open the workspace. */
  readonly namespaces: ReadonlySet<string>;
}

export function createMemberLookups(states: ObjectStates): Pick<Lookups, 'memberOf' | 'roleOf'> {
  let members: Members | undefined;
  const find = (namespace: string, user: string): WorkspaceMember | undefined => {
    members ??= readMembers(states);
    return members.byUser.get(objectKey(namespace, user));
  };
  const isAsked = (workspace: string, namespace: string): boolean => {
    members ??= readMembers(states);
    return (
      resourceOf(states, 'Workspace', workspace)?.spec.membersOnly ??
      resourceOf(states, 'Organisation', DEFAULT_ORGANISATION.metadata.name)?.spec.membersOnly ??
      members.namespaces.has(namespace)
    );
  };
  return {
    memberOf: (namespace, user) => find(namespace, user)?.metadata.name,
    roleOf: (workspace, namespace, user) => (isAsked(workspace, namespace) ? find(namespace, user)?.spec.role : 'any'),
  };
}

function readMembers(states: ObjectStates): Members {
  const byUser = resourcesOf(states, 'WorkspaceMember')
    .toReversed()
    .map((member) => [objectKey(member.metadata.namespace, member.spec.user), member] as const);
  const namespaces = new Set<string>();
  states.get('WorkspaceMember')?.forEach(({ parsed: { object } }) => {
    namespaces.add(object.metadata.namespace ?? '');
  });
  return { byUser: new Map(byUser), namespaces };
}
