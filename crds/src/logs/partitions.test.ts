import { expect, test } from 'vitest';
import { createPartition, dayOf, dayOfPartition, partitionName } from './partitions.ts';

const LATE = Date.UTC(2026, 0, 31, 23, 59, 59, 999);

test('a partition has one day of UTC', () => {
  expect(createPartition('logs', dayOf(LATE))).toBe(
    "create table if not exists gateway_logs.logs_20260131 partition of gateway_logs.logs for values from ('2026-01-31T00:00:00.000Z') to ('2026-02-01T00:00:00.000Z')",
  );
});

test('the day of a partition is told by its name', () => {
  expect(dayOfPartition(partitionName('log_minutes', dayOf(LATE)))).toBe(dayOf(LATE));
  expect(dayOfPartition('logs')).toBeUndefined();
  expect(dayOfPartition('logs_2026')).toBeUndefined();
});

test('days before 1970 begin at midnight, too', () => {
  expect(dayOf(-1)).toBe(-86_400_000);
  expect(dayOf(0)).toBe(0);
});
