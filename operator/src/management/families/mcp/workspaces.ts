/** Workspaces that an MCP integration of the organisation is granted to. */

import type { mcpIntegrations } from '@gatehouse/crds/rest';
import { RestError } from '../../http/rest-error.ts';
import type { Draft } from '../../store/index.ts';
import type { Home } from '../../tenancy/index.ts';
import type { RestCall, Services } from '../family.ts';
import { workspaceAt } from '../homes.ts';
import type { IntegrationObject } from './spec.ts';

type Call = RestCall<typeof mcpIntegrations.writeWorkspaces>;

/** The change of the resource. Throws RestError for a workspace that does not exist, and for one that is named twice. */
export async function changeGrants(
  { body, caller }: Call,
  home: Home,
  { tenancy }: Services,
): Promise<(object: IntegrationObject) => Draft> {
  if (home.workspace !== undefined) {
    throw new RestError('INVALID', { message: 'An MCP integration of a workspace is granted to no other workspace' });
  }
  const given = new Map<string, boolean>();
  for (const [i, { id, enabled }] of body.workspaces.entries()) {
    const param = `workspaces[${i}].id`;
    const { slug } = await workspaceAt(param, id, { caller, tenancy });
    if (given.has(slug)) throw new RestError('INVALID', { message: `body ${param}: it is in the list twice`, param });
    given.set(slug, enabled);
  }
  const { override_existing_workspace_access: isWhole = false, global_workspace_access: all } = body;
  return ({ spec }) => {
    const before = isWhole ? [] : (spec.workspaces ?? []);
    const grants = new Map([...before.map(({ name, enabled }) => [name, enabled] as const), ...given]);
    const workspaces = [...grants].map(([name, enabled]) => ({ name, enabled }));
    const allWorkspaces = all === undefined ? spec.allWorkspaces : (all?.enabled ?? undefined);
    return { spec: { ...spec, allWorkspaces, workspaces: workspaces.length === 0 ? undefined : workspaces } };
  };
}
