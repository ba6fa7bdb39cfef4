/** The time that checks have, and what ends them. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Cancellation, type CancelSignal } from '../../lib/cancellation.ts';
import { MAX_CHECKED_CHARS } from '../extract/index.ts';
import { toolsOf } from '../testing.ts';
import { type CompiledHook, runHooks, watchHooks } from './index.ts';
import { factsOf, hookOf, PASS, replaces, type TestCheck } from './testing.ts';

const never = new Promise<never>(() => {});
const SILENT: TestCheck = { run: () => never, entry: { callsOut: true } };

/** A check that shows its signal. */
function listening(over: Partial<TestCheck> = {}): { check: TestCheck; signal: () => CancelSignal | undefined } {
  let seen: CancelSignal | undefined;
  const run: TestCheck['run'] = (_, { signal }) => {
    seen = signal;
    return never;
  };
  return { check: { run, entry: { callsOut: true }, ...over }, signal: () => seen };
}

async function resultsAfter(ms: number, hooks: readonly CompiledHook[]) {
  const running = runHooks(hooks, factsOf('a'), () => toolsOf());
  await vi.advanceTimersByTimeAsync(ms);
  const late = Symbol();
  const phase = await Promise.race([running, Promise.resolve(late)]);
  return typeof phase === 'symbol' ? 'running' : phase.results.flatMap(({ checks }) => checks);
}

const TIMEOUT = { verdict: false, error: { name: 'TimeoutError', message: expect.stringMatching(/within \d+ ms/) } };

test('the times of checks are kept in their order', async () => {
  const [ran] = await watchHooks([hookOf([PASS, PASS])], factsOf('a'), () => toolsOf());
  expect(ran?.checks.map(({ durationMs }) => durationMs)).toEqual([expect.any(Number), expect.any(Number)]);
});

describe('the time of a check', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test.for<[what: string, check: TestCheck, ms: number]>([
    ['that calls out is five seconds', SILENT, 5_000],
    ['is what it says, with a little more to say so itself', { ...SILENT, timeoutMs: 100 }, 100],
    ['is otherwise that of the phase', { run: () => never }, 30_000],
    ['may be longer than that of the phase', { ...SILENT, timeoutMs: 60_000 }, 60_000],
  ])('%s', async ([, check, ms]) => {
    expect(await resultsAfter(ms - 1, [hookOf([check])])).toBe('running');
    expect(await resultsAfter(ms + 300, [hookOf([check])])).toMatchObject([TIMEOUT]);
  });

  test('of those that run one after another is together that of the phase', async () => {
    const slow = { run: () => never };
    const results = await resultsAfter(30_300, [hookOf([slow, PASS, slow], { sequential: true })]);
    expect(results).toMatchObject([TIMEOUT, TIMEOUT, TIMEOUT]);
  });

  test('that has passed ends its calls', async () => {
    const { check, signal } = listening({ timeoutMs: 100 });
    await resultsAfter(500, [hookOf([check])]);
    expect(signal()?.reason).toMatchObject({ message: 'the check has taken too long' });
  });

  test('is over with the check, and no timer is left', async () => {
    const soon: TestCheck = { ...SILENT, run: () => Promise.resolve({ verdict: true }) };
    expect(await resultsAfter(0, [hookOf([soon])])).toMatchObject([{ verdict: true }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is fresh for a default hook that looks at what others have changed', async () => {
    const slow: TestCheck = {
      ...replaces('a', 'b'),
      timeoutMs: 60_000,
      run: async (subject, tools) => {
        await new Promise((resolve) => setTimeout(resolve, 60_000));
        return replaces('a', 'b').run(subject, tools);
      },
    };
    const calling: TestCheck = { run: async ({ text }) => ({ verdict: text !== 'b' }) };
    const results = await resultsAfter(60_001, [hookOf([slow]), hookOf([calling], { owner: 'workspace' })]);
    expect(results).toMatchObject([{ verdict: true }, { verdict: false }]);
    expect(Object(results)[1]).not.toHaveProperty('error');
  });
});

describe('a request that ends', () => {
  test('ends the calls of its checks', async () => {
    const { check, signal } = listening();
    const request = new Cancellation();
    const running = runHooks([hookOf([check])], factsOf('a'), () => toolsOf({ signal: request }));
    request.cancel('gone');
    const { results } = await running;
    expect([signal()?.reason, results[0]?.checks[0]]).toEqual(['gone', expect.objectContaining({ verdict: false })]);
  });

  test('starts no call that goes on', async () => {
    const { check, signal } = listening();
    const request = new Cancellation();
    request.cancel('gone');
    await watchHooks([hookOf([check])], factsOf('a'), () => toolsOf({ signal: request }));
    expect(signal()?.reason).toBe('gone');
  });
});

describe('a text that is too long', () => {
  const long = 'x'.repeat(MAX_CHECKED_CHARS + 1);
  const reads: TestCheck = { run: ({ parts }) => ({ verdict: parts.length > 0 }) };

  test('is an error of checks that look at it', async () => {
    const { results, failed } = await runHooks([hookOf([reads, PASS])], factsOf(long), () => toolsOf());
    expect(results[0]?.checks).toMatchObject([
      { verdict: false, error: { name: 'TextTooLong', message: expect.stringContaining('1048576') } },
      { verdict: true },
    ]);
    expect(failed).toBe(false);
  });

  test('fails checks that fail on errors', async () => {
    const hook = hookOf([{ ...reads, failOnError: true }], { deny: true });
    const { denied } = await runHooks([hook], factsOf(long), () => toolsOf());
    expect(denied?.hook).toBe(hook);
  });

  test('may be as long as the bound, parts together', async () => {
    const half = 'x'.repeat(MAX_CHECKED_CHARS / 2);
    const content = [half, half].map((text) => ({ type: 'text', text }));
    const request = { messages: [{ role: 'user', content }] };
    const { results } = await runHooks([hookOf([reads])], factsOf('', { request }), () => toolsOf());
    expect(results[0]?.checks).toMatchObject([{ verdict: true }]);
  });
});
