import { expect, test } from 'vitest';
import { toolsOf } from '../testing.ts';
import { runHooks } from './index.ts';
import { factsOf, hookOf, replaces, type TestCheck } from './testing.ts';

test('checks are told whether others before them have changed request and answer', async () => {
  const seen: unknown[] = [];
  const sees: TestCheck = {
    run: ({ phase, requestTransformed, responseTransformed }) => {
      seen.push([phase, requestTransformed, responseTransformed]);
      return { verdict: true };
    },
  };
  const hooks = [hookOf([sees, replaces('a', 'b'), sees], { sequential: true })];
  await runHooks(hooks, factsOf('a'), () => toolsOf());
  const response = { choices: [{ message: { role: 'assistant', content: 'a' } }] };
  const facts = factsOf('a', { phase: 'output', response, requestTransformed: true });
  await runHooks(hooks, facts, () => toolsOf());
  expect(seen).toEqual([
    ['input', false, false],
    ['input', true, false],
    ['output', true, false],
    ['output', true, true],
  ]);
});
