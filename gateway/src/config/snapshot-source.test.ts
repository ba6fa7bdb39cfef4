import { describe, expect, test } from 'vitest';
import { readEnvironment, type SnapshotSourceSettings, snapshotSourceOf, toSettings, type Variables } from './index.ts';

const source = (variables: Variables): SnapshotSourceSettings => snapshotSourceOf(readEnvironment(variables));
const KUBERNETES = {
  GATEHOUSE_SNAPSHOT_SOURCE: 'kubernetes',
  GATEHOUSE_FLEET: 'main',
  GATEHOUSE_NAMESPACE: 'gateways',
  KUBERNETES_SERVICE_HOST: '10.0.0.1',
};
const SIDECAR = { GATEHOUSE_SNAPSHOT_SOURCE: 'sidecar', GATEHOUSE_SIDECAR_PROFILE: 'app' };
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

describe('the source of Snapshots', () => {
  test.for<{ rule: string; variables: Variables; want: object }>([
    {
      rule: 'is the API server that kubelet names',
      variables: KUBERNETES,
      want: {
        kind: 'kubernetes',
        api: { origin: 'https://10.0.0.1', caFile: `${ACCOUNT}/ca.crt`, tokenFile: `${ACCOUNT}/token` },
        namespace: 'gateways',
        fleet: 'main',
        folder: undefined,
        maxAgeMs: 86_400_000,
      },
    },
    {
      rule: 'may have an IPv6 address and a port',
      variables: { ...KUBERNETES, KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' },
      want: { api: { origin: 'https://[fd00::1]:6443' } },
    },
    {
      rule: 'keeps a copy in the configured folder, also when it exists already',
      variables: { ...KUBERNETES, GATEHOUSE_SNAPSHOT_DIR: '/tmp', GATEHOUSE_SNAPSHOT_MAX_AGE_HOURS: '2' },
      want: { folder: '/tmp', maxAgeMs: 7_200_000 },
    },
    {
      rule: 'may be plain HTTP on loopback, without an authority',
      variables: { ...KUBERNETES, GATEHOUSE_API_SERVER: 'http://127.0.0.1:8001' },
      want: { api: { origin: 'http://127.0.0.1:8001', caFile: undefined } },
    },
    {
      rule: 'is the mounted copy alone of a sidecar without a service',
      variables: SIDECAR,
      want: {
        kind: 'sidecar',
        profile: 'app',
        folder: '/etc/gatehouse/snapshot',
        service: undefined,
        maxAgeMs: 86_400_000,
      },
    },
    {
      rule: 'has the service of a sidecar',
      variables: { ...SIDECAR, GATEHOUSE_SNAPSHOT_SERVICE_URL: 'https://gatehouse-operator.system.svc:9090' },
      want: {
        service: {
          origin: 'https://gatehouse-operator.system.svc:9090',
          caFile: '/var/run/secrets/gatehouse/ca.crt',
          tokenFile: '/var/run/secrets/gatehouse/token',
        },
      },
    },
  ])('$rule', ({ variables, want }) => {
    expect(source(variables)).toMatchObject(want);
  });

  test.for<{ rule: string; variables: Variables; names: string }>([
    { rule: 'nothing', variables: {}, names: 'GATEHOUSE_SNAPSHOT_SOURCE' },
    { rule: 'no fleet', variables: { ...KUBERNETES, GATEHOUSE_FLEET: '' }, names: 'GATEHOUSE_FLEET' },
    { rule: 'no namespace', variables: { ...KUBERNETES, GATEHOUSE_NAMESPACE: '' }, names: 'GATEHOUSE_NAMESPACE' },
    {
      rule: 'no API server',
      variables: { ...KUBERNETES, KUBERNETES_SERVICE_HOST: '' },
      names: 'KUBERNETES_SERVICE_HOST',
    },
    {
      rule: 'an API server beyond loopback without TLS',
      variables: { ...KUBERNETES, GATEHOUSE_API_SERVER: 'http://10.0.0.1' },
      names: 'GATEHOUSE_API_SERVER',
    },
    {
      rule: 'no profile',
      variables: { ...SIDECAR, GATEHOUSE_SIDECAR_PROFILE: '' },
      names: 'GATEHOUSE_SIDECAR_PROFILE',
    },
    {
      rule: 'a service that is no address',
      variables: { ...SIDECAR, GATEHOUSE_SNAPSHOT_SERVICE_URL: 'operator' },
      names: 'GATEHOUSE_SNAPSHOT_SERVICE_URL',
    },
  ])('is refused for $rule, by name', ({ variables, names }) => {
    expect(() => source(variables)).toThrow(names);
  });

  test('makes the profile an identity on sidecars only', () => {
    const profile = (variables: Variables) => toSettings(readEnvironment(variables)).sidecarProfile;
    expect(profile(SIDECAR)).toBe('app');
    expect(profile({ ...KUBERNETES, GATEHOUSE_SIDECAR_PROFILE: 'app' })).toBeUndefined();
  });
});
