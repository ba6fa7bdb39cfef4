/** What the controller of a Kind that is not translated will say, for those who ask before it is stored. */
import type { Issue } from '@gatehouse/crds';
import type { KindName, ResourceOf } from '@gatehouse/crds/kinds';
import { type FleetIssue, fleetIssues, workspacesServedBy } from '../../kinds/gateway-fleet/index.ts';
import type { World } from '../../translate/index.ts';

/** What keeps it from being accepted, beyond its schema. */
export const controllerIssues = (resource: ResourceOf<KindName>): readonly Issue[] =>
  resource.kind === 'GatewayFleet' ? fleetIssues(resource) : [];

/** What it names in vain; Secrets are not among it, since nobody has read those that are named for the first time. */
export function controllerFindings(
  resource: ResourceOf<KindName>,
  world: World,
): readonly Pick<FleetIssue, 'path' | 'message'>[] {
  if (resource.kind !== 'GatewayFleet') return [];
  const { fleetNamespaces = [] } = world.settings;
  return workspacesServedBy(resource, world, { fleetNamespaces: new Set(fleetNamespaces) }).issues;
}
