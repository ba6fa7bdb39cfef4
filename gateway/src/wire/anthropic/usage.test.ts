import { expect, test } from 'vitest';
import { readUsage } from '../../usage/index.ts';
import { usageOfMessage } from './usage.ts';

test('the usage of a message keeps what has a price of its own', () => {
  const usage = usageOfMessage({
    usage: {
      input_tokens: 3,
      output_tokens: 4,
      cache_read_input_tokens: 10,
      cache_creation_input_tokens: 5,
      cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 2 },
      server_tool_use: { web_search_requests: 1 },
    },
  });
  expect(readUsage(usage ?? {})).toMatchObject({
    ...{ input: 18, output: 4, cached: 10, cacheWrite: 5, cacheWriteHour: 2 },
    units: { web_search: 1 },
  });
});

test('the usage of a message without them has no members for them', () => {
  expect(usageOfMessage({ usage: { input_tokens: 3, output_tokens: 4 } })).toEqual({
    prompt_tokens: 3,
    completion_tokens: 4,
    total_tokens: 7,
    prompt_tokens_details: { cached_tokens: 0 },
  });
});
