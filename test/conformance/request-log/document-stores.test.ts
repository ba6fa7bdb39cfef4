/** Stores of documents: what gateways write is what the management API reads. */
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { objectKey, PATH_FORMATS } from '@gatehouse/crds/logs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cancellation } from '../../../gateway/src/lib/cancellation.ts';
import { Secret } from '../../../gateway/src/lib/secret.ts';
import { StoreFailure } from '../../../gateway/src/object-storage/index.ts';
import {
  type BucketOptions,
  createBucketDocuments,
  createFolderDocuments,
  type DocumentStore,
} from '../../../gateway/src/request-log/index.ts';
import { createHostPolicy } from '../../../gateway/src/upstream/host-guard/index.ts';
import { createUpstreamClient } from '../../../gateway/src/upstream/index.ts';
import { type LogObjects, openLogObjects } from '../../../operator/src/management/index.ts';
import { unwrap } from '../../kit/index.ts';
import { logRow } from '../../kit/log-row.ts';
import { CREDENTIALS, REGION, type S3Server, startS3 } from '../batches/s3-server.ts';

interface Opened extends AsyncDisposable {
  readonly documents: DocumentStore;
  readonly objects: LogObjects;
  breakDown(): Promise<void>;
}

const NOTHING = {
  bucket: undefined,
  region: undefined,
  basePath: undefined,
  accessKey: undefined,
  secretKey: undefined,
};
const PORTS = { openIdentity: () => async () => ({ ok: false, error: 'none' }) as const, now: Date.now };

const openBucket = ({ endpoint }: S3Server, more: Partial<BucketOptions> = {}): DocumentStore =>
  createBucketDocuments(
    { ...{ bucket: 'bucket', region: REGION, endpoint, forcePathStyle: true, isLocked: false }, ...more },
    {
      credentials: async () => ({ ...CREDENTIALS, secretAccessKey: new Secret(CREDENTIALS.secretAccessKey) }),
      client: createUpstreamClient({
        hosts: createHostPolicy({ trustedCustomHosts: '127.0.0.1', production: true }),
        ...{ connectTimeoutMs: 10_000, connectionsPerOrigin: 8, keepAliveMs: 1_000, ca: undefined },
        proxy: { http: undefined, https: undefined, no: undefined },
      }),
      now: Date.now,
    },
  );

const readBucket = ({ endpoint }: S3Server, secretKey: string = CREDENTIALS.secretAccessKey): LogObjects => {
  const place = { kind: 's3_custom', bucket: 'bucket', region: REGION, basePath: endpoint, folder: undefined } as const;
  const opened = unwrap(openLogObjects({ ...place, accessKey: CREDENTIALS.accessKeyId, secretKey }, PORTS));
  if (opened === undefined) throw new Error('There is no store');
  return opened;
};

async function bucket(): Promise<Opened> {
  const server = await startS3();
  const documents = openBucket(server);
  return {
    documents,
    objects: readBucket(server),
    breakDown: async () => server.stop(),
    [Symbol.asyncDispose]: async () => {
      await documents.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function folder(): Promise<Opened> {
  const root = await mkdtemp(join(tmpdir(), 'gatehouse-documents-'));
  const path = join(root, 'documents');
  const objects = unwrap(openLogObjects({ ...NOTHING, kind: 'folder', folder: path }, PORTS));
  if (objects === undefined) throw new Error('There is no store');
  return {
    documents: createFolderDocuments(path),
    objects,
    breakDown: async () => {
      await rm(path, { recursive: true, force: true });
      await writeFile(path, 'no folder');
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

const put = ({ documents }: Opened, key: string, text: string): Promise<void> =>
  documents.put(key, Buffer.from(text), { signal: new Cancellation(), keptUntilMs: undefined });

describe.for([
  { name: 'a bucket', open: bucket },
  { name: 'a folder', open: folder },
])('documents in $name', ({ open }) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());

  test.for(PATH_FORMATS)('are read as they were written, by keys of %s', async (format) => {
    const key = objectKey(logRow({}), { format, retentionDays: 30 });
    await put(opened, key, 'first');
    await put(opened, key, '{"ä":1}');
    expect(await opened.objects.get(key)).toBe('{"ä":1}');
  });

  test('that do not exist are undefined', async () => {
    expect(await opened.objects.get('30/o/absent.json')).toBeUndefined();
  });

  test.for(['../secret.json', '30/../../secret.json', '/etc/passwd', '30/o/a.json?x=1', '30//a.json', ''])(
    'are never those of the key %j',
    async (key) => {
      expect(await opened.objects.get(key)).toBeUndefined();
      await expect(put(opened, key.includes('..') || key === '' ? key : `../${key}`, 'x')).rejects.toThrow('key');
    },
  );

  test('that cannot be written or read are failures, and no refusals of a document', async () => {
    await opened.breakDown();
    const failed = await put(opened, '30/o/b.json', 'x').catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(StoreFailure);
    expect(opened.documents.isRefusal(failed)).toBe(false);
    await expect(opened.objects.get('30/o/b.json')).rejects.toThrow('cannot be read');
  });
});

test('a bucket is told how objects are encrypted and how long they are locked, and one try is one call', async () => {
  await using server = await startS3();
  const documents = openBucket(server, { encryption: 'aws:kms', kmsKeyId: 'alias/logs', isLocked: true });
  const keptUntilMs = Date.UTC(2030, 0, 1);
  const write = () => documents.put('30/o/a.json', Buffer.from('{}'), { signal: new Cancellation(), keptUntilMs });
  await write();
  expect(server.headers).toMatchObject({
    'content-type': 'application/json',
    'content-md5': 'mZFLkyvTelC5g8XnyQrpOw==',
    'x-amz-server-side-encryption': 'aws:kms',
    'x-amz-server-side-encryption-aws-kms-key-id': 'alias/logs',
    'x-amz-object-lock-mode': 'GOVERNANCE',
    'x-amz-object-lock-retain-until-date': '2030-01-01T00:00:00.000Z',
  });
  server.failNext(1, 400);
  const refused = await write().catch((error: unknown) => error);
  expect(documents.isRefusal(refused)).toBe(true);
  server.failNext(1, 403);
  const denied = await write().catch((error: unknown) => error);
  expect(documents.isRefusal(denied)).toBe(false);
  await write();
  await documents.close();
});

test('a key pair that the bucket does not take is a store that is away, without the secret in its error', async () => {
  await using server = await startS3();
  const failed = await readBucket(server, 'another-secret').get('30/o/a.json').catch(String);
  expect(failed).toContain('403 SignatureDoesNotMatch');
  expect(failed).not.toContain('another-secret');
});

test('a folder forgets files of old days alone', async () => {
  const root = await mkdtemp(join(tmpdir(), 'gatehouse-documents-'));
  const documents = createFolderDocuments(root);
  await documents.dropBefore(0);
  for (const name of ['old', 'new']) {
    const options = { signal: new Cancellation(), keptUntilMs: undefined };
    await documents.put(`30/o/${name}.json`, Buffer.from('{}'), options);
  }
  await utimes(join(root, '30/o/old.json'), 1_000, 1_000);
  await documents.dropBefore(2_000_000);
  expect(await readdir(join(root, '30/o'))).toEqual(['new.json']);
  await rm(root, { recursive: true });
});
