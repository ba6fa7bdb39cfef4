/** The SDK of OpenAI, unmodified, against files and batches of the gateway's own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { NotFoundError, toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { chatRow } from '../kit/managed-batches.ts';
import { KEY } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let folder: string;
let world: World;
let client: OpenAI;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-batches-'));
  world = await startWorld({ env: { GATEHOUSE_BATCH_DIR: folder, GATEHOUSE_BATCH_AT_PROVIDERS: 'false' } });
  const defaultHeaders = { 'x-gw-provider': 'gw' };
  client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: KEY, defaultHeaders, maxRetries: 0 });
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const upload = (rows: string) =>
  toFile(Buffer.from(rows), 'rows.jsonl').then((file) => client.files.create({ file, purpose: 'batch' }));

test('files are uploaded, listed over several parts, read and deleted', async () => {
  const created = [await upload(chatRow('a', '1')), await upload(chatRow('b', '2')), await upload(chatRow('c', '3'))];
  const listed: string[] = [];
  for await (const file of client.files.list({ limit: 2, purpose: 'batch' })) listed.push(file.id);
  expect(listed.toSorted()).toEqual(created.map(({ id }) => id).toSorted());
  for (const { id } of created) {
    expect((await client.files.retrieve(id)).filename).toBe('rows.jsonl');
    expect(await client.files.delete(id)).toEqual({ id, object: 'file', deleted: true });
    await expect(client.files.retrieve(id)).rejects.toBeInstanceOf(NotFoundError);
  }
});

test('a file expires when its client says so', async () => {
  const file = await toFile(Buffer.from(chatRow('a', '1')), 'rows.jsonl');
  const expires_after = { anchor: 'created_at', seconds: 7_200 } as const;
  const created = await client.files.create({ file, purpose: 'batch', expires_after });
  expect(created.expires_at).toBe(created.created_at + 7_200);
});

test('a batch is created, awaited and read', async () => {
  const rows = ['a', 'b', 'c'].map((id) => chatRow(id, `say ${id}`, '@openai/gpt-4o')).join('');
  const { id: input } = await upload(rows);
  const created = await client.batches.create({
    input_file_id: input,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
    metadata: { job: 'nightly' },
  });
  const batch = await waitFor(
    async () => {
      const read = await client.batches.retrieve(created.id);
      return read.status === 'completed' ? read : undefined;
    },
    { what: 'the end of the batch' },
  );
  expect(batch).toMatchObject({ metadata: { job: 'nightly' }, request_counts: { total: 3, completed: 3, failed: 0 } });
  const text = await (await client.files.content(batch.output_file_id ?? '')).text();
  const answers = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map(({ custom_id: id }) => id).toSorted()).toEqual(['a', 'b', 'c']);
  for (const { response } of answers) expect(response.body.choices[0].message.content).toEqual(expect.any(String));
  const ids: string[] = [];
  for await (const { id } of client.batches.list({ limit: 1 })) ids.push(id);
  expect(ids).toEqual([batch.id]);
});

test('a batch is cancelled', async () => {
  const rows = Array.from({ length: 300 }, (_, i) => chatRow(`row-${i}`, 'hi', '@openai/mock-delay-100')).join('');
  const { id: input } = await upload(rows);
  const endpoint = '/v1/chat/completions';
  const { id } = await client.batches.create({ input_file_id: input, endpoint, completion_window: '24h' });
  expect((await client.batches.cancel(id)).status).toBe('cancelling');
  await waitFor(async () => (await client.batches.retrieve(id)).status === 'cancelled', { what: 'the end' });
});
