/** A managed batch whose gateway is killed: docs/behaviour/managed-batches.md#restarts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startBatchVendor } from '../kit/batch-vendor.ts';
import { type SendOptions, send } from '../kit/http.ts';
import { chatRow, managedBy } from '../kit/managed-batches.ts';
import { type RawUpstream, startRawUpstream } from '../kit/raw-upstream.ts';
import { KEY, key, provider, snapshot, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';
import type { StartedWith } from './suites/followed-process.ts';

const PROCESS = fileURLToPath(new URL('./suites/followed-process.ts', import.meta.url));
const ROWS = 200;
/** Rows that are answered before the provider answers none. */
const BEFORE = 60;

let folder: string;
let upstream: RawUpstream;
const children: ChildProcess[] = [];
let isOpen = false;
let answered = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-batches-'));
  upstream = await startRawUpstream(async ({ request, answer }) => {
    const { messages } = JSON.parse((await request.body).toString());
    if (!isOpen && answered >= BEFORE) return; // whoever asks is killed
    answered += 1;
    const choices = [{ index: 0, message: { role: 'assistant', content: messages[0].content }, finish_reason: 'stop' }];
    await answer(200, JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'gpt-4o', choices }), {
      'content-type': 'application/json',
    });
  });
});
// All share the folder: one that is left over would work on the batch of the next test.
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
});
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function start({ customHost = `${upstream.url}/v1`, ...env }: Readonly<Record<string, string>> = {}) {
  const entries = [workspace(), key(), ...provider('openai', { customHost })];
  const given: StartedWith = { env: { GATEHOUSE_BATCH_DIR: folder, ...env }, snapshot: snapshot(entries) };
  const args = ['--conditions=@gatehouse/source', PROCESS, JSON.stringify(given)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const [port] = await once(createInterface(child.stdout), 'line');
  const managed = managedBy({
    send: (path: string, options: SendOptions = {}) =>
      send(`http://127.0.0.1:${port}${path}`, { ...options, headers: { 'x-gw-api-key': KEY, ...options.headers } }),
  });
  return { child, managed };
}

/** Rows are not those of a provider's batch. */
const OWN = { GATEHOUSE_BATCH_AT_PROVIDERS: 'false' };

test('every row has one answer, and none that was kept is asked for again', async () => {
  const first = await start(OWN);
  const rows = Array.from({ length: ROWS }, (_, i) => chatRow(`row-${i}`, `number ${i}`));
  const file = await first.managed.upload(rows.join(''));
  const options = { input_file_id: file.id, gw_options: { 'x-gw-provider': '@openai' } };
  const { id } = await first.managed.create(options);
  await waitFor(() => upstream.requests.length > BEFORE, { what: 'rows that nobody answers' });
  const { completed } = await waitFor(
    async () => {
      const { request_counts: counts } = await first.managed.read(id);
      return counts.completed > 0 ? counts : undefined;
    },
    { what: 'rows that are counted while the batch runs' },
  );
  expect(completed).toBeLessThanOrEqual(BEFORE);
  await kill(first.child);
  isOpen = true;

  const second = await start(OWN);
  const batch = await second.managed.ended(id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: ROWS, completed: ROWS, failed: 0 } });
  const lines = await second.managed.lines(batch.output_file_id);
  const told = lines.map((line) => [line['custom_id'], JSON.stringify(line['response'])] as const);
  expect(new Map(told).size).toBe(ROWS);
  expect(told).toHaveLength(ROWS);
  for (const [customId, response] of told) expect(response).toContain(`number ${String(customId).slice(4)}"`);
  expect(answered).toBeLessThanOrEqual(ROWS + BEFORE - completed);
});

const FEW = 20;

test('a provider gets one batch, also where nobody lived to hear of it', async () => {
  await using vendor = await startBatchVendor();
  const gate = Promise.withResolvers<void>();
  vendor.gate = gate.promise;
  const first = await start({ customHost: vendor.url });
  const rows = Array.from({ length: FEW }, (_, i) => chatRow(`row-${i}`, `number ${i}`));
  const file = await first.managed.upload(rows.join(''));
  const { id } = await first.managed.create({ input_file_id: file.id, gw_options: { 'x-gw-provider': '@openai' } });
  const atVendor = await waitFor(() => vendor.batches[0], { what: 'the batch of the vendor' });
  await kill(first.child);
  gate.resolve();

  const second = await start({ customHost: vendor.url });
  await waitFor(async () => (await second.managed.read(id)).status === 'in_progress', { what: 'a look at the batch' });
  atVendor.status = 'completed';
  const batch = await second.managed.ended(id);
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: FEW, completed: FEW, failed: 0 } });
  const lines = await second.managed.lines(batch.output_file_id);
  expect(new Set(lines.map((line) => line['custom_id'])).size).toBe(FEW);
  expect([vendor.batches.length, vendor.created.length]).toEqual([1, 1]);
});
