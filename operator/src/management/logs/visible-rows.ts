/** Who sees which rows of the request log, for every question that is asked of it: docs/behaviour/request-logs.md#who-sees-what */
import { type RoleToggle, type Toggles, togglesFrom, type WorkspaceRole } from '@gatehouse/crds/kinds';
import type { Caller } from '../callers/index.ts';
import type { ResourceStore } from '../store/index.ts';
import type { Tenancy } from '../tenancy/index.ts';

/** A row is visible when it passes all of these. */
export interface VisibleRows {
  /** Slugs; undefined: those of every workspace. */
  readonly workspaces: readonly string[] | undefined;
  /** Rows of keys of this person, who is known by these names; undefined: of everybody. */
  readonly people: readonly string[] | undefined;
  /** Rows of this key; undefined: of every key. */
  readonly apiKey: string | undefined;
}

export interface VisibilityOptions {
  /** The workspace that is asked for, by slug or UUID; callers of a workspace see theirs, whatever they name. */
  readonly named?: string | undefined;
  /** What a key has made with its own calls, and no more. */
  readonly ownKeyOnly?: boolean;
}

interface Place {
  readonly store: Pick<ResourceStore, 'get' | 'list'>;
  readonly tenancy: Pick<Tenancy, 'workspaceOf'>;
}

const READS_LOGS: readonly string[] = ['logs.view', 'logs.read', 'logs.list', 'logs.export'];

/** Whether the caller has no scope that reads what others have made. */
export const isOwnOnly = ({ scopes }: Caller): boolean => !READS_LOGS.some((scope) => scopes.has(scope));

/** Throws RestError ABSENT for a workspace that does not exist. */
export async function visibleRows(
  caller: Caller,
  { store, tenancy }: Place,
  { named, ownKeyOnly = false }: VisibilityOptions = {},
): Promise<VisibleRows> {
  const apiKey = ownKeyOnly ? caller.keyId : undefined;
  if (caller.workspace === undefined) {
    const workspace = named === undefined ? undefined : (await tenancy.workspaceOf(caller, named)).workspace;
    return { workspaces: workspace && [workspace.slug], people: undefined, apiKey };
  }
  const isRestricted = caller.type === 'workspace-user' && !(await seesAll(caller, caller.workspace, store));
  return { workspaces: [caller.workspace], people: isRestricted ? namesOf(caller) : undefined, apiKey };
}

/** A person who is signed in is known by id and by address, and keys name either. */
const namesOf = ({ user, keyName, isSession }: Caller): readonly string[] => [
  ...(user === undefined ? [] : [user]),
  ...(isSession ? [keyName] : []),
];

/** Whoever is no member sees what members see. */
async function seesAll(caller: Caller, slug: string, store: Place['store']): Promise<boolean> {
  const organisation = await store.get({ kind: 'Organisation', namespace: undefined, name: 'default' });
  const workspace = await store.get({ kind: 'Workspace', namespace: undefined, name: slug });
  const toggles = togglesFrom(organisation?.spec.roleToggles, workspace?.spec.roleToggles);
  if (ALL_DATA.every((name) => isOn(toggles, name))) return true;
  const names = namesOf(caller);
  const members = workspace === undefined ? [] : await store.list('WorkspaceMember', workspace.spec.namespace);
  const role = members.find(({ spec }) => names.includes(spec.user))?.spec.role ?? 'member';
  return role === 'admin' || isOn(toggles, ALL_DATA_OF[role]);
}

const ALL_DATA_OF = {
  manager: 'managersViewAllData',
  member: 'membersViewAllData',
} as const satisfies Record<Exclude<WorkspaceRole, 'admin'>, RoleToggle>;
const ALL_DATA = Object.values(ALL_DATA_OF);

const isOn = (toggles: Toggles, name: RoleToggle): boolean => toggles.get(name) ?? true;
