import { expect, test } from 'vitest';
import type { RanHook } from '../../guardrails/index.ts';
import { guardrailFacts } from './trail.ts';

const CHECK = { id: 'default.contains', verdict: true, transformed: false, execution_time: 0 };
const result = { id: 'words', checks: [CHECK, CHECK], created_at: '2026-01-01T00:00:00.000Z', feedback: null };

test('the record has the times of checks with their fractions, which results round', () => {
  const ran = { hook: {}, result, durationsMs: [0.25, 0.5] } as unknown as RanHook; // all that is read
  const { checks } = guardrailFacts(ran, { phase: 'input', target: 'config' });
  expect(checks.map(({ durationMs }) => durationMs)).toEqual([0.25, 0.5]);
});

test('the record has what the guardrail says of the trace, and its version', () => {
  const feedback = { value: -5, weight: 0.5, metadata: { team: 'a', failedChecks: 'default.contains' } };
  const ran = { hook: { versionId: 'v7' }, result: { ...result, feedback } } as unknown as RanHook; // all that is read
  expect(guardrailFacts(ran, { phase: 'input', target: 'config' })).toMatchObject({ versionId: 'v7', feedback });
  const without = { hook: {}, result } as unknown as RanHook; // all that is read
  const facts = guardrailFacts(without, { phase: 'input', target: 'config' });
  expect([facts.versionId, facts.feedback]).toEqual([undefined, undefined]);
});
