import { API_VERSION, KINDS } from '@gatehouse/crds/kinds';
import { expect, test } from 'vitest';
import { controllerIssues } from './controllers.ts';

const fleetIn = (namespace: string) =>
  KINDS.GatewayFleet.resource.parse({
    apiVersion: API_VERSION,
    kind: 'GatewayFleet',
    metadata: { name: 'mine', namespace },
    spec: { pod: { volumes: [{ name: 'keys', secret: { secretName: 'provider-keys' } }] } },
  });

test.for([
  { rule: 'are refused in the namespace of a tenant', namespace: 'team-a', known: true, fields: ['spec.pod.volumes'] },
  { rule: 'are admitted in that of the organisation', namespace: 'gateways', known: true, fields: [] },
  { rule: 'are left to the operator before it knows which is which', namespace: 'team-a', known: false, fields: [] },
])('volumes of a fleet $rule', ({ namespace, known, fields }) => {
  const issues = controllerIssues(fleetIn(namespace), known ? { fleetNamespaces: ['gateways'] } : {});
  expect(issues.map(({ path }) => path.join('.'))).toEqual(fields);
});
