/** Whose credentials open a bucket of the deployment: of the pod, of a role, of a key pair, while the token service works and fails. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openBucketPorts } from '../../gateway/src/app/bucket.ts';
import { readEnvironment, toSettings, type Variables } from '../../gateway/src/config/index.ts';
import { Cancellation } from '../../gateway/src/lib/cancellation.ts';
import { createObjectBucket, type ObjectStore } from '../../gateway/src/object-storage/index.ts';
import { openLogObjects } from '../../operator/src/management/index.ts';
import { createStoreIdentity } from '../../operator/src/secret-managers/index.ts';
import { CREDENTIALS, REGION, type S3Server, startS3 } from '../conformance/batches/s3-server.ts';
import { type AwsIdentities, SESSION_TOKEN, startAwsIdentities } from '../kit/aws-identities.ts';
import { unwrap, waitFor } from '../kit/index.ts';

const OWN_ROLE = 'arn:aws:iam::123456789012:role/pod';
const ROLE = 'arn:aws:iam::123456789012:role/objects';
const KEY = '30/organisation/document.json';

let identities: AwsIdentities;
let s3: S3Server;
let folder: string;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bucket-identity-'));
  stack.defer(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'token'), 'token-of-the-pod\n');
  s3 = stack.use(await startS3());
});

beforeEach(async () => {
  identities = await startAwsIdentities(CREDENTIALS);
  return () => identities[Symbol.asyncDispose]();
});

afterAll(() => stack.disposeAsync());

const webIdentity = (): Variables => ({
  ...{ AWS_ROLE_ARN: OWN_ROLE, AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'token') },
});
const podIdentity = (): Variables => ({
  AWS_CONTAINER_CREDENTIALS_FULL_URI: `${identities.url}/v1/credentials`,
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: join(folder, 'token'),
});

/** The environment of a gateway with the bucket, as its operator sets it. */
const bucketVariables = (): Variables => ({
  ...{ GATEHOUSE_BATCH_S3_BUCKET: 'bucket', GATEHOUSE_BATCH_S3_REGION: REGION, GATEHOUSE_BATCH_S3_PATH_STYLE: 'true' },
  ...{ GATEHOUSE_BATCH_S3_ENDPOINT: s3.endpoint, AWS_ENDPOINT_URL_STS: identities.url },
  ...{ AWS_SHARED_CREDENTIALS_FILE: '/nowhere', AWS_CONFIG_FILE: '/nowhere' },
});

function openBucket(more: Variables): ObjectStore & AsyncDisposable {
  const variables = { ...bucketVariables(), ...more };
  const settings = toSettings(readEnvironment(variables));
  const { bucket } = settings.batches;
  if (bucket === undefined) throw new Error('no bucket is set');
  const store = createObjectBucket(bucket, openBucketPorts(bucket, settings, variables));
  return { ...store, [Symbol.asyncDispose]: () => store.close() };
}

async function* bytes() {
  yield Buffer.from('{}');
}

const put = (store: ObjectStore) => store.put(KEY, bytes(), { signal: new Cancellation() });

interface Case {
  readonly identity: string;
  readonly given: () => Variables;
  readonly calls: readonly object[];
}

const ROLE_OF_BUCKET = { GATEHOUSE_BATCH_S3_ROLE_ARN: ROLE, GATEHOUSE_BATCH_S3_EXTERNAL_ID: 'gateway' };
const KEY_PAIR = {
  GATEHOUSE_BATCH_S3_ACCESS_KEY_ID: 'AKIDBASE',
  GATEHOUSE_BATCH_S3_SECRET_ACCESS_KEY: 'base-secret',
};
const FOR_ACCOUNTS = {
  ...{ AWS_ASSUME_ROLE_ACCESS_KEY_ID: 'AKIDACCOUNTS', AWS_ASSUME_ROLE_SECRET_ACCESS_KEY: 'accounts-secret' },
  AWS_ASSUME_ROLE_SOURCE_ARN: 'arn:aws:iam::123456789012:role/accounts',
};
const ofWeb = {
  ...{ action: 'AssumeRoleWithWebIdentity', role: OWN_ROLE, externalId: undefined, proof: 'token-of-the-pod' },
};
const ofAgent = { action: 'agent', role: undefined, externalId: undefined, proof: 'token-of-the-pod' };
const assumed = (proof: string) => ({ action: 'AssumeRole', role: ROLE, externalId: 'gateway', proof });

