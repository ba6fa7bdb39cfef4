/** Anthropic's models on Bedrock, which are invoked with messages. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMockProvider, type MockProvider } from '../index.ts';
import { cutMessages } from './testing.ts';

let mock: MockProvider;
beforeAll(async () => {
  mock = await createMockProvider();
});
afterAll(() => mock.close());

const MODEL = 'anthropic.claude-mock-v1:0';
const messages = [{ role: 'user', content: 'Say hello' }];
const BODY = { anthropic_version: 'bedrock-2023-05-31', max_tokens: 100, messages };

const post = (action: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${mock.url}/model/${encodeURIComponent(MODEL)}/${action}`, {
    ...{ method: 'POST', body: JSON.stringify(body), headers },
  });

async function stream(body: object, headers: Record<string, string> = {}) {
  const response = await post('invoke-with-response-stream', body, headers);
  const chunks = cutMessages(Buffer.from(await response.arrayBuffer()));
  const events = chunks.map(({ headers: { ':event-type': type }, payload }) =>
    type === 'chunk' ? JSON.parse(Buffer.from(JSON.parse(String(payload)).bytes, 'base64').toString()) : undefined,
  );
  return { headers: response.headers, chunks, events };
}

test('a message is answered as by the vendor, with the counts of Bedrock', async () => {
  const response = await post('invoke', BODY);
  expect(await response.json()).toMatchObject({
    ...{ type: 'message', role: 'assistant', model: MODEL, stop_reason: 'end_turn' },
    content: [{ type: 'text', text: 'Mock answer to: Say hello' }],
    usage: { input_tokens: 3, output_tokens: 7 },
  });
  expect(response.headers.get('x-amzn-bedrock-output-token-count')).toBe('7');
});

describe('a streamed message', () => {
  test('is its events in chunks, the last with what Bedrock counted', async () => {
    const { headers, events } = await stream({ ...BODY, thinking: { type: 'enabled', budget_tokens: 1_024 } });
    expect(headers.get('content-type')).toBe('application/vnd.amazon.eventstream');
    expect(events[0]).toMatchObject({ type: 'message_start', message: { model: MODEL } });
    const text = events.flatMap(({ delta }) => (delta?.type === 'text_delta' ? [delta.text] : []));
    expect([text.length, text.join('')]).toEqual([5, 'Mock answer to: Say hello']);
    expect(events.at(-1)).toMatchObject({
      type: 'message_stop',
      'amazon-bedrock-invocationMetrics': { inputTokenCount: 3, outputTokenCount: expect.any(Number) },
    });
  });

  test('can end with an exception', async () => {
    const { chunks } = await stream(BODY, { 'x-mock-error-event': 'overloaded', 'x-mock-error-event-after': '1' });
    expect(chunks.map(({ headers }) => headers[':event-type'] ?? headers[':exception-type'])).toEqual([
      'chunk',
      'serviceUnavailableException',
    ]);
  });
});

test.for<[body: object, message: RegExp]>([
  [{ ...BODY, anthropic_version: undefined }, /anthropic_version/],
  [{ ...BODY, messages: [] }, /messages/],
  [{ ...BODY, max_tokens: undefined }, /max_tokens/],
  [{ ...BODY, model: 'claude' }, /extraneous key \[model\]/],
  [{ ...BODY, stream: true }, /extraneous key \[stream\]/],
  [{ inputText: 'a', dimensions: 3 }, /dimensions|messages/],
])('%j is a validation error of both calls', async ([body, message]) => {
  for (const action of ['invoke', 'invoke-with-response-stream']) {
    const response = await post(action, body);
    expect([response.status, response.headers.get('x-amzn-errortype')]).toEqual([400, 'ValidationException']);
    expect(await response.json()).toEqual({ message: expect.stringMatching(message) });
  }
});
