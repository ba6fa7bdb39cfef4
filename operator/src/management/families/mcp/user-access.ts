/** Who may use an MCP server: the people of its workspace, and those with access of their own. */
import type { ResourceOf } from '@gatehouse/crds/kinds';
import type { mcpServers } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import type { StoredObject } from '../../store/index.ts';

type Spec = ResourceOf<'McpServer'>['spec'];
type Given = z.output<typeof mcpServers.writeUserAccess.body>;

export function accessOf(
  { defaultUserAccess, userAccess = [] }: Spec,
  members: readonly StoredObject<'WorkspaceMember'>[],
) {
  const own = new Map(userAccess.map(({ user, enabled }) => [user, enabled]));
  const people = new Set([...members.map(({ spec }) => spec.user), ...own.keys()]);
  return [...people].map((user) => ({
    user_id: user,
    enabled: own.get(user) ?? defaultUserAccess === 'allow',
    has_override: own.has(user),
    connection_status: 'not_connected' as const,
  }));
}

/** The members of the spec that change. */
export function changeAccess({ user_access: given = [], default_user_access: fallback }: Given, before: Spec) {
  const all = new Map((before.userAccess ?? []).map(({ user, enabled }) => [user, enabled]));
  for (const { user_id: user, enabled } of given) all.set(user, enabled);
  const userAccess = [...all].map(([user, enabled]) => ({ user, enabled }));
  return {
    defaultUserAccess: fallback ?? before.defaultUserAccess,
    userAccess: userAccess.length === 0 ? undefined : userAccess,
  };
}
