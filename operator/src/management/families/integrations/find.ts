/** Integrations that calls name, and what grants them. */
import { authorize } from '../../callers/index.ts';
import type { Home } from '../../tenancy/index.ts';
import type { RestCall, Services } from '../family.ts';
import { type Found, findObject } from '../find.ts';
import type { AccessObject, IntegrationObject } from './spec.ts';

export const WHAT = 'integration';
export const KIND = 'Integration';

export type Action = 'create' | 'read' | 'update' | 'delete' | 'list';

/** Those of the organisation and those of workspaces have scopes of their own. */
export function authorizeFor({ caller }: Pick<RestCall, 'caller'>, { workspace }: Home, action: Action): void {
  authorize(caller, [`${workspace === undefined ? 'organisation' : 'workspace'}_integrations.${action}`]);
}

export async function find(
  call: Pick<RestCall, 'caller' | 'path' | 'workspaceId'>,
  services: Services,
  action: Action,
): Promise<Found<'Integration'> & { readonly place: ReturnType<typeof placeOf> }> {
  const found = await findObject(KIND, call.path['slug'] ?? '', { call, services }, WHAT);
  authorizeFor(call, found.home, action);
  return { ...found, place: placeOf(found.object) };
}

const placeOf = ({ meta: { namespace, name } }: IntegrationObject) => ({ kind: KIND, namespace, name }) as const;

/** What grants an integration of the organisation; those of workspaces are granted to nobody. */
export async function grantsOf(
  { meta }: IntegrationObject,
  { workspace }: Home,
  { store, tenancy }: Services,
): Promise<readonly AccessObject[]> {
  if (workspace !== undefined) return [];
  const all = await store.list('IntegrationAccess', tenancy.organisation.namespace);
  return all.filter(({ spec }) => spec.integrationRef.name === meta.name);
}
