import { WORKSPACE_ROLES, type WorkspaceRole } from '@gatehouse/crds/kinds';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planMembers, wantedMembers } from './membership-plan.ts';

const role = fc.constantFrom(...WORKSPACE_ROLES);
const user = fc.constantFrom('ada', 'bob', 'cy', 'dora');
const namespace = fc.constantFrom('a', 'b');
const mapped = fc.array(fc.record({ namespace, role, users: fc.uniqueArray(user) }), { maxLength: 6 });
const present = fc.uniqueArray(fc.record({ namespace, user, role, isMade: fc.boolean() }), {
  selector: (member) => `${member.namespace}/${member.user}/${member.isMade}`,
});

interface Member {
  readonly namespace: string;
  readonly user: string;
  readonly role: WorkspaceRole;
  readonly isMade: boolean;
}

const keyOf = ({ namespace: place, user: who }: Pick<Member, 'namespace' | 'user'>): string => `${place}/${who}`;

/** The world after the plan. */
function after(wanted: ReturnType<typeof wantedMembers>, before: readonly Member[]): readonly Member[] {
  const { create, change, end } = planMembers(wanted, before);
  const ended = new Set(end.map(({ member }) => member));
  const roles = new Map(change.map((one) => [one.member, one.role]));
  const kept = before.filter((member) => !ended.has(member));
  return [
    ...kept.map((member) => ({ ...member, role: roles.get(member) ?? member.role })),
    ...create.map((member) => ({ ...member, isMade: true })),
  ];
}

test('a plan gives each mapped person the highest role, once, and leaves what was added by hand', () => {
  fc.assert(
    fc.property(mapped, present, (groups, before) => {
      const wanted = wantedMembers(groups);
      const world = after(wanted, before);
      const byHand = before.filter(({ isMade }) => !isMade);
      expect(world.filter(({ isMade }) => !isMade)).toEqual(byHand);
      const added = new Set(byHand.map(keyOf));
      const want = new Map<string, number>();
      for (const group of groups) {
        for (const who of group.users) {
          const key = keyOf({ namespace: group.namespace, user: who });
          const rank = WORKSPACE_ROLES.indexOf(group.role);
          if (!added.has(key)) want.set(key, Math.min(rank, want.get(key) ?? rank));
        }
      }
      const made = world.filter(({ isMade }) => isMade);
      expect(new Map(made.map((member) => [keyOf(member), WORKSPACE_ROLES.indexOf(member.role)]))).toEqual(want);
      expect(made).toHaveLength(want.size);
      expect(planMembers(wanted, world)).toEqual({ create: [], change: [], end: [] });
    }),
  );
});

test('a membership that ends beside one that somebody has added says so', () => {
  const made = { namespace: 'a', user: 'ada', role: 'member' as const, isMade: true };
  const added = { ...made, role: 'admin' as const, isMade: false };
  const none = wantedMembers([]);
  expect(planMembers(none, [made, added]).end).toEqual([{ member: made, isMember: true }]);
  expect(planMembers(none, [made]).end).toEqual([{ member: made, isMember: false }]);
});
