/** Where objects go that a workspace may have, and the organisation, too. */
import type { Caller } from '../callers/index.ts';
import { RestError, referenceAbsent } from '../http/rest-error.ts';
import type { Home, Tenancy, WorkspaceHome } from '../tenancy/index.ts';

interface NamedHome {
  readonly workspace_id?: string | null | undefined;
  readonly organisation_id?: string | null | undefined;
}

/**
 * The workspace of the key or the one that is named; the organisation for one of its keys that names the organisation alone. Throws
 * RestError as Tenancy.workspaceOf does.
 */
export async function homeOf(caller: Caller, named: NamedHome, tenancy: Tenancy): Promise<Home> {
  const { workspace_id: workspace, organisation_id: organisation } = named;
  if (caller.workspace !== undefined || typeof workspace === 'string' || typeof organisation !== 'string') {
    return tenancy.workspaceOf(caller, workspace ?? undefined);
  }
  if (organisation === tenancy.organisationId) return tenancy.organisation;
  throw new RestError('ABSENT', { message: 'The organisation does not exist', param: 'organisation_id' });
}

/** What `param` of a body refers to. Throws RestError REFERENCE_ABSENT where the look-up says ABSENT. */
export async function referred<T>(param: string, find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof RestError && error.error === 'ABSENT')) throw error;
    throw referenceAbsent(param, error.message);
  }
}

/** The workspace that `param` of a body refers to. Throws RestError REFERENCE_ABSENT. */
export async function workspaceAt(
  param: string,
  named: string,
  { caller, tenancy }: { readonly caller: Caller; readonly tenancy: Tenancy },
): Promise<WorkspaceHome> {
  const { workspace } = await referred(param, () => tenancy.workspaceOf(caller, named));
  if (workspace !== undefined) return workspace;
  throw referenceAbsent(param, 'The workspace does not exist');
}
