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
const VOLUME = 'PostgreSQL waits for a volume of the default storage class';
const urlSecretRef = { name: 'database', key: 'url' };
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
      rule: 'say where the request log is, and what its volume needs',
      values: { defaultFleet: { spec: { records: { retentionDays: 7 } } } },
      has: ['Request log: in the PostgreSQL of the chart, with bodies, for 7 days', VOLUME],
      lacks: [],
    },
    {
      rule: 'say no word of a volume that nobody needs',
      values: { postgres: { persistence: { enabled: false } } },
      has: ['Request log: in the PostgreSQL of the chart, with bodies, for 30 days'],
      lacks: [VOLUME],
    },
    {
      rule: 'say that a log is in ClickHouse',
      values: { records: { clickhouse: { urlSecretRef } } },
      has: ['Request log: in the ClickHouse of records.clickhouse.urlSecretRef'],
      lacks: ['PostgreSQL of the chart'],
    },
    {
      rule: 'say that a log is in another PostgreSQL',
      values: { records: { postgres: { urlSecretRef } } },
      has: ['Request log: in the PostgreSQL of records.postgres.urlSecretRef'],
      lacks: ['PostgreSQL of the chart'],
    },
    {
      rule: 'say that a log is where the fleet says',
      values: { defaultFleet: { spec: { records: { clickhouse: { urlSecretRef } } } } },
      has: ['Request log: in the database of defaultFleet.spec.records'],
      lacks: ['PostgreSQL of the chart'],
    },
    {
      rule: 'say that there is no log without the management API',
      values: { management: { enabled: false } },
      has: ['Request log: none, since management.enabled is false'],
      lacks: [VOLUME],
    },
    {
      rule: 'say that there is no log beside another PostgreSQL',
      values: { postgres: { urlSecretRef } },
      has: ['Request log: none, since PostgreSQL is yours; records.postgres.urlSecretRef'],
      lacks: [VOLUME],
    },
    {
      rule: 'say that there is no log without PostgreSQL',
      values: { postgres: { enabled: false } },
      has: ['Request log: none, since postgres.enabled is false'],
      lacks: [VOLUME],
    },
    {
      rule: 'say that there is no log where nobody wants one',
      values: { records: { postgres: { enabled: false } } },
      has: ['Request log: none, since records.postgres.enabled is false', VOLUME],
      lacks: [],
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
      has: ['rollout status', '3. Apply resources', 'Request log: none, since defaultFleet.enabled is false'],
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
