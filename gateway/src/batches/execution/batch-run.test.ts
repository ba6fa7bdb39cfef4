import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createByteBudget } from '../../lib/byte-budget.ts';
import { Cancellation } from '../../lib/cancellation.ts';
import { DEFAULT_JSON_LIMITS } from '../../lib/json/index.ts';
import { newId } from '../../lib/random.ts';
import { createObjectFolder } from '../../object-storage/index.ts';
import { objectKey } from '../api/files.ts';
import { createJobFolder } from '../folder/job-folder.ts';
import type { BatchOrder, StoredBatch } from '../records.ts';
import { type RunPorts, runBatch } from './batch-run.ts';
import type { CallRow, RowResult } from './row-call.ts';
import { createSlots } from './slots.ts';

const NOW = Date.UTC(2027, 0, 1);
const SETTINGS = {
  ...{ maxFileBytes: 1e6, maxFiles: 100, maxRows: 100, maxRowBytes: 10_000, maxOpenBatches: 10, retentionMs: 1e9 },
  ...{ rowsPerBatch: 2, rowsPerProcess: 4, atProviders: false },
};
const TIMING = {
  renewMs: 1_000_000,
  leaseMs: 10_000_000,
  retryMs: 1,
  maxPauseMs: 5,
  ...{ pollMs: 1, maxPollMs: 1, settleMs: 1, readMs: 1_000 },
};
/** No batch is at a provider. */
const NEVER_ASKED = undefined as unknown as RunPorts['atProvider'];
const ROWS = 10;

const GOOD: RowResult = {
  ...{ kind: 'answered', status: 200, requestId: 'r', body: '{"ok":true}' },
  ...{ code: undefined, retryAfterMs: undefined },
};

let folder: string;
let nowMs: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-run-'));
  nowMs = NOW;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const rowOf = (id: string): string =>
  `${JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/embeddings', body: { input: id } })}\n`;

async function prepare(window: BatchOrder['completionWindow'] = '24h') {
  const objects = createObjectFolder(join(folder, 'objects'));
  const jobs = createJobFolder(join(folder, 'jobs'));
  const order: BatchOrder = {
    id: newId('gw_batch_', 32),
    workspace: 'team',
    keyId: 'key',
    endpoint: '/v1/embeddings',
    inputFileId: newId('gw_file_', 32),
    completionWindow: window,
    metadata: null,
    headers: {},
    createdAt: NOW,
    expiresAt: NOW + 1_000,
    outputLifetimeMs: 1_000,
  };
  async function* rows(): AsyncGenerator<Buffer> {
    for (let i = 0; i < ROWS; i += 1) yield Buffer.from(rowOf(`row-${i}`));
  }
  const key = objectKey({ workspace: 'team', id: order.inputFileId });
  await objects.put(key, rows(), { signal: new Cancellation() });
  await jobs.addBatch(order, 10);
  const claim = () => jobs.claim({ nowMs, leaseMs: TIMING.leaseMs });
  const run = async (call: CallRow, handOver = new Cancellation()): Promise<StoredBatch | undefined> => {
    const lease = await claim();
    if (lease === undefined) throw new Error('the batch is not free');
    const ports = {
      atProvider: NEVER_ASKED,
      ...{ settings: SETTINGS, objects, jobs, json: DEFAULT_JSON_LIMITS, timing: TIMING, slots: createSlots(4), call },
      openMemory: () => createByteBudget(1e9).open(),
      now: () => nowMs,
    };
    await runBatch(lease, ports, handOver);
    return await jobs.batch('team', order.id);
  };
  const linesOf = async (id: string | null | undefined): Promise<readonly { custom_id: string; error: unknown }[]> => {
    const content = await objects.get(objectKey({ workspace: 'team', id: id ?? '' }));
    let text = '';
    for await (const piece of content ?? []) text += String(piece);
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  return { run, linesOf, objects, key };
}

describe('a batch', () => {
  test('expires when its window is over, with a line for every row', async () => {
    const { run, linesOf } = await prepare();
    let asked = 0;
    const batch = await run(async () => {
      asked += 1;
      if (asked === 4) nowMs = NOW + 1_000;
      return GOOD;
    });
    expect(batch?.progress).toMatchObject({ status: 'expired', total: ROWS, completed: asked, failed: ROWS - asked });
    const [good, bad] = [await linesOf(batch?.progress.outputFileId), await linesOf(batch?.progress.errorFileId)];
    expect(bad.every(({ error }) => (error as { code: string }).code === 'batch_expired')).toBe(true);
    const ids = [...good, ...bad].map((line) => line.custom_id);
    expect(ids.toSorted()).toEqual(Array.from({ length: ROWS }, (_, i) => `row-${i}`).toSorted());
  });

  test.for([
    { rule: 'a call is interrupted', interrupt: true },
    { rule: 'it is handed over', interrupt: false },
  ])('is given back where $rule, and goes on from there', async ({ interrupt }) => {
    const { run } = await prepare();
    const handOver = new Cancellation();
    let asked = 0;
    const cut = await run(async () => {
      asked += 1;
      if (asked < 5) return GOOD;
      if (!interrupt) handOver.cancel(undefined);
      return interrupt ? { kind: 'interrupted' } : GOOD;
    }, handOver);
    expect(cut?.progress.status).toBe('in_progress');
    const before = asked;
    const batch = await run(async () => {
      asked += 1;
      return GOOD;
    });
    expect(batch?.progress).toMatchObject({ status: 'completed', completed: ROWS, failed: 0 });
    expect(asked - before).toBeLessThan(ROWS);
  });

  test('waits for room with 24h, one row at a time, and every row gets its answer', async () => {
    const { run } = await prepare();
    let refused = 0;
    let atOnce = 0;
    let most = 0;
    const batch = await run(async () => {
      atOnce += 1;
      most = Math.max(most, refused > 2 && refused < 8 ? atOnce : 0);
      await Promise.resolve();
      atOnce -= 1;
      if (refused >= 8) return GOOD;
      refused += 1;
      nowMs += 10;
      return { ...GOOD, status: 412, code: 'KEY_BUDGET_EXHAUSTED' };
    });
    expect(batch?.progress).toMatchObject({ status: 'completed', completed: ROWS });
    expect(most).toBe(1);
  });

  test('fails where its input is gone', async () => {
    const { run, objects, key } = await prepare();
    await objects.delete(key);
    const batch = await run(async () => GOOD);
    expect(batch?.progress).toMatchObject({ status: 'failed', problems: [{ code: 'input_file_missing' }] });
  });

  test('is not ended by an error of its own, which is reported', async () => {
    const { run } = await prepare();
    await expect(run(() => Promise.reject(new Error('boom')))).rejects.toThrow('boom');
  });
});
