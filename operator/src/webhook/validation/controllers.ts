/** Checks of Kinds that have their own controller, for admission. */
import type { Issue } from '@gatehouse/crds';
import type { KindName, ResourceOf } from '@gatehouse/crds/kinds';
import { fleetIssues, workspacesServedBy } from '../../kinds/gateway-fleet/index.ts';
import type { World } from '../../translate/index.ts';

/**
 * What its controller would refuse, beyond the schema. Before the namespaces of the organisation are known, what only its fleets
 * may have is left to the controller.
 */
export function controllerIssues(
  resource: ResourceOf<KindName>,
  { fleetNamespaces = [resource.metadata.namespace ?? ''] }: Partial<Pick<World['settings'], 'fleetNamespaces'>>,
): readonly Issue[] {
  return resource.kind === 'GatewayFleet' ? fleetIssues(resource, { fleetNamespaces: new Set(fleetNamespaces) }) : [];
}

/**
 * References that do not resolve; Secrets are not checked, since those that are named for the first time have not been read.
 */
export function controllerFindings(
  resource: ResourceOf<KindName>,
  world: World,
): readonly Pick<Issue, 'path' | 'message'>[] {
  if (resource.kind !== 'GatewayFleet') return [];
  const { fleetNamespaces = [] } = world.settings;
  const { issues } = workspacesServedBy(resource, world, { fleetNamespaces: new Set(fleetNamespaces) });
  return issues.map(({ path, message }) => ({ path: [path], message }));
}
