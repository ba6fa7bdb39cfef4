import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger, createMetrics } from '../telemetry/index.ts';
import { createRequestLog } from './create-request-log.ts';
import type { LogStore } from './log-store.ts';
import type { LogRecord } from './request-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 0, 31);

function logWith(
  retentionMs: number | undefined,
  dropBefore: LogStore['dropBefore'],
  { maxBytes = 1_000, write = async () => undefined }: { maxBytes?: number; write?: LogStore['write'] } = {},
) {
  const lines: string[] = [];
  const log = createRequestLog({
    store: {
      name: 'test',
      write,
      isTemporary: () => true,
      dropBefore,
      close: async () => undefined,
    },
    maxBytes,
    retentionMs,
    metrics: createMetrics({ service: 'test', environment: 'test', runtime: false, bufferedBytes: () => 0 }),
    logger: createLogger({ level: 'warn', service: 'test', destination: { write: (line) => lines.push(line) } }),
    now: () => NOW,
  });
  return { log, lines };
}

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
