import { expect, test } from 'vitest';
import type { RanHook } from '../../guardrails/index.ts';
import { guardrailFacts } from './trail.ts';

const hook = { id: 'words', versionId: 'v7' };
const checkThatTook = (durationMs: number) => ({
  check: { entry: { id: 'default.contains' } },
  answer: { verdict: true },
  durationMs,
});
const ranHook = (over: object = {}) =>
  ({ hook, checks: [checkThatTook(0.25), checkThatTook(0.5)], feedback: null, ...over }) as unknown as RanHook; // all that is read

test('the record has the times of checks with their fractions, which results round', () => {
  const { checks } = guardrailFacts(ranHook(), { phase: 'input', target: 'config' });
  expect(checks.map(({ durationMs }) => durationMs)).toEqual([0.25, 0.5]);
});

test('the record has what the guardrail says of the trace, and its version', () => {
  const feedback = { value: -5, weight: 0.5, metadata: { team: 'a', failedChecks: 'default.contains' } };
  const where = { phase: 'input', target: 'config' } as const;
  expect(guardrailFacts(ranHook({ feedback }), where)).toMatchObject({
    versionId: 'v7',
    feedback: { ...feedback, id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
  });
  const facts = guardrailFacts(ranHook({ hook: { id: 'words' } }), where);
  expect([facts.versionId, facts.feedback]).toEqual([undefined, undefined]);
});

test.for([
  [0, false],
  [-0.4, false],
  [0.5, true],
  [-10, true],
])('feedback of %s has an id where it is kept', ([value, isKept]) => {
  const { feedback } = guardrailFacts(ranHook({ feedback: { value, weight: 1, metadata: {} } }), {
    phase: 'input',
    target: 'config',
  });
  expect(feedback?.id !== undefined).toBe(isKept);
});
