/** Fleets for tests. */
import { API_VERSION, type GatewayFleet, KINDS } from '@gatehouse/crds/kinds';
import type { WorldObject } from '../../translate/index.ts';
import type { FleetWorld } from './placement.ts';

/**
 * The fleet `default` with all defaults of its spec, also of fields that are not served; throws when the schema refuses it.
 */
export function aFleet(spec: object, metadata: object = {}): GatewayFleet {
  return KINDS.GatewayFleet.resource.parse({
    apiVersion: API_VERSION,
    kind: 'GatewayFleet',
    metadata: { name: 'default', namespace: 'gatehouse-gateways', uid: 'uid-of-the-fleet', generation: 1, ...metadata },
    spec,
  });
}

const ours = (kind: WorldObject['kind'], name: string, spec: object): WorldObject => ({
  ...{ apiVersion: API_VERSION, kind, metadata: { name }, spec },
});

/** The Workspace `a` with the namespace `team-a`, and grants of the Organisation. */
export const aWorld = (cloudIdentityGrants: readonly object[], namespace = 'team-a'): FleetWorld => ({
  resources: new Map([
    ['Workspace' as const, new Map([['a', ours('Workspace', 'a', { namespace })]])],
    ['Organisation' as const, new Map([['default', ours('Organisation', 'default', { cloudIdentityGrants })]])],
  ]),
  namespaces: new Map([[namespace, new Map([['gatehouse.dev/workspace', 'a']])]]),
});
