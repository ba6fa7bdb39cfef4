import { expect, test } from 'vitest';
import { fromAzurePath } from './azure-paths.ts';

test.for([
  ['/openai/v1/chat/completions', '/v1/chat/completions'],
  ['/openai/v1/models?api-version=preview', '/v1/models?api-version=preview'],
  ['/openai/files?api-version=2024-10-21', '/v1/files?api-version=2024-10-21'],
  ['/openai/responses/r%2F1', '/v1/responses/r%2F1'],
  ['/openai/deployments/d/chat/completions?api-version=1', '/openai/deployments/d/chat/completions?api-version=1'],
  ['/openai/deployments/d/completions/', '/openai/deployments/d/completions/'],
  ['/openai/deployments/@a/m/chat/completions', '/openai/deployments/@a%2Fm/chat/completions'],
  ['/openai/deployments/@a%2Fm/embeddings', '/openai/deployments/@a%2Fm/embeddings'],
  ['/openai/deployments/@a/org/m/audio/speech', '/openai/deployments/@a%2Forg%2Fm/audio/speech'],
  ['/openai/deployments/chat/completions', '/openai/deployments/chat/completions'],
  ['/openai/deployments/d/unknown', '/openai/deployments/d/unknown'],
  ['/openai/', '/v1/'],
  ['/openai', '/openai'],
  ['/openaix/v1/models', '/openaix/v1/models'],
  ['/v1/openai/models', '/v1/openai/models'],
] as const)('%s leads to %s', ([target, want]) => {
  expect(fromAzurePath(target)).toBe(want);
});
