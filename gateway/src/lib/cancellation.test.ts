import { describe, expect, test, vi } from 'vitest';
import { Cancellation, cancelAfter, untilCancelled } from './cancellation.ts';
import { cancelledBy } from './testing.ts';

describe('a cancellation', () => {
  test('tells its tasks at once, in their order, and has its reason by then', () => {
    const cancellation = new Cancellation();
    const seen: unknown[] = [];
    cancellation.onCancel(() => seen.push(['first', cancellation.cancelled, cancellation.reason]));
    cancellation.onCancel(() => seen.push(['second', cancellation.cancelled, cancellation.reason]));
    expect([cancellation.cancelled, cancellation.reason]).toEqual([false, undefined]);
    cancellation.cancel('enough');
    expect(seen).toEqual([
      ['first', true, 'enough'],
      ['second', true, 'enough'],
    ]);
  });

  test('keeps its first reason and tells nobody twice', () => {
    const cancellation = new Cancellation();
    const task = vi.fn();
    cancellation.onCancel(task);
    cancellation.cancel('first');
    cancellation.cancel('second');
    expect(cancellation.reason).toBe('first');
    expect(task).toHaveBeenCalledTimes(1);
  });

  test('runs the other tasks when one of them throws, whose error is an uncaught one', () => {
    const later = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation(() => {});
    try {
      const cancellation = new Cancellation();
      const next = vi.fn();
      cancellation.onCancel(() => {
        throw new Error('of a task');
      });
      cancellation.onCancel(next);
      cancellation.cancel('enough');
      expect(next).toHaveBeenCalledTimes(1);
      expect(later.mock.calls[0]?.[0]).toThrow('of a task');
    } finally {
      later.mockRestore();
    }
  });

  test('runs a task at once that comes too late', () => {
    const task = vi.fn();
    cancelledBy('before').onCancel(task);
    expect(task).toHaveBeenCalledTimes(1);
  });

  test('forgets a task that was taken back, before it or by a task ahead of it', () => {
    const cancellation = new Cancellation();
    const [early, late, kept] = [vi.fn(), vi.fn(), vi.fn()];
    cancellation.onCancel(early);
    cancellation.onCancel(() => cancellation.offCancel(late));
    cancellation.onCancel(late);
    cancellation.onCancel(kept);
    cancellation.offCancel(early);
    cancellation.cancel('enough');
    expect([early, late, kept].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 1]);
  });

  test('knows nothing of a task that it never had', () => {
    const cancellation = new Cancellation();
    const task = vi.fn();
    cancellation.offCancel(task);
    cancellation.onCancel(task);
    cancellation.offCancel(() => {});
    cancellation.cancel('enough');
    expect(task).toHaveBeenCalledTimes(1);
  });

  test('of work without a request comes with its time', async () => {
    const signal = cancelAfter(1);
    await new Promise<void>((resolve) => {
      const alive = setTimeout(() => {}, 60_000); // the timer of the signal does not keep the process
      signal.onCancel(() => {
        clearTimeout(alive);
        resolve();
      });
    });
    expect(signal.reason).toEqual(new Error('It took longer than 1 ms'));
  });
});

describe('waiting until cancelled', () => {
  const held = () => {
    const tasks = new Set<() => void>();
    const signal = {
      cancelled: false,
      reason: undefined,
      onCancel: (task: () => void) => void tasks.add(task),
      offCancel: (task: () => void) => void tasks.delete(task),
    };
    return { tasks, signal };
  };

  test('gives the value or the error, and leaves no task behind', async () => {
    const { tasks, signal } = held();
    const [given, failed] = [
      untilCancelled(Promise.resolve(1), signal),
      untilCancelled(Promise.reject('boom'), signal),
    ];
    expect(tasks.size).toBe(2);
    expect(await given).toBe(1);
    await expect(failed).rejects.toBe('boom');
    expect(tasks.size).toBe(0);
  });

  test('ends with the reason, also when that was there before', async () => {
    const cancellation = new Cancellation();
    const waiting = untilCancelled(new Promise(() => {}), cancellation);
    cancellation.cancel('enough');
    await expect(waiting).rejects.toBe('enough');
    await expect(untilCancelled(new Promise(() => {}), cancelledBy('before'))).rejects.toBe('before');
    await expect(untilCancelled(Promise.resolve(1), cancelledBy('before'))).rejects.toBe('before');
  });

  test('takes an error that comes after the reason', async () => {
    const work = Promise.withResolvers<never>();
    await expect(untilCancelled(work.promise, cancelledBy('before'))).rejects.toBe('before');
    work.reject('late'); // no unhandled rejection
  });
});
