/** Who is a member of which workspace. */
import type { ScimMapping, WorkspaceMember, WorkspaceRole } from '@gatehouse/crds/kinds';
import { DEFAULT_ORGANISATION, type ObjectStates, resourceOf, resourcesOf } from './incremental/index.ts';
import { type Lookups, objectKey } from './types/index.ts';

interface Members {
  /** By namespace and person; the oldest of a person counts. */
  readonly byUser: ReadonlyMap<string, WorkspaceMember>;
  /** With members, also such as have never been valid: a mistake in the only one does not open the workspace. */
  readonly namespaces: ReadonlySet<string>;
}

type MemberLookups = Pick<Lookups, 'memberOf' | 'roleOf' | 'mappingFor' | 'mappedRole'>;

export function createMemberLookups(states: ObjectStates, organisationNamespace: string): MemberLookups {
  let members: Members | undefined;
  let mappings: Mappings | undefined;
  const mapped = (): Mappings => {
    mappings ??= readMappings(states, organisationNamespace);
    return mappings;
  };
  const find = (namespace: string, user: string): WorkspaceMember | undefined => {
    members ??= readMembers(states);
    return members.byUser.get(objectKey(namespace, user));
  };
  const isAsked = (workspace: string, namespace: string): boolean => {
    members ??= readMembers(states);
    return (
      resourceOf(states, 'Workspace', workspace)?.spec.membersOnly ??
      resourceOf(states, 'Organisation', DEFAULT_ORGANISATION.metadata.name)?.spec.membersOnly ??
      (members.namespaces.has(namespace) || mapped().workspaces.has(workspace))
    );
  };
  return {
    memberOf: (namespace, user) => find(namespace, user)?.metadata.name,
    roleOf: (workspace, namespace, user) => (isAsked(workspace, namespace) ? find(namespace, user)?.spec.role : 'any'),
    mappingFor: (group, workspace) => mapped().byPair.get(objectKey(workspace, group)),
    mappedRole: (group) => mapped().roles.get(group),
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

interface Mappings {
  /** Name of the oldest one by workspace and group. */
  readonly byPair: ReadonlyMap<string, string>;
  /** By group. */
  readonly roles: ReadonlyMap<string, WorkspaceRole>;
  /** That groups are mapped to: they ask for members, also while no group has people. */
  readonly workspaces: ReadonlySet<string>;
}

/** Mappings count only in the namespace of the organisation. */
function readMappings(states: ObjectStates, organisationNamespace: string): Mappings {
  const newestFirst = resourcesOf(states, 'ScimMapping')
    .filter(({ metadata }) => metadata.namespace === organisationNamespace)
    .toReversed();
  return {
    byPair: new Map(newestFirst.map((one) => [objectKey(one.spec.workspaceRef.name, groupOf(one)), one.metadata.name])),
    roles: new Map(newestFirst.map((one) => [groupOf(one), one.spec.role])),
    workspaces: new Set(newestFirst.map(({ spec }) => spec.workspaceRef.name)),
  };
}

const groupOf = ({ spec: { group } }: ScimMapping): string => group.id ?? group.name ?? '';
