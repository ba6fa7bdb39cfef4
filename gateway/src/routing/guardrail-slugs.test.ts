import { expect, test } from 'vitest';
import { guardrailSlugs } from './guardrail-slugs.ts';

test('stored guardrails are found at every target, in both directions and in both forms, each once', () => {
  const inline = { contains: { words: ['x'] } };
  const nested = { provider: '@b', afterRequestHooks: [{ id: 'tone', deny: true }], inputMutators: [{ id: 'mask' }] };
  const root = {
    inputGuardrails: ['pii', inline],
    strategy: { mode: 'fallback' as const },
    targets: [{ provider: '@a', outputGuardrails: ['pii'] }, nested],
  };
  expect(guardrailSlugs(root)).toEqual(['pii', 'mask', 'tone']);
  expect(guardrailSlugs({ provider: '@a' })).toEqual([]);
});
