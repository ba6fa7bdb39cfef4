import { type AnyEntry, digestOf } from '@gatehouse/crds/snapshot';
import { describe, expect, test } from 'vitest';
import { childrenOf } from './children.ts';
import { blockedAddresses, cloudsInUse, cloudsOfBuckets } from './egress.ts';
import { aFleet } from './testing.ts';

const SETTINGS = {
  image: 'gateway:1',
  operatorNamespace: 'gatehouse-system',
  operatorAccount: { namespace: 'gatehouse-system', name: 'gatehouse-operator' },
  metricsNamespaces: [],
  fleetNamespaces: new Set(['gatehouse-system']),
};

const DATABASE = { postgres: { urlSecretRef: { name: 'postgres', key: 'url' } } };
const BUCKET = { bucket: 'objects', region: 'eu-central-1' };

const policyOf = (spec: object, metadataClouds: ReturnType<typeof cloudsInUse> = []): string => {
  const children = childrenOf(aFleet(spec), SETTINGS, { replicas: 1, secretsDigest: '', metadataClouds });
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

test.for([
  { rule: 'its own identity for documents', spec: { records: { ...DATABASE, s3: BUCKET } }, clouds: ['aws'] },
  { rule: 'its own identity for files', spec: { stores: { ...DATABASE, s3: BUCKET } }, clouds: ['aws'] },
  {
    rule: 'a key pair',
    spec: { records: { ...DATABASE, s3: { ...BUCKET, secretRef: { name: 'minio' } } } },
    clouds: [],
  },
  { rule: 'no bucket', spec: {}, clouds: [] },
])('a fleet with $rule needs the metadata of $clouds', ({ spec, clouds }) => {
  expect(cloudsOfBuckets(aFleet(spec))).toEqual(clouds);
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
