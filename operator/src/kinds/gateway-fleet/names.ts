/** Names and labels of the objects of a fleet. */
import type { GatewayFleet } from '@gatehouse/crds/kinds';

export const FLEET_LABEL = 'gatehouse.dev/fleet';
/** Selects the children of all fleets. */
export const CHILDREN_SELECTOR = `app.kubernetes.io/managed-by=gatehouse-operator,${FLEET_LABEL}`;

export const FIELD_MANAGER = 'gatehouse-operator';
/** Owns `spec.replicas` from the moment the operator gives it up until the autoscaler's first change. */
export const HANDOVER_MANAGER = 'gatehouse-operator-scale';
export const APPLIED_ANNOTATION = 'gatehouse.dev/applied';

/** Installed by the chart; the only role that the operator may bind. */
export const GATEWAY_ROLE = 'gatehouse-gateway';
export const ADMIN_TOKEN_KEY = 'token';

/** Name of every child but the admin Secret. */
export const childName = (fleet: string): string => `${fleet}-gateway`;

/** The Secret with the bearer token of `/internal/*`. */
export const adminSecretName = (fleet: string): string => `${fleet}-admin`;

/** Labels by which the pods of a fleet are selected; immutable in a Deployment. */
export const podSelector = ({ metadata: { name } }: GatewayFleet): Readonly<Record<string, string>> => ({
  'app.kubernetes.io/name': 'gatehouse-gateway',
  [FLEET_LABEL]: name,
});

export const childLabels = (fleet: GatewayFleet): Readonly<Record<string, string>> => ({
  ...podSelector(fleet),
  'app.kubernetes.io/instance': fleet.metadata.name,
  'app.kubernetes.io/component': 'gateway',
  'app.kubernetes.io/part-of': 'gatehouse',
  'app.kubernetes.io/managed-by': 'gatehouse-operator',
});
