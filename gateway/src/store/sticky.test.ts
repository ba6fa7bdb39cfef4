import { describe, expect, test } from 'vitest';
import { createMemoryStateStore } from './memory/index.ts';
import type { StateStore } from './state.ts';
import { createStickySessions } from './sticky.ts';
import { createStoreBreaker } from './store-breaker.ts';

const KEY = 'sticky:loadbalance:7:abc';

/** Two gateways over one store, with one clock. */
function start(over: Partial<StateStore> = {}) {
  let time = 1_760_000_000_000;
  const now = () => time;
  const gets: string[] = [];
  const memory = createMemoryStateStore({ now });
  const get = (key: string) => {
    gets.push(key);
    return memory.get(key);
  };
  const states = { ...memory, get, ...over };
  const gateway = () =>
    createStickySessions({ states, storeBreaker: createStoreBreaker({ onError: () => {}, now }), now });
  return {
    memory,
    gets,
    one: gateway(),
    other: gateway(),
    elapse: (seconds: number) => {
      time += seconds * 1_000;
    },
  };
}

/** Keeps what is remembered, else draws the next of these. */
function drawing(...draws: number[]) {
  return (stored: number | undefined) => stored ?? draws.shift() ?? -1;
}

describe('a sticky session', () => {
  test('stays with its first choice, index 0 included, on every gateway', async () => {
    const { one, other } = start();
    expect(await one.choose(KEY, 300, drawing(0))).toBe(0);
    expect(await one.choose(KEY, 300, drawing(1))).toBe(0);
    expect(await other.choose(KEY, 300, drawing(1))).toBe(0);
  });

  test('is not shared with another session', async () => {
    const { one } = start();
    await one.choose(KEY, 300, drawing(0));
    expect(await one.choose(`${KEY}d`, 300, drawing(1))).toBe(1);
  });

  test('is answered from the process for 30 seconds', async () => {
    const { one, gets, elapse } = start();
    await one.choose(KEY, 300, drawing(0));
    for (let i = 0; i < 10; i += 1) await one.choose(KEY, 300, drawing(1));
    expect(gets).toHaveLength(1);
    elapse(31);
    expect(await one.choose(KEY, 300, drawing(1))).toBe(0);
    expect(gets).toHaveLength(2);
  });

  test('ends with its lifetime, which use does not extend, not even on a gateway that read it late', async () => {
    const { one, other, elapse } = start();
    await one.choose(KEY, 300, drawing(0));
    elapse(290);
    expect(await other.choose(KEY, 300, drawing(1))).toBe(0);
    elapse(11);
    expect(await other.choose(KEY, 300, drawing(1))).toBe(1);
    expect(await one.choose(KEY, 300, drawing(2))).toBe(1);
  });

  test('remembers the new choice when the old one is not usable', async () => {
    const { one, other } = start();
    await one.choose(KEY, 300, drawing(5));
    expect(await one.choose(KEY, 300, (stored) => (stored === 5 ? 2 : 9))).toBe(2);
    expect(await one.choose(KEY, 300, drawing(9))).toBe(2);
    expect(await other.choose(KEY, 300, drawing(9))).toBe(2);
  });

  test('ignores what it cannot read', async () => {
    const { one, memory } = start();
    await memory.set(KEY, 'nonsense', 300);
    expect(await one.choose(KEY, 300, drawing(1))).toBe(1);
  });

  test('is the same for requests that start together', async () => {
    const { one } = start();
    const draw = drawing(0, 1, 2, 3);
    expect(await Promise.all([1, 2, 3].map(() => one.choose(KEY, 300, draw)))).toEqual([0, 0, 0]);
  });

  test('goes on without its store', async () => {
    const boom = () => Promise.reject(new Error('boom'));
    const { one } = start({ get: boom, set: boom });
    expect(await one.choose(KEY, 300, drawing(1))).toBe(1);
    expect(await one.choose(KEY, 300, drawing(2))).toBe(1);
  });
});
