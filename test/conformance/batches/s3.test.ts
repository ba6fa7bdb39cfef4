import { expect, test } from 'vitest';
import { Cancellation } from '../../../gateway/src/lib/cancellation.ts';
import { Secret } from '../../../gateway/src/lib/secret.ts';
import { createObjectBucket, type ObjectStore, StoreFailure } from '../../../gateway/src/object-storage/index.ts';
import { createHostPolicy } from '../../../gateway/src/upstream/host-guard/index.ts';
import { createUpstreamClient } from '../../../gateway/src/upstream/index.ts';
import { describeObjectStore } from './object-stores.ts';
import { CREDENTIALS, REGION, type S3Server, startS3 } from './s3-server.ts';

const open = ({ endpoint }: S3Server, secret: string = CREDENTIALS.secretAccessKey): ObjectStore =>
  createObjectBucket(
    { bucket: 'bucket', region: REGION, endpoint, prefix: 'files of/a+b/', forcePathStyle: true },
    {
      credentials: async () => ({ accessKeyId: CREDENTIALS.accessKeyId, secretAccessKey: new Secret(secret) }),
      client: createUpstreamClient({
        hosts: createHostPolicy({ trustedCustomHosts: '127.0.0.1', production: true }),
        ...{ connectTimeoutMs: 10_000, connectionsPerOrigin: 8, keepAliveMs: 1_000, ca: undefined },
        proxy: { http: undefined, https: undefined, no: undefined },
      }),
      now: Date.now,
    },
  );

describeObjectStore('a bucket', async () => {
  const server = await startS3();
  const store = open(server);
  return {
    store,
    kept: async () => [...server.objects.keys(), ...server.uploads.keys()].toSorted(),
    breakDown: async () => server.stop(),
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await server[Symbol.asyncDispose]();
    },
  };
});

async function* pieces(count: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < count; i += 1) yield Buffer.alloc(1024 * 1024, i);
}

test('a bucket that is busy for a moment is asked again, and parts have one size', async () => {
  await using server = await startS3();
  const store = open(server);
  server.failNext(2);
  expect(await store.put('a/b', pieces(20), { signal: new Cancellation() })).toBe(20 * 1024 * 1024);
  expect(server.largest).toBe(8 * 1024 * 1024);
  expect([...server.objects.keys()]).toEqual(['/bucket/files%20of/a%2Bb/a/b']);
  await store.close();
});

test('a key pair that the bucket does not take is a failure of the store, which does not hold the secret', async () => {
  await using server = await startS3();
  const store = open(server, 'another-secret');
  const failed = await store.get('a').catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(StoreFailure);
  expect(String(failed)).toContain('SignatureDoesNotMatch');
  expect(String(failed)).not.toContain('another-secret');
  await store.close();
});
