/** Files and batches of a fleet: several gateways over one database and one bucket. */
import { startPostgres } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { startS3 } from '../../conformance/batches/s3-server.ts';
import { baseEntries, startGateway, startMock, startWorld } from '../../kit/gateway.ts';
import { chatRow, managedBy } from '../../kit/managed-batches.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { storesOf } from './batch-stores.ts';

const ROWS = 40;
const rows = Array.from({ length: ROWS }, (_, i) => chatRow(`row-${i}`, `number ${i}`, 'mock-delay-50')).join('');

test('a batch goes on at another gateway when the first one ends, and any of them shows it', async () => {
  await using server = await startPostgres();
  await using bucket = await startS3();
  const mock = await startMock();
  try {
    const env = storesOf(await server.database(), bucket);
    const entries = [baseEntries(mock)];
    await using idle = await startGateway({ entries, env: { ...env, GATEHOUSE_BATCH_ROWS_PER_PROCESS: '0' } });
    const managed = managedBy(idle);
    let id = '';
    {
      await using first = await startGateway({ entries, env });
      const input = await managed.upload(rows);
      id = (await managed.create({ input_file_id: input.id, gw_options: { 'x-gw-provider': '@openai' } })).id;
      await waitFor(() => mock.requests.length > 5, { what: 'some rows at the first gateway' });
      expect((await managedBy(first).read(id)).status).toBe('in_progress');
    }
    expect((await managed.read(id)).status).toBe('in_progress');
    await using _second = await startGateway({ entries, env });
    const batch = await managed.ended(id);
    expect(batch).toMatchObject({ status: 'completed', request_counts: { total: ROWS, completed: ROWS, failed: 0 } });
    const lines = await managed.lines(batch.output_file_id);
    expect(new Set(lines.map((line) => line['custom_id'])).size).toBe(ROWS);
    expect(lines).toHaveLength(ROWS);
    expect(bucket.uploads.size).toBe(0);
  } finally {
    await mock.close();
  }
});

test('while the bucket or the database is away, calls answer 503, and chats are served', async () => {
  await using server = await startPostgres();
  await using bucket = await startS3();
  await using world = await startWorld({ env: storesOf(await server.database(), bucket) });
  const managed = managedBy(world);
  const file = await managed.upload(chatRow('a', 'b'));
  bucket.stop();
  const refused = await managed.send({ purpose: 'batch', file: 'x' });
  expect([refused.status, refused.json()]).toMatchObject([503, { error: { code: 'batch_store_unavailable' } }]);
  expect((await world.send(`/v1/files/${file.id}/content`)).status).toBe(503);
  expect((await world.send(`/v1/files/${file.id}`)).status).toBe(200);
  await server.stop();
  expect((await world.send(`/v1/files/${file.id}`)).status).toBe(503);
  const chat = await world.send('/v1/chat/completions', {
    body: { model: '@openai/gpt-4o', messages: [{ role: 'user', content: 'hi' }] },
  });
  expect(chat.status).toBe(200);
});

test.for([
  { given: { GATEHOUSE_BATCH_DATABASE_URL: 'postgres://a:b@localhost/c' }, missing: 'stores.s3' },
  { given: { GATEHOUSE_BATCH_S3_BUCKET: 'b' }, missing: 'stores.postgres' },
])('a gateway with half of the stores names the other one: $missing', async ({ given, missing }) => {
  await using world = await startWorld({ env: given });
  const refused = await world.send('/v1/files', { headers: { 'x-gw-provider': 'gw' } });
  expect(refused.status).toBe(400);
  expect(refused.text).toContain(missing);
});
