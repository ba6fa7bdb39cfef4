/** Large files go through the gateway to a bucket, whatever its memory. */
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { startAws } from '../kit/aws.ts';
import { startWorld } from '../kit/gateway.ts';
import { startGoogleCloud } from '../kit/google-cloud.ts';
import { send } from '../kit/http.ts';
import { chatRow } from '../kit/managed-batches.ts';
import { KEY, provider } from '../kit/snapshot.ts';
import { watchMemory } from '../kit/watch-memory.ts';

const MIB = 1024 * 1024;
const SIZE = 256;
/** Passes before anything is measured, so that code is compiled and the heap has the size that a small file needs. */
const FIRST_SIZE = 32;
/** One part, buffers of sockets, and garbage that was not collected yet. */
const ROOM = 128 * MIB;

const HEAD = '--limit\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n';
const FILE = '--limit\r\nContent-Disposition: form-data; name="file"; filename="large.jsonl"\r\n\r\n';

async function* form(size: number): AsyncGenerator<Buffer> {
  yield Buffer.from(HEAD + FILE);
  const row = Buffer.from(chatRow('a', 'x'.repeat(MIB)));
  for (let i = 0; i < size; i += 1) yield row;
  yield Buffer.from('\r\n--limit--\r\n');
}

const STORES = [
  {
    id: 'bedrock',
    model: 'amazon.nova-lite-v1:0',
    start: startAws,
    settings: { aws_region: 'eu-west-1', aws_s3_bucket: 'files' },
    secret: { aws_access_key_id: 'AKIDSTORED', aws_secret_access_key: 'stored-secret-0123456789' },
  },
  {
    id: 'vertex-ai',
    model: 'gemini-2.5-flash',
    start: startGoogleCloud,
    settings: { vertex_region: 'us-central1', vertex_project_id: 'p1', vertex_storage_bucket_name: 'files' },
    secret: 'stored-token-0123456789',
  },
];

describe.for(STORES)('the bucket of $id', ({ id, model, start, settings, secret }) => {
  test(`gets rows of ${SIZE} MiB written anew in a fraction of their size`, { timeout: 240_000 }, async () => {
    await using store = await start({ forgets: true });
    await using world = await startWorld({
      entries: () => [provider('account', { provider: id, customHost: store.url, settings, secret })],
    });
    const upload = (size: number) =>
      send(`${world.url}/v1/files`, {
        method: 'POST',
        headers: {
          ...{ 'x-gw-api-key': KEY, 'x-gw-provider': '@account', 'x-gw-provider-model': model },
          'content-type': 'multipart/form-data; boundary=limit',
        },
        body: Readable.from(form(size), { objectMode: false }),
      });
    expect((await upload(FIRST_SIZE)).status).toBe(200);
    const memory = watchMemory();
    const uploaded = await upload(SIZE);
    expect([uploaded.status, uploaded.text]).toEqual([200, expect.any(String)]);
    expect(uploaded.json().bytes).toBeGreaterThan(SIZE * MIB);
    expect([...store.sizes.values()]).toEqual([expect.any(Number), uploaded.json().bytes]);
    expect(memory.growth()).toBeLessThan(ROOM);
  });
});
