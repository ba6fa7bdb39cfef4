/** Where the chart puts the request log: the fleet and the management API know the same places. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { FLAGS } from '../../operator/src/config/index.ts';
import { at, find, NAMESPACE, render, type Values } from './helm.ts';

const urlSecretRef = { name: 'logs', key: 'url' };
const variable = z.looseObject({ name: z.string() });
const KEYS = ['access-key', 'secret-key'] as const;

async function placesOf(records: Values, more: Values = {}) {
  const objects = await render({ records, ...more });
  const pod = at(find(objects, `Deployment/${NAMESPACE}/gatehouse-management`), 'spec.template.spec');
  const env = z.array(variable).parse(at(pod, 'containers.0.env'));
  return {
    fleet: at(find(objects, 'GatewayFleet/gatehouse-gateways/default'), 'spec.records'),
    accounts: {
      fleet: at(find(objects, 'GatewayFleet/gatehouse-gateways/default'), 'spec.pod'),
      management: at(find(objects, `ServiceAccount/${NAMESPACE}/gatehouse-management`), 'metadata.annotations'),
    },
    management: new Map(env.filter(({ name }) => name.startsWith('LOG_STORE')).map((row) => [row.name, row])),
  };
}

test('documents are in the database unless a bucket is named', async () => {
  const { fleet, management } = await placesOf({ postgres: { urlSecretRef }, s3: { region: 'eu-central-1' } });
  expect(fleet).toEqual({ postgres: { urlSecretRef } });
  expect(management.size).toBe(0);
});

test.for([
  { values: {}, maxMebibytes: 5_120 },
  { values: { postgres: { persistence: { size: '1Gi' } } }, maxMebibytes: 640 },
  { values: { postgres: { persistence: { size: '1.5G' } } }, maxMebibytes: 894 },
  { values: { postgres: { persistence: { size: '1073741824' } } }, maxMebibytes: 640 },
  { values: { postgres: { persistence: { size: '10Mi' } } }, maxMebibytes: 64 },
  { values: { records: { postgres: { maxMebibytes: 100 } } }, maxMebibytes: 100 },
  { values: { records: { postgres: { urlSecretRef } } }, maxMebibytes: undefined },
  { values: { records: { postgres: { urlSecretRef, maxMebibytes: 100 } } }, maxMebibytes: 100 },
])('of the volume of %j the log takes its share', async ({ values: { records = {}, ...more }, maxMebibytes }) => {
  const { fleet } = await placesOf(records, more);
  expect(at(fleet, 'postgres.maxMebibytes')).toBe(maxMebibytes);
});

test('a size in a unit that is not understood needs a bound', async () => {
  const postgres = { persistence: { size: '1E' } };
  await expect(placesOf({}, { postgres })).rejects.toThrow('records.postgres.maxMebibytes');
  expect((await placesOf({ postgres: { maxMebibytes: 100 } }, { postgres })).fleet).toMatchObject({
    postgres: { maxMebibytes: 100 },
  });
});

test('a bucket of another store, with a key pair', async () => {
  const s3 = { bucket: 'request-logs', region: 'eu-central-1', endpoint: 'http://minio:9000', pathFormat: 'V2' };
  const caSecretRef = { name: 'minio-ca', key: 'ca.crt' };
  const role = { roleArn: 'arn:aws:iam::123456789012:role/logs', externalId: 'gateway' };
  const given = { ...s3, ...role, secretName: 'minio', caSecretRef };
  const { fleet, management } = await placesOf({ clickhouse: { urlSecretRef }, s3: given });
  expect(fleet).toEqual({
    clickhouse: { urlSecretRef },
    s3: { ...s3, ...role, secretRef: { name: 'minio' }, caSecretRef },
  });
  expect(management.get('LOG_STORE_CA')).toMatchObject({ valueFrom: { secretKeyRef: caSecretRef } });
  expect(management.get('LOG_STORE_AWS_ROLE_ARN')).toMatchObject({ value: role.roleArn });
  expect(management.get('LOG_STORE_AWS_EXTERNAL_ID')).toMatchObject({ value: 'gateway' });
  expect(management.get('LOG_STORE')).toMatchObject({ value: 's3_custom' });
  expect(management.get('LOG_STORE_BASEPATH')).toMatchObject({ value: s3.endpoint });
  const known = Object.values(FLAGS).flatMap((flag) => ('variable' in flag ? [flag.variable] : []));
  expect([...management.keys()].sort()).toEqual(known.filter((name) => name.startsWith('LOG_STORE')).sort());
  for (const [i, key] of ['accessKeyId', 'secretAccessKey'].entries()) {
    const name = FLAGS[`log-store-${KEYS[i] ?? 'access-key'}`].variable;
    expect(management.get(name)).toMatchObject({ valueFrom: { secretKeyRef: { name: 'minio', key } } });
  }
});

test('a bucket of AWS, with the identities of pods', async () => {
  const { fleet, management } = await placesOf({ postgres: { urlSecretRef }, s3: { bucket: 'request-logs' } });
  expect(fleet).toEqual({
    ...{ postgres: { urlSecretRef }, s3: { bucket: 'request-logs', region: 'us-east-1', pathFormat: 'V1' } },
  });
  expect([...management.keys()]).toEqual(['LOG_STORE', 'LOG_STORE_GENERATIONS_BUCKET', 'LOG_STORE_REGION']);
  expect(management.get('LOG_STORE')).toMatchObject({ value: 's3' });
});

test('the identities of pods are named by annotations of their ServiceAccounts', async () => {
  const annotations = { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/logs' };
  const { accounts } = await placesOf(
    { postgres: { urlSecretRef }, s3: { bucket: 'request-logs' } },
    {
      management: { serviceAccount: { annotations } },
      defaultFleet: { spec: { pod: { serviceAccountAnnotations: annotations } } },
    },
  );
  expect(accounts).toEqual({ fleet: { serviceAccountAnnotations: annotations }, management: annotations });
});

const S3 = { bucket: 'request-logs' };
const IRSA = { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/logs' };

test.for<{ readonly given: string; readonly s3: Values; readonly annotations: Values; readonly isOpen: boolean }>([
  { given: 'a bucket without key pair', s3: S3, annotations: {}, isOpen: true },
  { given: 'a key pair', s3: { ...S3, secretName: 'minio' }, annotations: {}, isOpen: false },
  { given: 'a role of the ServiceAccount', s3: S3, annotations: IRSA, isOpen: false },
  { given: 'no bucket', s3: {}, annotations: {}, isOpen: false },
])('limited egress of the management API with $given reaches the agent of pods: $isOpen', async (row) => {
  const objects = await render({
    management: { serviceAccount: { annotations: row.annotations } },
    records: { postgres: { urlSecretRef }, s3: row.s3 },
    networkPolicies: { enabled: true, egress: { enabled: true } },
  });
  const rules = at(find(objects, `NetworkPolicy/${NAMESPACE}/gatehouse-management`), 'spec.egress');
  const agent = {
    to: ['169.254.170.23/32', 'fd00:ec2::23/128'].map((cidr) => ({ ipBlock: { cidr } })),
    ports: [{ port: 80, protocol: 'TCP' }],
  };
  expect(
    z
      .array(z.unknown())
      .parse(rules)
      .filter((rule) => JSON.stringify(rule).includes('ipBlock')),
  ).toEqual(row.isOpen ? [agent] : []);
});
