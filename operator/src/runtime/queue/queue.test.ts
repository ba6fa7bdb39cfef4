import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTestClock } from '../time/testing.ts';
import { createDueHeap } from './due-heap.ts';
import { createFairLine } from './fair-line.ts';
import { createFifo } from './fifo.ts';
import { createQueue } from './queue.ts';
import { createQueueState, type Lane } from './queue-state.ts';

const key = fc.constantFrom('a/1', 'a/2', 'b/1', 'c/1', 'cluster');
const lane = fc.constantFrom<Lane>('fresh', 'listed');

describe('the rules of the queue', () => {
  const step = fc.record({
    what: fc.constantFrom('add', 'add', 'take', 'done', 'advance'),
    key,
    lane,
    ms: fc.nat(50),
  });

  /** The queue beside what it must not get wrong. */
  function createModel() {
    const state = createQueueState();
    const earliest = new Map<string, number>();
    const held: string[] = [];
    let nowMs = 0;
    const take = (): boolean => {
      const taken = state.take(nowMs);
      if (taken === undefined) return false;
      expect(held).not.toContain(taken.key);
      expect(earliest.get(taken.key)).toBeLessThanOrEqual(nowMs);
      expect(taken.waitedMs).toBeGreaterThanOrEqual(0);
      earliest.delete(taken.key);
      held.push(taken.key);
      return true;
    };
    const add = (name: string, dueMs: number, lane: Lane): void => {
      earliest.set(name, Math.min(dueMs, earliest.get(name) ?? dueMs));
      state.add(name, { dueMs, lane }, nowMs);
    };
    const steps: Record<string, (given: { key: string; lane: Lane; ms: number }) => void> = {
      add: (given) => add(given.key, nowMs + given.ms, given.lane),
      take,
      done: () => state.done(held.shift() ?? 'nobody', nowMs),
      advance: ({ ms }) => {
        nowMs += ms;
      },
    };
    const finish = (): void => {
      for (const name of held.splice(0)) state.done(name, nowMs);
      nowMs += 1_000;
      while (take());
    };
    return { state, earliest, steps, finish };
  }

  test('lose no key, hold none twice, and give none before its time', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (given) => {
        const { state, earliest, steps, finish } = createModel();
        for (const next of given) steps[next.what]?.(next);
        finish();
        expect([...earliest.keys()]).toEqual([]);
        expect(state.depth).toBe(0);
        expect(state.nextDueMs()).toBeUndefined();
      }),
    );
  });

  const order = (adds: readonly [string, Lane][]): string[] => {
    const state = createQueueState();
    for (const [name, lane] of adds) state.add(name, { dueMs: 0, lane }, 0);
    return adds.flatMap(() => state.take(0)?.key ?? []);
  };

  test.for<{ rule: string; adds: [string, Lane][]; want: string[] }>([
    {
      rule: 'let namespaces take turns, in order within each',
      adds: [
        ['a/1', 'fresh'],
        ['a/2', 'fresh'],
        ['a/3', 'fresh'],
        ['b/1', 'fresh'],
        ['c', 'fresh'],
      ],
      want: ['a/1', 'b/1', 'c', 'a/2', 'a/3'],
    },
    {
      rule: 'put what is fresh before what was listed',
      adds: [
        ['a/1', 'listed'],
        ['a/2', 'listed'],
        ['b/1', 'fresh'],
      ],
      want: ['b/1', 'a/1', 'a/2'],
    },
    {
      rule: 'move a listed key forward when something happens to it',
      adds: [
        ['a/1', 'listed'],
        ['a/2', 'listed'],
        ['a/2', 'fresh'],
      ],
      want: ['a/2', 'a/1'],
    },
    {
      rule: 'keep a fresh key where it is',
      adds: [
        ['a/1', 'fresh'],
        ['b/1', 'fresh'],
        ['a/1', 'listed'],
      ],
      want: ['a/1', 'b/1'],
    },
  ])('$rule', ({ adds, want }) => {
    expect(order(adds)).toEqual(want);
  });

  test('hold few outdated entries while a key is delayed again and again', () => {
    const state = createQueueState();
    for (let i = 0; i < 10_000; i += 1) state.add('a', { dueMs: 1_000_000 - i, lane: 'fresh' }, 0);
    expect(state.nextDueMs()).toBe(990_001);
    expect(state.take(990_001)?.key).toBe('a');
    expect(state.take(2_000_000)).toBeUndefined();
  });
});

