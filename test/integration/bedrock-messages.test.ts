/** Messages to Anthropic's models on Bedrock, answered by the mock provider as invocations. */
import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { KEY, provider } from '../kit/snapshot.ts';

const secret = { aws_access_key_id: 'AKIDSTORED', aws_secret_access_key: 'stored-secret-0123456789' };
const settings = { aws_region: 'eu-west-1' };

test('a message is invoked, whole and as a stream', async () => {
  await using world = await startWorld({
    env: { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
    entries: (mock) => [provider('bedrock', { provider: 'bedrock', customHost: mock.url, secret, settings })],
  });
  const sdk = new Anthropic({
    ...{ baseURL: world.url, apiKey: KEY, maxRetries: 0 },
    defaultHeaders: { 'x-gw-provider': '@bedrock' },
  });
  const asked: Anthropic.MessageCreateParamsNonStreaming = {
    model: 'anthropic.claude-3-haiku-20240307-v1:0',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Say hello' }],
  };
  const want = { content: [{ type: 'text', text: 'Mock answer to: Say hello' }], usage: { output_tokens: 7 } };
  expect(await sdk.messages.create(asked)).toMatchObject(want);
  expect(await sdk.messages.stream(asked).finalMessage()).toMatchObject(want);
  expect(world.mock.requests.map(({ path }) => path.replace(/.*\//, ''))).toEqual([
    'invoke',
    'invoke-with-response-stream',
  ]);
});
