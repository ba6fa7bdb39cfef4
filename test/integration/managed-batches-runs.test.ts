/** How batches of the gateway's own run: limits, budgets, cancellation, keys that end, restarts of the store's process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { baseEntries, startWorld, type World, type WorldOptions } from '../kit/gateway.ts';
import { chatRow, type Managed, managedBy } from '../kit/managed-batches.ts';
import { key } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

interface Running extends AsyncDisposable {
  readonly world: World;
  readonly managed: Managed;
}

async function start(options: WorldOptions = {}): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-batches-'));
  const world = await startWorld({
    ...options,
    env: { GATEHOUSE_BATCH_DIR: folder, GATEHOUSE_BATCH_AT_PROVIDERS: 'false', ...options.env },
  });
  return {
    world,
    managed: managedBy(world),
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const rows = (count: number, model?: string): string =>
  Array.from({ length: count }, (_, i) => chatRow(`row-${i}`, `number ${i}`, model)).join('');
const ids = (lines: readonly Readonly<Record<string, unknown>>[]) => lines.map((line) => line['custom_id']).toSorted();
const OPENAI = { 'x-gw-provider': '@openai' };

test('a row that a provider fails is asked for again, four times in all', async () => {
  await using running = await start();
  const { managed, world } = running;
  const batch = await managed.run(chatRow('broken', 'hi', 'mock-fail-503'));
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 1, completed: 0, failed: 1 } });
  expect(world.mock.requests.filter(({ path }) => path.endsWith('/chat/completions'))).toHaveLength(4);
  expect(await managed.lines(batch.error_file_id)).toMatchObject([
    { custom_id: 'broken', response: { status_code: 503 }, error: null },
  ]);
});

test('a rate limit of the key pauses the batch, and every row gets its answer', async () => {
  await using running = await start({
    entries: () => [key({ rateLimits: [{ type: 'requests', unit: 'rps', value: 3 }] })],
  });
  const { managed, world } = running;
  const { id } = await managed.upload(rows(10));
  const batch = await managed.ended((await managed.create({ input_file_id: id, gw_options: OPENAI })).id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 10, completed: 10, failed: 0 } });
  expect(world.mock.requests).toHaveLength(10);
  expect(world.logs.filter(({ error }) => error === 'KEY_RATE_LIMITED').length).toBeGreaterThan(0);
});

test('an empty budget is an error of the row where the batch is immediate', async () => {
  const budget = { name: 'calls', type: 'requests', limit: 3 } as const;
  await using running = await start({ entries: () => [key({ usageLimits: [budget] })] });
  const { managed } = running;
  const { id } = await managed.upload(rows(12));
  const created = await managed.create({ input_file_id: id, gw_options: OPENAI, completion_window: 'immediate' });
  const batch = await managed.ended(created.id);
  expect(batch.request_counts.failed).toBeGreaterThan(0);
  const errors = await managed.lines(batch.error_file_id);
  expect(errors.at(-1)).toMatchObject({ response: { status_code: 412 }, error: null });
});

test('a batch that is cancelled ends with a line for every row', async () => {
  await using running = await start({ env: { GATEHOUSE_BATCH_ROWS_AT_ONCE: '1' } });
  const { managed, world } = running;
  const { id: input } = await managed.upload(rows(200, 'mock-delay-50'));
  const { id } = await managed.create({ input_file_id: input, gw_options: OPENAI });
  await waitFor(() => world.mock.requests.length > 2, { what: 'some rows' });
  const asked = await world.send(`/v1/batches/${id}/cancel`, { method: 'POST' });
  expect(asked.json()).toMatchObject({ status: 'cancelling', cancelling_at: expect.any(Number) });
  const batch = await managed.ended(id);
  expect(batch).toMatchObject({ status: 'cancelled', cancelled_at: expect.any(Number) });
  const [good, bad] = [await managed.lines(batch.output_file_id), await managed.lines(batch.error_file_id)];
  expect(bad.length).toBeGreaterThan(100);
  expect(bad.at(-1)).toMatchObject({ response: null, error: { code: 'batch_cancelled' } });
  expect(ids([...good, ...bad])).toEqual(Array.from({ length: 200 }, (_, i) => `row-${i}`).toSorted());
  expect((await world.send(`/v1/batches/${id}/cancel`, { method: 'POST' })).status).toBe(400);
});

test('a key that is revoked ends its batch, and what was answered is kept', async () => {
  await using running = await start({ env: { GATEHOUSE_BATCH_ROWS_AT_ONCE: '1' } });
  const { managed, world } = running;
  const { mock } = world;
  const reader = key({ name: 'reader', secret: 'gwk_that_reads_the_end' });
  const { id: input } = await managed.upload(rows(200, 'mock-delay-50'));
  const { id } = await managed.create({ input_file_id: input, gw_options: OPENAI });
  await waitFor(() => mock.requests.length > 2, { what: 'some rows' });
  const own = key();
  await world.load([...baseEntries(mock).filter((entry) => entry.id !== own.id), reader]);
  const as = managedBy({
    send: (path, options = {}) =>
      world.send(path, { ...options, headers: { ...options.headers, 'x-gw-api-key': 'gwk_that_reads_the_end' } }),
  });
  const batch = await as.ended(id);
  expect(batch).toMatchObject({ status: 'failed', errors: { data: [{ code: 'key_revoked' }] } });
  const [good, bad] = [await as.lines(batch.output_file_id), await as.lines(batch.error_file_id)];
  expect(good.length).toBeGreaterThan(0);
  expect(bad.at(-1)).toMatchObject({ response: null, error: { code: 'key_revoked' } });
  expect(good.length + bad.length).toBe(200);
});

test('a gateway without a store says which one it lacks', async () => {
  await using world = await startWorld();
  const refused = await world.send('/v1/batches', { headers: { 'x-gw-provider': 'gw' } });
  expect([refused.status, refused.json()]).toMatchObject([400, { error: { code: 'feature_unsupported' } }]);
  expect(refused.text).toContain('GATEHOUSE_BATCH_DIR');
});
