/** Fleets for tests. */
import { API_VERSION, type GatewayFleet, KINDS } from '@gatehouse/crds/kinds';

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