test.for<Case>([
  { identity: 'a role of the ServiceAccount', given: webIdentity, calls: [ofWeb] },
  { identity: 'the agent of pods', given: podIdentity, calls: [ofAgent] },
  {
    identity: 'a role that the role of the ServiceAccount assumes',
    given: () => ({ ...webIdentity(), ...ROLE_OF_BUCKET }),
    calls: [ofWeb, assumed(CREDENTIALS.accessKeyId)],
  },
  {
    identity: 'a role that the identity of the pod assumes',
    given: () => ({ ...podIdentity(), ...ROLE_OF_BUCKET }),
    calls: [ofAgent, assumed(CREDENTIALS.accessKeyId)],
  },
  {
    identity: 'a role that a key pair assumes',
    given: () => ({ ...webIdentity(), ...KEY_PAIR, ...ROLE_OF_BUCKET }),
    calls: [assumed('AKIDBASE')],
  },
  {
    identity: 'the role of the ServiceAccount, beside a key pair for accounts',
    given: () => ({ ...webIdentity(), ...FOR_ACCOUNTS }),
    calls: [ofWeb],
  },
  {
    identity: 'the role of the ServiceAccount, named once more',
    given: () => ({ ...webIdentity(), GATEHOUSE_BATCH_S3_ROLE_ARN: OWN_ROLE }),
    calls: [ofWeb],
  },
])('a gateway writes with $identity, which it asks for once', async ({ given, calls }) => {
  await using store = openBucket(given());
  await Promise.all([put(store), put(store), put(store)]);
  await put(store);
  expect(identities.calls).toEqual(calls);
  expect(s3.headers['x-amz-security-token']).toBe(SESSION_TOKEN);
});

test('while nobody gives out identities, known credentials are used, and a bucket without any fails until there are some', async () => {
  await using store = openBucket(webIdentity());
  await put(store);
  identities.isAway = true;
  expect(await put(store)).toBe(2);
  await using other = openBucket(webIdentity());
  await expect(put(other)).rejects.toThrow('The bucket cannot be reached');
  identities.isAway = false;
  expect(await waitFor(() => put(other).catch(() => undefined))).toBe(2); // it is asked once a second
});

test.for<{ readonly identity: string; readonly role: object; readonly calls: readonly object[] }>([
  { identity: 'its own identity', role: {}, calls: [ofWeb] },
  {
    identity: 'a role',
    role: { roleArn: ROLE, externalId: 'gateway' },
    calls: [ofWeb, assumed(CREDENTIALS.accessKeyId)],
  },
])('the management API reads with $identity, which it asks for once', async ({ role, calls }) => {
  await using store = openBucket(webIdentity());
  await put(store);
  const before = identities.calls.length;
  const variables = { ...webIdentity(), AWS_ENDPOINT_URL_STS: identities.url };
  const objects = unwrap(
    openLogObjects(
      {
        ...{ bucket: 'bucket', region: REGION, basePath: s3.endpoint },
        ...{ accessKey: undefined, secretKey: undefined, folder: undefined, ...role },
        kind: 's3_custom',
      },
      { openIdentity: (place) => createStoreIdentity({ variables, now: Date.now }, place), now: Date.now },
    ),
  );
  expect(await objects?.get(KEY)).toBe('{}');
  expect(await Promise.all([objects?.get(KEY), objects?.get(KEY)])).toEqual(['{}', '{}']);
  expect(identities.calls.slice(before)).toEqual(calls);
});
