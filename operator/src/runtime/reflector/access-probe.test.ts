import { describe, expect, test } from 'vitest';
import { createTestClock, flush } from '../time/testing.ts';
import { createAccessProbe } from './access-probe.ts';
import { createNameAccess } from './name-access.ts';

type Answer = boolean | undefined | 'away';

function stage(answerFor: (key: string) => Answer) {
  const clock = createTestClock();
  const access = createNameAccess();
  const stop = new AbortController();
  const asked: string[] = [];
  const retried: string[] = [];
  const probe = createAccessProbe({
    isAllowed: async (key) => {
      asked.push(key);
      const answer = answerFor(key);
      if (answer === 'away') throw new Error('away');
      return answer;
    },
    byNamespace: access.byNamespace,
    retry: (namespace) => retried.push(namespace),
    deny: (key) => {
      access.put(key, 'denied');
      probe.note('team');
    },
    clock,
  });
  const ended = probe.run(stop.signal);
  return {
    access,
    asked,
    retried,
    probe,
    pass: async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 50) {
        await flush();
        clock.advance(50);
      }
      await flush();
    },
    deny: (namespace: string, count: number): void => {
      for (let i = 0; i < count; i += 1) access.put(`${namespace}/${i}`, 'denied');
      probe.note(namespace);
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended;
    },
  };
}

describe('the right to read', () => {
  test('is checked for one name of a namespace at a time, less and less often', async () => {
    await using world = stage(() => false);
    world.deny('team', 4_000);
    await world.pass(60_000);
    expect(world.asked.length).toBeGreaterThan(6);
    expect(world.asked.length).toBeLessThan(12);
    expect(new Set(world.asked).size, 'another name each time').toBe(world.asked.length);
    expect(world.retried).toEqual([]);
  });

  test('is noticed within ten seconds once it is granted', async () => {
    let granted = false;
    await using world = stage(() => granted);
    world.deny('team', 3);
    await world.pass(300_000);
    granted = true;
    await world.pass(10_100);
    expect(world.retried).toContain('team');
  });

  test('is noticed within two seconds of a hint, however long it was missing', async () => {
    let granted = false;
    await using world = stage(() => granted);
    world.deny('team', 3);
    world.access.put('team/watched', 'watched');
    await world.pass(300_000);
    granted = true;
    world.probe.recheck('team');
    await world.pass(2_100);
    expect(world.retried).toContain('team');
  });

  test('is checked at most once a second, however often a recheck is requested', async () => {
    await using world = stage(() => false);
    world.deny('team', 3);
    await world.pass(60_000);
    const before = world.asked.length;
    for (let i = 0; i < 50; i += 1) {
      world.probe.recheck('team');
      await world.pass(100);
    }
    expect(world.asked.length - before).toBeGreaterThan(3);
    expect(world.asked.length - before).toBeLessThan(7);
  });

  test('costs no more than twenty checks per second, however many namespaces lack it', async () => {
    await using world = stage(() => false);
    for (let i = 0; i < 500; i += 1) world.deny(`team-${i}`, 2);
    await world.pass(20_000);
    expect(world.asked.length).toBeLessThanOrEqual(401);
    expect(new Set(world.asked.map((key) => key.split('/')[0])).size).toBeGreaterThan(250);
  });

  test('is noticed to be withdrawn within minutes, one name after the other', async () => {
    await using world = stage(() => false);
    for (const name of ['a', 'b']) world.access.put(`team/${name}`, 'watched');
    world.probe.note('team');
    await world.pass(130_000);
    expect(world.access.deniedIn('team').size).toBeGreaterThan(0);
    await world.pass(30_000);
    expect(world.access.byNamespace.get('team')?.watched.size).toBe(0);
  });

  test.for<{ rule: string; answer: Answer; retries: boolean }>([
    { rule: 'is tried where the answer is unknown', answer: undefined, retries: true },
    { rule: 'is left as it was while the API server is away', answer: 'away', retries: false },
  ])('$rule', async ({ answer, retries }) => {
    await using world = stage(() => answer);
    world.deny('team', 2);
    await world.pass(30_000);
    expect(world.retried.length > 0).toBe(retries);
    expect(world.asked.length).toBeLessThan(40);
  });
});
