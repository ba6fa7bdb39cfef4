import type { Cloud } from '@gatehouse/crds/providers';
import { type AnyEntry, digestOf } from '@gatehouse/crds/snapshot';
import { describe, expect, test } from 'vitest';
import { childrenOf } from './children.ts';
import { blockedAddresses, cloudsInUse, isEgressOpen, type MetadataUse, metadataUsesOf } from './egress.ts';
import { aFleet, aWorld } from './testing.ts';

const SETTINGS = {
  image: 'gateway:1',
  operatorNamespace: 'gatehouse-system',
  operatorAccount: { namespace: 'gatehouse-system', name: 'gatehouse-operator' },
  metricsNamespaces: [],
  fleetNamespaces: new Set(['gatehouse-system']),
};

const DATABASE = { postgres: { urlSecretRef: { name: 'postgres', key: 'url' } } };
const BUCKET = { bucket: 'objects', region: 'eu-central-1' };

const WORLD = aWorld([{ workspace: 'a', clouds: ['azure'] }]);
const PORTS = { settings: SETTINGS, cloudsInUse: () => [], world: () => WORLD };

const policyOf = (spec: object, cloudsOfAccounts: readonly Cloud[] = [], namespace = 'gatehouse-system'): string => {
  const fleet = aFleet(spec, { namespace });
  const metadataUses = metadataUsesOf(fleet, { ...PORTS, cloudsInUse: () => cloudsOfAccounts });
  const children = childrenOf(fleet, SETTINGS, { replicas: 1, secretsDigest: '', metadataUses });
  return JSON.stringify(children.find(({ kind }) => kind === 'NetworkPolicy'));
};

describe('pods of a fleet', () => {
  test.for([
    ...['169.254.169.254/32', '169.254.170.2/32', '169.254.170.23/32', 'fd00:ec2::254/128', 'fd00:ec2::23/128'],
    ...['100.100.100.200/32', '168.63.129.16/32'],
  ])('do not reach %s', (address) => {
    expect(policyOf({})).toContain(`"${address}"`);
  });

  test('reach DNS on their node, and everything else', () => {
    const policy = policyOf({});
    expect(policy).not.toContain('169.254.20.10');
    expect(policy).not.toContain('169.254.0.0/16');
    expect(policy).toContain('{"namespaceSelector":{}}');
  });

  test.for([
    { rule: 'an account of a resource uses', spec: {}, inUse: ['azure'] as const },
    { rule: 'the fleet names', spec: { network: { metadataAccess: ['azure'] } }, inUse: [] },
  ])('reach the metadata of a cloud whose identity $rule, and no other', ({ spec, inUse }) => {
    const policy = policyOf(spec, inUse);
    expect(policy).not.toContain('"169.254.169.254/32"');
    expect(policy).toContain('"169.254.170.23/32"');
    expect(policy).toContain('"168.63.129.16/32"');
  });

  test('reach anything where the fleet leaves egress open', () => {
    expect(policyOf({ network: { egress: 'Open' } })).toContain('"policyTypes":["Ingress"]');
  });
});

const withRole = (role: string) => ({ pod: { serviceAccountAnnotations: { 'eks.amazonaws.com/role-arn': role } } });
const ROLE = 'arn:aws:iam::123456789012:role/objects';

test.for<{ readonly rule: string; readonly spec: object; readonly uses: readonly MetadataUse[] }>([
  { rule: 'its own identity for documents', spec: { records: { ...DATABASE, s3: BUCKET } }, uses: ['eksAgent'] },
  { rule: 'its own identity for files', spec: { stores: { ...DATABASE, s3: BUCKET } }, uses: ['eksAgent'] },
  {
    rule: 'its own identity for one of two buckets',
    spec: {
      stores: { ...DATABASE, s3: { ...BUCKET, secretRef: { name: 'minio' } } },
      records: { ...DATABASE, s3: { ...BUCKET, roleArn: ROLE } },
    },
    uses: ['eksAgent'],
  },
  { rule: 'a role of its ServiceAccount', spec: { records: { ...DATABASE, s3: BUCKET }, ...withRole(ROLE) }, uses: [] },
  { rule: 'an empty annotation', spec: { records: { ...DATABASE, s3: BUCKET }, ...withRole('') }, uses: ['eksAgent'] },
  { rule: 'a key pair', spec: { records: { ...DATABASE, s3: { ...BUCKET, secretRef: { name: 'minio' } } } }, uses: [] },
  { rule: 'no bucket', spec: {}, uses: [] },
])('a fleet with $rule needs the metadata of $uses', ({ spec, uses }) => {
  expect(metadataUsesOf(aFleet(spec, { namespace: 'gatehouse-system' }), PORTS)).toEqual(uses);
});

