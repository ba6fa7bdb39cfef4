import { expect, test, vi } from 'vitest';
import { createLasting, createLastingCredentials } from './lasting.ts';

const RENEW_MS = 300_000;

function world(lifeMs: number | undefined) {
  let nowMs = 1_000_000;
  let made = 0;
  let problem: Error | undefined;
  const find = vi.fn(async () => {
    if (problem !== undefined) throw problem;
    made += 1;
    return { name: made, endMs: lifeMs === undefined ? undefined : nowMs + lifeMs };
  });
  const get = createLasting<{ readonly name: number; readonly endMs: number | undefined }>({
    ...{ find, endOf: ({ endMs }) => endMs, now: () => nowMs, renewMs: RENEW_MS, marginMs: 60_000 },
  });
  return {
    find,
    pass: (ms: number) => {
      nowMs += ms;
    },
    fail: (error: Error | undefined) => {
      problem = error;
    },
    name: async () => (await get()).name,
  };
}

/** Look-ups beside a use have run when it is back. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a value is looked for once by all that wait for it', async () => {
  const { find, name } = world(undefined);
  expect(await Promise.all([name(), name(), name()])).toEqual([1, 1, 1]);
  expect(find).toHaveBeenCalledTimes(1);
});

test.for([
  { rule: 'when it is old', lifeMs: undefined, waitMs: RENEW_MS },
  { rule: 'before it ends', lifeMs: 200_000, waitMs: 140_000 },
])('$rule a newer one is looked for beside its use', async ({ lifeMs, waitMs }) => {
  const { pass, find, name } = world(lifeMs);
  await name();
  pass(waitMs - 1);
  expect(await name()).toBe(1);
  expect(find).toHaveBeenCalledTimes(1);
  pass(1);
  expect(await Promise.all([name(), name()])).toEqual([1, 1]);
  expect(find).toHaveBeenCalledTimes(2);
  await settled();
  expect(await name()).toBe(2);
});

test('while look-ups fail a value is used until its end, and tried again after a pause', async () => {
  const { pass, fail, find, name } = world(200_000);
  await name();
  fail(new Error('away'));
  pass(150_000);
  expect(await name()).toBe(1);
  await settled();
  expect(await name()).toBe(1);
  expect(find).toHaveBeenCalledTimes(2);
  pass(10_000);
  expect(await name()).toBe(1);
  await settled();
  expect(find).toHaveBeenCalledTimes(3);
  pass(40_000);
  await expect(name()).rejects.toThrow('away');
  fail(undefined);
  pass(1_000);
  expect(await name()).toBe(2);
});

test('without a value a failure is that of all who ask within a second', async () => {
  const { pass, fail, find, name } = world(undefined);
  fail(new Error('away'));
  await expect(Promise.all([name(), name()])).rejects.toThrow('away');
  pass(999);
  await expect(name()).rejects.toThrow('away');
  expect(find).toHaveBeenCalledTimes(1);
  pass(1);
  await expect(name()).rejects.toThrow('away');
  expect(find).toHaveBeenCalledTimes(2);
  fail(undefined);
  pass(-60_000);
  expect(await name()).toBe(1);
});

test('credentials are not used in their last five seconds, and found anew every five minutes', async () => {
  let nowMs = 1_000_000;
  const find = vi.fn(async () => ({ expiresAtMs: nowMs + 3_600_000 }));
  const get = createLastingCredentials({ find, now: () => nowMs });
  await get();
  nowMs += 299_999;
  await get();
  expect(find).toHaveBeenCalledTimes(1);
  nowMs += 1;
  find.mockRejectedValueOnce(new Error('away'));
  await get();
  await settled();
  expect(find).toHaveBeenCalledTimes(2);
  nowMs = 1_000_000 + 3_595_000;
  expect((await get()).expiresAtMs).toBe(nowMs + 3_600_000);
});

test('a look-up that fails before it waits for anything is made again later', async () => {
  const { find, name, pass } = world(undefined);
  find.mockImplementationOnce(() => {
    throw new Error('no address');
  });
  await expect(name()).rejects.toThrow('no address');
  pass(2_000);
  expect(await name()).toBe(1);
});
