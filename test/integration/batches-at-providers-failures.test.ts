/** Batches of the gateway's own at a provider that fails, or whose answers get lost: docs/behaviour/managed-batches.md#batches-of-a-provider. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type BatchVendor, startBatchVendor } from '../kit/batch-vendor.ts';
import { startWorld, type World } from '../kit/gateway.ts';
import { chatRow, type Managed, managedBy } from '../kit/managed-batches.ts';
import { config, type Entries, key, provider, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const TIMING = {
  ...{ lookMs: 20, firstWaitMs: 20, maxWaitMs: 50, failedWaitMs: 50 },
  ...{ pollMs: 20, maxPollMs: 50, settleMs: 200, renewMs: 100, leaseMs: 1_000 },
} as const;
const ROWS = [0, 1, 2].map((i) => chatRow(`row-${i}`, `number ${i}`)).join('');
const OTHER = 'gwk_test_other_0123456789abcdef0123456789';
const OPENAI = { 'x-gw-provider': '@openai' };

interface Running extends AsyncDisposable {
  readonly world: World;
  readonly managed: Managed;
  readonly account: Entries;
  /** A batch with the rows, at the provider or, `isCreated` false, on the way there. */
  begin(options?: Begin): Promise<{ readonly id: string; readonly file: string }>;
}

interface Begin {
  readonly headers?: Readonly<Record<string, string>>;
  readonly isCreated?: boolean;
}

async function start(vendor: BatchVendor, more: Entries = []): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-at-providers-'));
  const env = { GATEHOUSE_BATCH_DIR: folder };
  const account = provider('openai', { customHost: vendor.url, secret: 'sk-openai-secret' });
  const world = await startWorld({ entries: () => [account, ...more], env, batchTiming: TIMING });
  const managed = managedBy(world);
  return {
    ...{ world, managed, account: [account] },
    begin: async ({ headers = OPENAI, isCreated = true } = {}) => {
      const file = await managed.upload(ROWS);
      const { id } = await managed.create({ input_file_id: file.id, gw_options: headers });
      const isThere = async () => {
        const { text } = await world.send(`/v1/batches/${id}?include_provider_details=true`);
        return typeof JSON.parse(text).provider_details.batch_id === 'string';
      };
      if (isCreated) await waitFor(isThere, { what: 'the batch of the provider' });
      return { id, file: file.id };
    },
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const callsOf = (vendor: BatchVendor, call: string): number => vendor.calls.filter((each) => each === call).length;
const complete = (vendor: BatchVendor): void => {
  for (const batch of vendor.batches) batch.status = 'completed';
};

test('a config that tries again does not create a second batch', async () => {
  await using vendor = await startBatchVendor();
  vendor.fails = (call) => (call === 'POST /v1/batches' && vendor.batches.length < 2 ? 500 : undefined);
  const saved = config('saved', { provider: '@openai', retry: { attempts: 3 } });
  await using running = await start(vendor, [saved]);
  const { id } = await running.begin({ headers: { 'x-gw-config': 'saved' } });
  complete(vendor);
  expect(await running.managed.ended(id)).toMatchObject({ status: 'completed', request_counts: { completed: 3 } });
  expect(vendor.batches).toHaveLength(1);
});

test('the results of a batch whose input is gone are not called complete', async () => {
  await using vendor = await startBatchVendor();
  await using running = await start(vendor);
  const { id, file } = await running.begin();
  await running.world.send(`/v1/files/${file}`, { method: 'DELETE' });
  complete(vendor);
  const errors = { data: [{ code: 'input_file_missing' }] };
  expect(await running.managed.ended(id)).toMatchObject({ status: 'failed', errors, request_counts: { failed: 3 } });
});

test('a batch whose key is gone is cancelled also where the provider fails for a while', async () => {
  await using vendor = await startBatchVendor();
  let fails = 2;
  vendor.fails = (call) => (call.endsWith('/cancel') && fails-- > 0 ? 503 : undefined);
  vendor.keepsRunning = true;
  await using running = await start(vendor);
  const { id } = await running.begin();
  await running.world.load([workspace()], ...running.account);
  await waitFor(() => callsOf(vendor, 'POST /v1/batches/batch_1/cancel') >= 3, { what: 'the third try' });
  await running.world.load([workspace(), key()], ...running.account);
  const errors = { data: [{ code: 'key_revoked' }] };
  expect(await running.managed.ended(id)).toMatchObject({ status: 'failed', errors });
  expect(vendor.deleted).toHaveLength(1);
});

test('a batch is cancelled at the provider also where the budget of its key has nothing left', async () => {
  await using vendor = await startBatchVendor();
  const limited = key({ usageLimits: [{ name: 'all', type: 'requests', limit: 2 }] });
  const other = key({ name: 'other', secret: OTHER });
  await using running = await start(vendor, [limited, other]);
  const { id } = await running.begin();
  const body = { model: '@openai/gpt-4o', messages: [{ role: 'user', content: 'x' }] };
  const spend = async () => (await running.world.send('/v1/chat/completions', { method: 'POST', body })).status;
  await waitFor(async () => (await spend()) === 412, { what: 'an empty budget' });
  const headers = { 'x-gw-api-key': OTHER };
  expect((await running.world.send(`/v1/batches/${id}/cancel`, { method: 'POST', headers })).status).toBe(200);
  expect(await running.managed.ended(id)).toMatchObject({ status: 'cancelled' });
});

test('an upload is deleted where its batch was refused', async () => {
  await using vendor = await startBatchVendor();
  vendor.creates = 'refused';
  await using running = await start(vendor);
  const { id } = await running.begin({ isCreated: false });
  expect(await running.managed.ended(id)).toMatchObject({ status: 'completed', request_counts: { completed: 3 } });
  expect(vendor.deleted).toHaveLength(1);
});