describe('the parts of the queue', () => {
  test('a heap gives what it got, sorted by time', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100)), (times) => {
        const heap = createDueHeap<number>();
        for (const dueMs of times) heap.push(dueMs, dueMs);
        const given = times.map(() => heap.pop()?.item);
        expect(given).toEqual(times.toSorted((a, b) => a - b));
        expect(heap.pop()).toBeUndefined();
      }),
    );
  });

  test('a line of one namespace is first in, first out, as a Fifo is', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(), { nil: undefined })), (steps) => {
        const model: number[] = [];
        const fifo = createFifo<number>();
        for (const item of steps) {
          if (item === undefined) expect(fifo.shift()).toBe(model.shift());
          else {
            model.push(item);
            fifo.push(item);
          }
          expect(fifo.size).toBe(model.length);
        }
      }),
    );
  });

  test('a busy namespace delays the others by one key at most', () => {
    const line = createFairLine();
    for (let i = 0; i < 1_000; i += 1) line.push(`busy/${i}`);
    line.push('quiet/1');
    expect([line.shift(), line.shift()]).toEqual(['busy/0', 'quiet/1']);
  });
});

describe('the queue', () => {
  const start = () => {
    const clock = createTestClock();
    return { clock, queue: createQueue({ clock, random: () => 0.5 }), signal: new AbortController().signal };
  };

  test('gives a key to one waiting worker, and the next to another', async () => {
    const { queue, signal } = start();
    const first = queue.take(signal);
    const second = queue.take(signal);
    queue.add('a');
    queue.add('a');
    queue.add('b');
    expect([(await first).key, (await second).key]).toEqual(['a', 'b']);
    expect(queue.depth).toBe(0);
  });

  test('gives a key again that was added while it was held', async () => {
    const { queue, signal } = start();
    queue.add('a');
    const { key } = await queue.take(signal);
    queue.add('a');
    expect(queue.depth).toBe(0);
    queue.done(key);
    expect((await queue.take(signal)).key).toBe('a');
  });

  test('gives a delayed key when it is due, with a tenth of jitter, and early if asked again', async () => {
    const { clock, queue, signal } = start();
    queue.add('a', { afterMs: 1_000 });
    queue.add('b', { afterMs: 1_000 });
    queue.add('b');
    expect((await queue.take(signal)).key).toBe('b');
    const taken = queue.take(signal);
    expect(clock.nextDueMs()).toBe(1_050);
    clock.advance(1_050);
    expect((await taken).key).toBe('a');
  });

  test('doubles the delay of a key that fails, up to five minutes, until it is forgotten', () => {
    const { queue } = start();
    const delays = Array.from({ length: 11 }, () => queue.retry('a'));
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1_000));
    expect(queue.retry('b')).toBe(1_000);
    queue.forget('a');
    expect(queue.retry('a')).toBe(1_000);
  });

  test('drops aborted waits, and leaves no timer behind', async () => {
    const { clock, queue, signal } = start();
    const stop = new AbortController();
    queue.add('a', { afterMs: 10 });
    const waiting = queue.take(stop.signal);
    stop.abort(new Error('boom'));
    await expect(waiting).rejects.toThrow('boom');
    await expect(queue.take(stop.signal)).rejects.toThrow('boom');
    clock.advance(1_000);
    expect(clock.nextDueMs()).toBeUndefined();
    expect((await queue.take(signal)).key).toBe('a');
  });
});
