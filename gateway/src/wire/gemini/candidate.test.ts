import { expect, test } from 'vitest';
import { readUsage } from '../../usage/index.ts';
import { usageOf } from './candidate.ts';

test('usage keeps tokens of audio and images, which have prices of their own', () => {
  const usage = usageOf({
    promptTokenCount: 100,
    candidatesTokenCount: 50,
    cachedContentTokenCount: 40,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 70 },
      { modality: 'AUDIO', tokenCount: 30 },
    ],
    cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 10 }],
    candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 45 }],
  });
  expect(usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 });
  expect(readUsage(usage)).toMatchObject({
    cached: 40,
    audio: { input: 30, output: 0, cached: 10 },
    image: { input: 0, output: 45, cached: 0 },
  });
});

test('usage without them has no details', () => {
  expect(usageOf({ promptTokenCount: 1, candidatesTokenCount: 2 })).toEqual({
    prompt_tokens: 1,
    completion_tokens: 2,
    total_tokens: 3,
  });
});
