import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger, createMetrics } from '../telemetry/index.ts';
import { createRequestLog } from './create-request-log.ts';
import type { LogStore } from './log-store.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 0, 31);

function logWith(retentionMs: number | undefined, dropBefore: LogStore['dropBefore']) {
  const lines: string[] = [];
  const log = createRequestLog({
    store: {
      name: 'test',
      write: async () => undefined,
      isTemporary: () => true,
      dropBefore,
      close: async () => undefined,
    },
    maxBytes: 1_000,
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
