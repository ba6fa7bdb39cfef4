import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { fromCount, toConverseCount, toInvokeCount, toInvokeMessages } from './index.ts';
import { HI, USER } from './testing.ts';

describe('a count of tokens', () => {
  test('of the vendor carries the invoke body, with a limit', () => {
    const counted = toInvokeCount(toInvokeMessages({ messages: [USER] }, {})) as {
      input: { invokeModel: { body: string } };
    };
    expect(JSON.parse(Buffer.from(counted.input.invokeModel.body, 'base64').toString())).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      messages: [USER],
      max_tokens: 10,
    });
  });

  test('of others carries what of a Converse body is counted', () => {
    const body = { messages: [HI], system: [{ text: 'S' }], inferenceConfig: { maxTokens: 1 }, requestMetadata: {} };
    expect(toConverseCount(body)).toEqual({ input: { converse: { messages: [HI], system: [{ text: 'S' }] } } });
  });

  test('is read', () => {
    expect(unwrap(fromCount({ inputTokens: 7 }))).toEqual({ input_tokens: 7 });
    expect(fromCount({}).ok).toBe(false);
  });
});
