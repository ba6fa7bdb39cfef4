/** What the role of its person leaves of an ApiKey. docs/behaviour/people.md#keys-of-people */
import { type ApiKey, canonicalScope, scopesOfMember, togglesFrom, type WorkspaceRole } from '@gatehouse/crds/kinds';
import type { Finding, Lookups, ObjectScope } from '../../types/index.ts';
import { missing } from '../../types/index.ts';

interface Allowed {
  /** Undefined: all that the key names. */
  readonly scopes?: ReadonlySet<string>;
  readonly findings: readonly Finding[];
}

const ALL: Allowed = { findings: [] };

/** Keys without a person, and workspaces that do not ask for members, are not affected. */
export function allowedByRole({ spec }: ApiKey, { workspace, namespace }: ObjectScope, view: Lookups): Allowed {
  const { type, user } = spec;
  if (type !== 'workspace-user' || user === undefined || workspace === null) return ALL;
  const role = view.roleOf(workspace, namespace, user);
  if (role === 'any') return ALL;
  if (role !== undefined) return { scopes: scopesOf(role, workspace, view), findings: [] };
  const message = `${user} is no member of the workspace: make a WorkspaceMember`;
  return { scopes: new Set(), findings: [missing(['spec', 'user'], message, 'withdraw')] };
}

function scopesOf(role: WorkspaceRole, workspace: string, view: Lookups): ReadonlySet<string> {
  const organisation = view.find('Organisation', '', 'default')?.spec.roleToggles;
  return scopesOfMember(role, togglesFrom(organisation, view.find('Workspace', '', workspace)?.spec.roleToggles));
}

/** The scopes that remain, in the order of the key; the same list where all of them do. */
export function remaining(scopes: readonly string[], allowed: ReadonlySet<string> | undefined): readonly string[] {
  if (allowed === undefined || scopes.every((scope) => allowed.has(canonicalScope(scope)))) return scopes;
  return scopes.filter((scope) => allowed.has(canonicalScope(scope)));
}
