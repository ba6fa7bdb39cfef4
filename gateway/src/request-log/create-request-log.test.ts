import { logRow } from '@gatehouse/test/kit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger, createMetrics } from '../telemetry/index.ts';
import { createRequestLog } from './create-request-log.ts';
import type { DocumentStore } from './documents/index.ts';
import type { LogStore } from './log-store.ts';
import type { LogFeedback, LogRecord } from './request-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 0, 31);

interface LogOptions {
  readonly maxBytes?: number;
  /** Of the lines of rows. */
  readonly character?: string;
  readonly write?: LogStore['write'];
  readonly writeFeedback?: LogStore['writeFeedback'];
  /** Of a store of documents. */
  readonly put?: DocumentStore['put'];
}

function logWith(
  retentionMs: number | undefined | (() => number | undefined),
  dropBefore: LogStore['dropBefore'],
  {
    maxBytes = 1_000,
    write = async () => undefined,
    put,
    writeFeedback = async () => undefined,
    character = 'x',
  }: LogOptions = {},
) {
  const lines: string[] = [];
  const metrics = createMetrics({ service: 'test', environment: 'test', runtime: false, bufferedBytes: () => 0 });
  const log = createRequestLog({
    store: {
      name: 'test',
      lineOf: () => character.repeat(1_200),
      ...{ write, writeFeedback },
      isTemporary: () => true,
      dropBefore,
      close: async () => undefined,
    },
    maxBytes,
    retentionMs: typeof retentionMs === 'function' ? retentionMs : () => retentionMs,
    documents: put && {
      store: { name: 'objects', put, isRefusal: () => false, dropBefore, close: async () => undefined },
      retentionDays: () => 0,
      ...{ format: 'v1', uploads: { failures: 5, pauseMs: 60_000, timeoutMs: 15_000 } },
    },
    metrics,
    logger: createLogger({ level: 'warn', service: 'test', destination: { write: (line) => lines.push(line) } }),
    now: () => NOW,
  });
  return { log, lines, metrics };
}

test('days are dropped after what is said now, and none while nothing is', async () => {
  const instants: number[] = [];
  let keptMs: number | undefined;
  logWith(
    () => keptMs,
    async (ms) => void instants.push(ms),
  );
  await vi.advanceTimersByTimeAsync(60_000);
  expect(instants).toEqual([]);
  keptMs = 90 * DAY_MS;
  await vi.advanceTimersByTimeAsync(3_600_000);
  keptMs = 7 * DAY_MS;
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(instants).toEqual([NOW - 90 * DAY_MS, NOW - 7 * DAY_MS]);
});

test('old days are dropped a minute after the start, then once an hour, until the end', async () => {
  const instants: number[] = [];
  const { log } = logWith(30 * DAY_MS, async (ms) => void instants.push(ms));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(instants).toEqual([NOW - 30 * DAY_MS]);
  await vi.advanceTimersByTimeAsync(2 * 3_600_000);
  expect(instants).toHaveLength(3);
  await log.close(0);
  await vi.advanceTimersByTimeAsync(5 * 3_600_000);
  expect(instants).toHaveLength(3);
});

test('days that cannot be dropped are a warning, and are tried again', async () => {
  let tries = 0;
  const { log, lines } = logWith(DAY_MS, async () => {
    tries += 1;
    throw new Error('away');
  });
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(tries).toBe(2);
  expect(lines).toHaveLength(2);
  await log.close(0);
});

test('what is kept for ever is never dropped', async () => {
  const dropBefore = vi.fn(async () => undefined);
  const { log } = logWith(undefined, dropBefore);
  await vi.advanceTimersByTimeAsync(DAY_MS);
  expect(dropBefore).not.toHaveBeenCalled();
  await log.close(0);
});

test('records that can be sent again take half of the room, and wait for those of requests', async () => {
  const never = new Promise<undefined>(() => undefined);
  const { log } = logWith(undefined, async () => undefined, { maxBytes: 10_000, write: () => never });
  const records = (count: number) => Array.from({ length: count }, () => ({ row: { url: '' } }) as LogRecord); // all that is looked at
  expect(log.admits(records(3))).toBe('now');
  expect(log.admits(records(4))).toBe('never');
  for (const record of records(2)) log.add(record);
  expect([log.admits(records(1)), log.admits(records(2))]).toEqual(['now', 'later']);
  const closed = log.close(0);
  await vi.advanceTimersByTimeAsync(0);
  await closed;
});

