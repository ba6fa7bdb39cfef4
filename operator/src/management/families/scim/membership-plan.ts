/** Which memberships groups give, and what has to change for them: pure. */
import { WORKSPACE_ROLES, type WorkspaceRole } from '@gatehouse/crds/kinds';

/** Roles by namespace and person. */
export type Wanted = ReadonlyMap<string, ReadonlyMap<string, WorkspaceRole>>;

export interface MappedPeople {
  readonly namespace: string;
  readonly role: WorkspaceRole;
  readonly users: readonly string[];
}

/** Where several groups bring a person into one workspace, the highest role counts. */
export function wantedMembers(mapped: readonly MappedPeople[]): Wanted {
  const wanted = new Map<string, Map<string, WorkspaceRole>>();
  for (const { namespace, role, users } of mapped) {
    const roles = wanted.get(namespace) ?? new Map<string, WorkspaceRole>();
    wanted.set(namespace, roles);
    for (const user of users) roles.set(user, higher(role, roles.get(user)));
  }
  return wanted;
}

const higher = (one: WorkspaceRole, other: WorkspaceRole | undefined): WorkspaceRole =>
  other === undefined || WORKSPACE_ROLES.indexOf(one) < WORKSPACE_ROLES.indexOf(other) ? one : other;

interface PresentMember {
  readonly namespace: string;
  readonly user: string;
  readonly role: WorkspaceRole;
  /** Groups have made it. */
  readonly isMade: boolean;
}

export interface MembershipPlan<M extends PresentMember> {
  readonly create: readonly { readonly namespace: string; readonly user: string; readonly role: WorkspaceRole }[];
  readonly change: readonly { readonly member: M; readonly role: WorkspaceRole }[];
  /** `isMember`: somebody has added the person, too. */
  readonly end: readonly { readonly member: M; readonly isMember: boolean }[];
}

/** Members that somebody has added stay as they are, also where a group would make them. */
export function planMembers<M extends PresentMember>(wanted: Wanted, present: readonly M[]): MembershipPlan<M> {
  const roleOf = ({ namespace, user }: PresentMember) => wanted.get(namespace)?.get(user);
  const byHand = new Set(present.filter(({ isMade }) => !isMade).map(placeOf));
  const made = present.filter((member) => member.isMade && !byHand.has(placeOf(member)));
  const known = new Set(present.map(placeOf));
  return {
    create: [...wanted].flatMap(([namespace, roles]) =>
      [...roles].flatMap(([user, role]) =>
        known.has(placeOf({ namespace, user })) ? [] : [{ namespace, user, role }],
      ),
    ),
    change: made.flatMap((member) => {
      const role = roleOf(member);
      return role === undefined || role === member.role ? [] : [{ member, role }];
    }),
    end: present
      .filter((member) => member.isMade && (byHand.has(placeOf(member)) || roleOf(member) === undefined))
      .map((member) => ({ member, isMember: byHand.has(placeOf(member)) })),
  };
}

const placeOf = ({ namespace, user }: { readonly namespace: string; readonly user: string }): string =>
  `${namespace}/${user}`;
