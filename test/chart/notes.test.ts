/** What Helm prints after an installation; the end-to-end tests run its commands on a cluster. */
import { describe, expect, test } from 'vitest';
import { CHART, NAMESPACE, RELEASE, runHelm, type Values } from './helm.ts';

async function notesOf(values: Values): Promise<string> {
  const args = ['install', RELEASE, CHART, '--namespace', NAMESPACE, '--dry-run=client'];
  const [, notes = ''] = (await runHelm(args, { values })).split('\nNOTES:\n');
  return notes;
}

const GRANT = `kubectl create rolebinding gatehouse-workspace-secrets --namespace NAMESPACE`;
const NODES = 'networkPolicies.nodeCIDRs';
const POLICY = 'httpRoute.backendTLS.enabled';
const httpRoute = { enabled: true, parentRefs: [{ name: 'public' }] };
const listeners = [{ name: 'https', port: 8443, tlsSecretRef: { name: 'tls' } }];

describe('the notes', () => {
  test.for<{ rule: string; values: Values; has: readonly string[]; lacks: readonly string[] }>([
    {
      rule: 'of the defaults have every step',
      values: {},
      has: ['rollout status', `2. Let the operator read`, GRANT, '8787:8787', 'curl http://127.0.0.1:8787', '4. Send'],
      lacks: ['UPGRADE', 'WARNING', '--insecure', NODES],
    },
    {
      rule: 'name the account of the values',
      values: { operator: { serviceAccount: { name: 'mine' } } },
      has: [`--serviceaccount=${NAMESPACE}:mine`],
      lacks: [`${NAMESPACE}:gatehouse-operator`],
    },
    {
      rule: 'grant nothing where the chart has bound the rights of all namespaces',
      values: { watchNamespaces: ['team-a'] },
      has: ['2. Apply resources', '3. Send a request'],
      lacks: [GRANT],
    },
    {
      rule: 'warn of rights on all Secrets',
      values: { secrets: { clusterWide: true } },
      has: ['WARNING', GRANT, '2. Apply resources'],
      lacks: ['Let the operator read'],
    },
    {
      rule: 'use TLS where the first listener does',
      values: { defaultFleet: { spec: { listeners } } },
      has: ['8787:8443', 'curl --insecure https://127.0.0.1:8787'],
      lacks: ['http://', POLICY],
    },
    {
      rule: 'say what a route to a listener with TLS needs',
      values: { defaultFleet: { spec: { listeners } }, httpRoute },
      has: [POLICY, 'Service default-gateway'],
      lacks: [],
    },
    {
      rule: 'do not say it where it has that',
      values: { defaultFleet: { spec: { listeners } }, httpRoute: { ...httpRoute, backendTLS: { enabled: true } } },
      has: [],
      lacks: [POLICY],
    },
    {
      rule: 'do not say it where the listener is plain',
      values: { httpRoute },
      has: [],
      lacks: [POLICY],
    },
    {
      rule: 'send no request without a fleet',
      values: { defaultFleet: { enabled: false } },
      has: ['rollout status', '3. Apply resources'],
      lacks: ['curl', 'gatewayfleet/', 'its gateways'],
    },
    {
      rule: 'say what an operator on the network of its nodes needs',
      values: { operator: { hostNetwork: true } },
      has: [NODES],
      lacks: [],
    },
    {
      rule: 'do not say it where the ranges are known',
      values: { operator: { hostNetwork: true }, networkPolicies: { nodeCIDRs: ['10.0.0.0/16'] } },
      has: [],
      lacks: [NODES],
    },
  ])('$rule', async ({ values, has, lacks }) => {
    const notes = await notesOf(values);
    expect(notes).toContain('The operator of Gatehouse is in namespace');
    for (const text of has) expect(notes).toContain(text);
    for (const text of lacks) expect(notes).not.toContain(text);
  });
});
