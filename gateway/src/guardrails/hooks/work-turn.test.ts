import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { toolsOf } from '../testing.ts';
import { type CompiledHook, runHooks, watchHooks } from './index.ts';
import { factsOf, hookOf, PASS, type TestCheck } from './testing.ts';

const CHECKS = 30;
/** What each check takes without a pause, in ms: three are more than the checks of a phase take without one. */
const WORK_MS = 2;

/** Counts checks that ran without a turn for other requests between them. */
class Turns {
  most = 0;
  ran = 0;
  #sinceTurn = 0;
  readonly tools = toolsOf({
    nextSlice: async () => {
      await nextTurn();
      this.#sinceTurn = 0;
    },
  });

  busy(check: TestCheck = PASS): TestCheck {
    return {
      ...check,
      run: (subject, tools) => {
        for (const end = performance.now() + WORK_MS; performance.now() < end; );
        this.ran += 1;
        this.#sinceTurn += 1;
        this.most = Math.max(this.most, this.#sinceTurn);
        return check.run(subject, tools);
      },
    };
  }

  checks(): TestCheck[] {
    return Array.from({ length: CHECKS }, () => this.busy());
  }

  hooks(check?: TestCheck): CompiledHook[] {
    return Array.from({ length: CHECKS }, (_, i) => hookOf([this.busy(check)], { id: `h${i}` }));
  }
}

const GROWS: TestCheck = {
  entry: { transforms: true },
  run: ({ parts }) => ({
    verdict: true,
    transformed: { kind: 'parts', parts: parts.map((part) => `${part}.`) },
  }),
};

describe('other requests have their turns', () => {
  test.for<[what: string, hooks: (turns: Turns) => CompiledHook[], ran: number]>([
    ['between the checks of a hook', (turns) => [hookOf(turns.checks())], CHECKS],
    ['between checks in sequence', (turns) => [hookOf(turns.checks(), { sequential: true })], CHECKS],
    ['between hooks', (turns) => turns.hooks(), CHECKS],
    ['between hooks that run again', (turns) => turns.hooks(GROWS), 2 * CHECKS - 1],
  ])('%s', async ([, hooks, ran]) => {
    const turns = new Turns();
    const { results } = await runHooks(hooks(turns), factsOf('a'), () => turns.tools);
    expect(results.flatMap(({ checks }) => checks)).toHaveLength(CHECKS);
    expect(turns.ran).toBe(ran);
    expect(turns.most).toBeLessThanOrEqual(3);
  });

  test('between hooks that only watch', async () => {
    const turns = new Turns();
    expect(await watchHooks(turns.hooks(), factsOf('a'), () => turns.tools)).toHaveLength(CHECKS);
    expect(turns.most).toBeLessThanOrEqual(3);
  });
});

test('a check that waits does not hold up those behind a pause', async () => {
  const turns = new Turns();
  let isReleased = false;
  const release = Promise.withResolvers<void>();
  const waits: TestCheck = { run: () => release.promise.then(() => ({ verdict: isReleased })) };
  const last: TestCheck = {
    run: () => {
      isReleased = true;
      release.resolve();
      return { verdict: true };
    },
  };
  const { results } = await runHooks([hookOf([waits, ...turns.checks(), last])], factsOf('a'), () => turns.tools);
  expect(results[0]?.verdict).toBe(true);
});
