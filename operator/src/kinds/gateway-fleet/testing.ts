/** Fleets for tests. */
import { API_VERSION, type GatewayFleet, parseResource } from '@gatehouse/crds/kinds';

/** The fleet `default` with all defaults of its spec; throws when the schema refuses it. */
export function aFleet(spec: object, metadata: object = {}): GatewayFleet {
  const parsed = parseResource('GatewayFleet', {
    apiVersion: API_VERSION,
    kind: 'GatewayFleet',
    metadata: { name: 'default', namespace: 'gatehouse-gateways', uid: 'uid-of-the-fleet', generation: 1, ...metadata },
    spec,
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
}
