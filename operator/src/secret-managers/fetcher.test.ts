import { err, ok, type Result } from '@gatehouse/crds';
import { expect, test } from 'vitest';
import type { FetchProblem, ManagedValue, SecretFetch } from '../translate/index.ts';
import { createSecretFetcher, type Fetched } from './fetcher.ts';

type Answer = Result<ManagedValue, FetchProblem>;

const text = (value: string): Answer => ok({ kind: 'text', text: value });

const secretFetch = (key: string, more: Partial<SecretFetch> = {}): SecretFetch => ({
  ...{ key, share: key.split('/')[0] ?? '', target: `target of ${key}`, spec: { manager: 'Vault', path: 'a' } },
  ...{ credentials: {}, reach: 'public', refreshSeconds: 100 },
  ...more,
});

/** A fetcher whose time stands still until it is moved, and whose calls the test answers. */
function startFetcher() {
  let nowMs = 0;
  const timers = new Set<{ readonly atMs: number; readonly run: () => void }>();
  const calls: {
    readonly fetch: SecretFetch;
    readonly signal: AbortSignal;
    readonly answer: (answer: Answer) => void;
  }[] = [];
  const fetched: Fetched[] = [];
  const changes: string[] = [];
  const fetcher = createSecretFetcher({
    fetchSecret: (fetch, signal) => {
      const { promise, resolve } = Promise.withResolvers<Answer>();
      calls.push({ fetch, signal, answer: resolve });
      signal.addEventListener('abort', () => resolve(err('Unreachable')), { once: true });
      return promise;
    },
    onFetched: (_, one) => fetched.push(one),
    schedule: (delayMs, run) => {
      const timer = { atMs: nowMs + delayMs, run };
      timers.add(timer);
      return { [Symbol.dispose]: () => timers.delete(timer) };
    },
    nowMs: () => nowMs,
    random: () => 0.5,
  });
  fetcher.subscribe(({ key }) => changes.push(key));
  const stop = new AbortController();
  const ended = fetcher.run(stop.signal);
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return {
    fetcher,
    calls,
    fetched,
    changes,
    answerNext: async (answer: Answer) => {
      calls.shift()?.answer(answer);
      await settle();
    },
    pass: async (ms: number) => {
      nowMs += ms;
      for (const timer of [...timers]) if (timer.atMs <= nowMs && timers.delete(timer)) timer.run();
      await settle();
    },
    stop: async () => {
      stop.abort();
      await ended;
      await settle();
    },
    timers,
  };
}

test('fetches at once, again after the interval, and tells only changes', async () => {
  const { fetcher, calls, answerNext, pass, changes } = startFetcher();
  const fetch = secretFetch('a/x');
  fetcher.update([fetch]);
  expect(calls).toHaveLength(1);
  await answerNext(text('1'));
  const first = fetcher.get('a/x');
  expect(first).toEqual({ target: fetch.target, value: { kind: 'text', text: '1' }, problem: undefined });
  await pass(99_999);
  expect(calls).toHaveLength(0);
  await pass(1);
  await answerNext(text('1'));
  expect(fetcher.get('a/x')).toBe(first);
  await pass(100_000);
  await answerNext(text('2'));
  expect(fetcher.get('a/x')?.value).toEqual({ kind: 'text', text: '2' });
  expect(changes).toEqual(['a/x', 'a/x']);
});

test('keeps the last value while the manager is away, and asks sooner', async () => {
  const { fetcher, calls, answerNext, pass, fetched } = startFetcher();
  fetcher.update([secretFetch('a/x')]);
  await answerNext(text('1'));
  await pass(100_000);
  await answerNext(err('Failed'));
  expect(fetcher.get('a/x')).toMatchObject({ value: { text: '1' }, problem: 'Failed' });
  await pass(5_000);
  await answerNext(err('Failed'));
  await pass(5_000);
  expect(calls).toHaveLength(0);
  await pass(5_000);
  await answerNext(text('2'));
  expect(fetcher.get('a/x')).toMatchObject({ value: { text: '2' }, problem: undefined });
  expect(fetched.map(({ outcome, isNews }) => [outcome, isNews])).toEqual([
    ['ok', false],
    ['failed', true],
    ['failed', false],
    ['ok', true],
  ]);
});

test('a value of another target is not kept', async () => {
  const { fetcher, answerNext, pass } = startFetcher();
  fetcher.update([secretFetch('a/x')]);
  await answerNext(text('1'));
  fetcher.update([secretFetch('a/x', { target: 'other' })]);
  await pass(2_000);
  await answerNext(err('Denied'));
  expect(fetcher.get('a/x')).toEqual({ target: 'other', value: undefined, problem: 'Denied' });
});

test('new credentials are used soon, and the value stays until then', async () => {
  const { fetcher, calls, answerNext, pass } = startFetcher();
  fetcher.update([secretFetch('a/x')]);
  await answerNext(text('1'));
  fetcher.update([secretFetch('a/x', { credentials: { token: '2' } })]);
  expect(calls).toHaveLength(0);
  await pass(2_000);
  expect(calls[0]?.fetch.credentials).toEqual({ token: '2' });
  expect(fetcher.get('a/x')).toMatchObject({ value: { text: '1' } });
  await answerNext(text('2'));
  expect(fetcher.get('a/x')).toMatchObject({ value: { text: '2' } });
});

test('an edit ends the call that is under way, and its answer does not count', async () => {
  const { fetcher, calls, answerNext, pass } = startFetcher();
  fetcher.update([secretFetch('a/x')]);
  const [first] = calls;
  fetcher.update([secretFetch('a/x', { target: 'other' })]);
  expect(first?.signal.aborted).toBe(true);
  calls.shift();
  await pass(2_000);
  expect(fetcher.get('a/x')).toBeUndefined();
  await answerNext(text('2'));
  expect(fetcher.get('a/x')).toMatchObject({ target: 'other', value: { text: '2' } });
});

test('what is not wanted any more is forgotten', async () => {
  const { fetcher, calls, answerNext, changes } = startFetcher();
  fetcher.update([secretFetch('a/x'), secretFetch('b/y')]);
  await answerNext(text('1'));
  const [second] = calls;
  fetcher.update([]);
  expect(fetcher.get('a/x')).toBeUndefined();
  expect(second?.signal.aborted).toBe(true);
  expect(changes).toEqual(['a/x', 'a/x']);
  await answerNext(text('late'));
  expect(fetcher.objects.size).toBe(0);
});

test('one share does not take the calls of others', async () => {
  const { fetcher, calls, answerNext } = startFetcher();
  const many = Array.from({ length: 50 }, (_, i) => secretFetch(`a/${i}`));
  fetcher.update([...many, secretFetch('b/y')]);
  expect(calls.map(({ fetch }) => fetch.key)).toEqual(['a/0', 'a/1', 'b/y']);
  await answerNext(text('1'));
  expect(calls.map(({ fetch }) => fetch.key)).toEqual(['a/1', 'b/y', 'a/2']);
});

test('the end ends all calls and timers', async () => {
  const { fetcher, calls, answerNext, stop, timers } = startFetcher();
  fetcher.update([secretFetch('a/x'), secretFetch('a/y')]);
  await answerNext(text('1'));
  await stop();
  expect(calls.every(({ signal }) => signal.aborted)).toBe(true);
  expect(timers.size).toBe(0);
});
