import { describe, expect, test } from 'vitest';
import { createStoreBreaker } from './store-breaker.ts';

const boom = new Error('boom');

function start() {
  let time = 0;
  const errors: unknown[] = [];
  let calls = 0;
  const storeBreaker = createStoreBreaker({
    onError: (error) => errors.push(error),
    now: () => time,
    pauseMs: 1_000,
    maxFailures: 3,
  });
  const run = (task: () => Promise<string>) =>
    storeBreaker.attempt(() => {
      calls += 1;
      return task();
    });
  return {
    errors,
    calls: () => calls,
    elapse: (ms: number) => {
      time += ms;
    },
    succeed: () => run(async () => 'value'),
    fail: () => run(() => Promise.reject(boom)),
  };
}

describe('a store breaker', () => {
  test('passes values on', async () => {
    expect(await start().succeed()).toEqual({ ok: true, value: 'value' });
  });

  test('turns failures into values and reports each one', async () => {
    const { fail, errors } = start();
    expect(await fail()).toEqual({ ok: false, error: 'failed' });
    expect(errors).toEqual([boom]);
  });

  test('catches a task that throws before it awaits', async () => {
    const storeBreaker = createStoreBreaker({ onError: () => {} });
    const thrower = () => {
      throw boom;
    };
    expect(await storeBreaker.attempt(thrower)).toEqual({ ok: false, error: 'failed' });
  });

  test('skips tasks after three failures in a row, without reporting them', async () => {
    const { fail, succeed, calls, errors } = start();
    for (let i = 0; i < 3; i += 1) await fail();
    expect(await succeed()).toEqual({ ok: false, error: 'skipped' });
    expect([calls(), errors.length]).toEqual([3, 3]);
  });

  test('does not count failures that a success parts', async () => {
    const { fail, succeed } = start();
    for (let i = 0; i < 5; i += 1) {
      await fail();
      await fail();
      expect((await succeed()).ok).toBe(true);
    }
  });

  test('lets one task try after the pause: a failure starts the next pause', async () => {
    const { fail, calls, elapse } = start();
    for (let i = 0; i < 3; i += 1) await fail();
    elapse(1_000);
    await Promise.all([fail(), fail(), fail()]);
    expect(calls()).toBe(4);
    elapse(999);
    await fail();
    expect(calls()).toBe(4);
  });

  test('works again after one success', async () => {
    const { fail, succeed, calls, elapse } = start();
    for (let i = 0; i < 3; i += 1) await fail();
    elapse(1_000);
    expect((await succeed()).ok).toBe(true);
    await fail();
    expect((await succeed()).ok).toBe(true);
    expect(calls()).toBe(6);
  });
});