test('nothing is opened for a fleet of a workspace', () => {
  const spec = { records: { ...DATABASE, s3: BUCKET } };
  const ports = { ...PORTS, cloudsInUse: () => ['gcp'] as const };
  expect(metadataUsesOf(aFleet(spec, { namespace: 'gatehouse-system' }), ports)).toEqual(['gcp', 'eksAgent']);
  expect(metadataUsesOf(aFleet(spec, { namespace: 'team-a' }), ports)).toEqual([]);
});

test('a bucket opens the agent of pods, and the role of the node only by name', () => {
  const opened = (policy: string) =>
    ['169.254.169.254/32', 'fd00:ec2::254/128', '169.254.170.2/32', '169.254.170.23/32', 'fd00:ec2::23/128'].filter(
      (address) => !policy.includes(`"${address}"`),
    );
  const records = { ...DATABASE, s3: BUCKET };
  expect(opened(policyOf({ records }))).toEqual(['169.254.170.23/32', 'fd00:ec2::23/128']);
  expect(opened(policyOf({ records, network: { metadataAccess: ['aws'] } }))).toHaveLength(5);
});

const ALL = [{ workspace: 'a', clouds: ['aws', 'azure', 'gcp'] }];
test.for<{
  readonly rule: string;
  readonly network: object;
  readonly grants?: readonly object[];
  readonly uses: readonly MetadataUse[];
}>([
  { rule: 'the cloud that it names and is granted', network: { metadataAccess: ['azure', 'gcp'] }, uses: ['azure'] },
  { rule: 'no cloud that it does not name', network: {}, grants: ALL, uses: [] },
  {
    rule: 'no cloud that another is granted',
    network: { metadataAccess: ['aws'] },
    grants: [{ workspace: 'b', clouds: ['aws'] }],
    uses: [],
  },
  { rule: 'of open egress what is granted', network: { egress: 'Open' }, uses: ['azure'] },
])('a fleet of a workspace reaches $rule', ({ network, grants, uses }) => {
  const world = grants === undefined ? WORLD : aWorld(grants);
  expect(metadataUsesOf(aFleet({ network }, { namespace: 'team-a' }), { ...PORTS, world: () => world })).toEqual(uses);
});

test('open egress of a fleet of a workspace has a policy until all clouds are granted', () => {
  const network = { egress: 'Open' };
  expect(policyOf({ network }, [], 'team-a')).toContain('"policyTypes":["Ingress","Egress"]');
  const fleet = aFleet({ network }, { namespace: 'team-a' });
  expect(isEgressOpen(fleet, metadataUsesOf(fleet, { ...PORTS, world: () => aWorld(ALL) }))).toBe(true);
});

test("the address of the cloud's host stays blocked", () => {
  expect(blockedAddresses(['aws', 'azure', 'gcp'])).toEqual([
    '100.100.100.200/32',
    '168.63.129.16/32',
    '192.0.0.192/32',
  ]);
});

test('identities in use are those that published entries ask for', () => {
  const entry = (kind: 'provider' | 'config', workspace: string | null, body: object): AnyEntry =>
    ({ kind, id: `${kind}/x`, workspace, generation: 1, digest: digestOf(body), body }) as unknown as AnyEntry; // as far as it is read
  const asking = { provider: 'bedrock', settings: { aws_auth_type: 'serviceRole' } };
  expect(cloudsInUse([entry('provider', 'a', { ...asking, ownIdentity: true })])).toEqual(['aws']);
  expect(cloudsInUse([entry('provider', 'a', asking)])).toEqual([]);
  expect(cloudsInUse([entry('config', null, { node: { targets: [asking] } })])).toEqual(['aws']);
  expect(cloudsInUse([entry('config', 'a', { node: { targets: [asking] } })])).toEqual([]);
});