test.for([
  ['x', false],
  ['\u8a9e', true],
] as const)('lines of %j count as what they take in memory', async ([character, isBusy]) => {
  const never = new Promise<undefined>(() => undefined);
  const options = { maxBytes: 10_000, write: () => never, character };
  const { log } = logWith(undefined, async () => undefined, options);
  for (let i = 0; i < 2; i += 1) log.add({ row: logRow(), content: undefined });
  expect(log.isBusy()).toBe(isBusy);
  const closed = log.close(0);
  await vi.advanceTimersByTimeAsync(0);
  await closed;
});

test('documents that can be sent again take half of the room for documents, whatever waits in the queue', async () => {
  const put: DocumentStore['put'] = (_key, _bytes, { signal }) =>
    new Promise((_, reject) => signal.onCancel(() => reject(signal.reason)));
  const { log } = logWith(undefined, async () => undefined, { maxBytes: 100_000, put });
  const records = (...lengths: number[]): LogRecord[] =>
    lengths.map((length) => ({ row: logRow(), content: 'x'.repeat(length) }));
  expect([log.admits(records(49_500)), log.admits(records(48_000))]).toEqual(['never', 'now']);
  expect(log.admits(records(...Array(30).fill(700)))).toBe('never');
  for (const record of records(20_000, 20_000)) log.add(record);
  await vi.advanceTimersByTimeAsync(2_000); // the rows are written, the documents are not
  expect([log.admits(records(5_000)), log.admits(records(9_000)), log.isBusy()]).toEqual(['now', 'later', false]);
  for (const record of records(20_000)) log.add(record);
  const bare = { row: logRow(), content: undefined };
  expect([log.admits(records(1)), log.admits([bare]), log.isBusy()]).toEqual(['later', 'now', true]);
  const closed = log.close(0);
  await vi.advanceTimersByTimeAsync(0);
  await closed;
});

const feedback = (value: number): LogFeedback => ({
  ...{ id: `f-${value}`, workspace: 'team-a', trace_id: 't', value, weight: 1, metadata: { a: 'b' } },
  ...{ api_key: 'key/team-a/main', key_user: null, guardrail: 'no-cards', created_at: NOW },
});

test('feedback of guardrails is written in batches of its own, and is no matter of rows', async () => {
  const batches: (readonly number[])[] = [];
  const { log, metrics } = logWith(undefined, async () => undefined, {
    maxBytes: 64_000,
    writeFeedback: async ({ records }) => void batches.push(records.map(({ value }) => value)),
    write: async () => {
      throw new Error('rows are refused');
    },
  });
  log.addFeedback(feedback(1));
  log.addFeedback(feedback(2));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(batches).toEqual([[1, 2]]);
  expect(await metrics.text()).toMatch(/guardrail_feedback_written_total\S* 2\n/);
});

test('feedback that can be sent again takes half of the room for feedback', async () => {
  const { log } = logWith(undefined, async () => undefined, {
    maxBytes: 128_000,
    writeFeedback: () => new Promise<undefined>(() => undefined),
  });
  const some = (count: number): LogFeedback[] => Array.from({ length: count }, () => feedback(1));
  expect([log.admitsFeedback(some(5)), log.admitsFeedback(some(6))]).toEqual(['now', 'never']);
  for (const one of some(4)) log.addFeedback(one);
  expect([log.admitsFeedback(some(1)), log.admitsFeedback(some(2))]).toEqual(['now', 'later']);
  const closed = log.close(0);
  await vi.advanceTimersByTimeAsync(0);
  await closed;
});

test('feedback beyond a sixteenth of the room is dropped and counted while the store is away, and none waits at the end', async () => {
  const { log, metrics } = logWith(undefined, async () => undefined, {
    maxBytes: 64_000,
    writeFeedback: async () => {
      throw new Error('away');
    },
  });
  for (let i = 0; i < 100; i += 1) log.addFeedback(feedback(1));
  await vi.advanceTimersByTimeAsync(5_000);
  const text = await metrics.text();
  expect(text).toMatch(/guardrail_feedback_dropped_total\{[^}]*reason="queue_full"[^}]*\} 96\n/);
  expect(Number(/gatehouse_request_log_waiting_bytes\S* (\d+)/.exec(text)?.[1])).toBeLessThanOrEqual(4_000);
  const closing = log.close(10);
  await vi.advanceTimersByTimeAsync(100);
  await closing;
  expect(await metrics.text()).toMatch(/guardrail_feedback_dropped_total\{[^}]*reason="shutdown"[^}]*\} 4\n/);
});
