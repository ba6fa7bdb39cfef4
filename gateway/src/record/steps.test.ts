import { expect, test } from 'vitest';
import { AppError } from '../errors/index.ts';
import { StepLog } from './steps.ts';

const CACHE = { kind: 'cache', target: 'config' } as const;
const LIMITS = { kind: 'limits', target: undefined } as const;

test('work that waits and work that does not give what they give, and are remembered in their order', async () => {
  const log = new StepLog();
  expect(
    log.time(
      LIMITS,
      () => 1,
      () => ({}),
    ),
  ).toBe(1);
  expect(
    await log.time(
      CACHE,
      async () => 'HIT' as const,
      (cache) => ({ cache }),
    ),
  ).toBe('HIT');
  expect(log.facts).toMatchObject([
    { kind: 'limits', target: undefined, error: undefined },
    { kind: 'cache', target: 'config', cache: 'HIT', error: undefined },
  ]);
  expect(log.facts.every(({ durationMs, startedAtMs }) => durationMs >= 0 && startedAtMs > 1_700_000_000_000)).toBe(
    true,
  );
});

test('what work throws is thrown, and remembered', async () => {
  const log = new StepLog();
  const error = new AppError('LIMITS_UNAVAILABLE');
  const fail = (): number => {
    throw error;
  };
  const said = () => ({ refusedBy: 'a' });
  expect(() => log.time(LIMITS, fail, said)).toThrow(error);
  await expect(log.time(LIMITS, async () => fail(), said)).rejects.toBe(error);
  expect(log.facts).toMatchObject([
    { refusedBy: 'a', error },
    { refusedBy: 'a', error },
  ]);
});

test('a request has so many', () => {
  const log = new StepLog();
  const given = Array.from({ length: 100 }, (_, i) =>
    log.time(
      CACHE,
      () => i,
      () => ({}),
    ),
  );
  expect(given).toHaveLength(100);
  expect(log.facts).toHaveLength(64);
});
