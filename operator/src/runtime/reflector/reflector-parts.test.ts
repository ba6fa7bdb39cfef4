import { describe, expect, test } from 'vitest';
import { ApiError } from '../client/index.ts';
import { createConcurrencyLimit } from './concurrency-limit.ts';
import { canResume } from './feed.ts';

describe('after a failed watch', () => {
  const error = (status: number, reason = 'x'): ApiError => new ApiError({ status, reason, message: '' });
  test.for([
    { rule: 'a broken connection goes on', error: error(0, 'Unreachable'), want: true },
    { rule: 'a limit goes on', error: error(429), want: true },
    { rule: 'a failing server goes on', error: error(503), want: true },
    { rule: 'an expired version starts over', error: error(410, 'Expired'), want: false },
    { rule: 'a version of the future starts over', error: error(504, 'Timeout'), want: false },
    { rule: 'silence starts over', error: error(0, 'Timeout'), want: false },
    { rule: 'what cannot be read starts over', error: error(0, 'Undecodable'), want: false },
    { rule: 'a missing right starts over', error: error(403), want: false },
    { rule: 'an internal error starts over', error: new Error('boom'), want: false },
  ])('$rule', ({ error, want }) => {
    expect(canResume(error)).toBe(want);
  });
});

describe('a concurrency limit', () => {
  const { signal } = new AbortController();

  test('runs as many tasks as allowed at a time, in order, also when tasks fail', async () => {
    const gate = createConcurrencyLimit(2)('a');
    const started: number[] = [];
    const ends = Array.from({ length: 4 }, () => Promise.withResolvers<number>());
    const runs = ends.map(({ promise }, i) =>
      gate(signal, () => {
        started.push(i);
        return promise;
      }),
    );
    await Promise.resolve();
    expect(started).toEqual([0, 1]);
    ends[1]?.reject(new Error('boom'));
    await expect(runs[1]).rejects.toThrow('boom');
    expect(started).toEqual([0, 1, 2]);
    for (const end of ends) end.resolve(1);
    await Promise.allSettled(runs);
    expect(started).toEqual([0, 1, 2, 3]);
  });

  test('serves lines in turn, however long one of them is', async () => {
    const gateOf = createConcurrencyLimit(1);
    const entered: string[] = [];
    const end = Promise.withResolvers<void>();
    const first = gateOf('long')(signal, () => end.promise);
    const runs = ['long 1', 'long 2', 'long 3', 'short 1', 'short 2', 'late 1'].map((name) =>
      gateOf(name.split(' ')[0] ?? '')(signal, async () => {
        entered.push(name);
      }),
    );
    end.resolve();
    await Promise.all([first, ...runs]);
    expect(entered).toEqual(['long 1', 'short 1', 'late 1', 'long 2', 'short 2', 'long 3']);
  });

  test('drops aborted waits', async () => {
    const gate = createConcurrencyLimit(1)('a');
    const end = Promise.withResolvers<void>();
    const first = gate(signal, () => end.promise);
    const stop = new AbortController();
    const second = gate(stop.signal, () => Promise.resolve());
    stop.abort(new Error('boom'));
    await expect(second).rejects.toThrow('boom');
    end.resolve();
    await first;
    await expect(gate(signal, () => Promise.resolve('in'))).resolves.toBe('in');
    await expect(gate(stop.signal, () => Promise.resolve('in'))).rejects.toThrow('boom');
  });
});
