/** GatewayFleet: from one resource to a horizontally scaled set of gateway pods. */

export { mayRunGateways } from './access.ts';
export { fleetIssues } from './checks.ts';
export { childrenOf, SCALING_METRICS } from './children.ts';
export { type GatewayFleetControllerOptions, gatewayFleetController, watchFleets } from './controller.ts';
export { cloudsInUse } from './egress.ts';
export { type AccessState, createFleetAccess, type FleetAccess } from './fleet-access.ts';
export { type FleetOfSidecars, fleetOfSidecars } from './fleet-of-sidecars.ts';
export { FLEETS, type FleetObject } from './kube-kinds.ts';
export { ADMIN_TOKEN_KEY, adminSecretName, childLabels, childName, podSelector } from './names.ts';
export {
  type FleetIssue,
  type FleetWorld,
  isOfOrganisation,
  type Placement,
  workspacesServedBy,
} from './placement.ts';
export type { Acknowledged, FleetStores, LaggingPod } from './ports.ts';
export { rbac } from './rbac.ts';
export { secretClaimant } from './secrets.ts';
export type { FleetSettings } from './settings.ts';
export { readFleet } from './steps.ts';
