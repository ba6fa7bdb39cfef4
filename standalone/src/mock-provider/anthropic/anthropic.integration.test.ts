// The SDK is a dependency of the test package alone, so the plain name does not resolve from here.
import Anthropic, { toFile } from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMockProvider, MOCK_MODELS, type MockProvider } from '../index.ts';

let mock: MockProvider;
let client: Anthropic;
beforeAll(async () => {
  mock = await createMockProvider();
  client = new Anthropic({ baseURL: mock.url, apiKey: 'any', maxRetries: 0, logLevel: 'off' });
});
afterAll(() => mock.close());

const model = 'claude-mock';
const messages = [{ role: 'user' as const, content: 'Say hello' }];
const ask = { model, max_tokens: 1_000, messages };
const weather = {
  name: 'get_weather',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' }, days: { type: 'integer' } } },
};

describe('messages', () => {
  test('repeat the user and count tokens', async () => {
    const { data, response } = await client.messages.create(ask).withResponse();
    expect(data).toMatchObject({
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text: 'Mock answer to: Say hello' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 7, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    });
    expect(response.headers.get('request-id')).toMatch(/^req_/);
  });

  test.for([
    { rule: 'a cut', more: { max_tokens: 2 }, want: { stop_reason: 'max_tokens', content: [{ text: 'Mock ans' }] } },
    {
      rule: 'a stop sequence',
      more: { stop_sequences: [' to'] },
      want: { stop_reason: 'stop_sequence', stop_sequence: ' to', content: [{ text: 'Mock answer' }] },
    },
    {
      rule: 'thinking',
      more: { thinking: { type: 'enabled' as const, budget_tokens: 1_024 } },
      want: {
        content: [{ type: 'thinking', signature: expect.any(String) }, { type: 'text' }],
        usage: { output_tokens: 22 },
      },
    },
    {
      rule: 'JSON of a schema',
      more: {
        output_config: { format: { type: 'json_schema' as const, schema: { properties: { n: { type: 'integer' } } } } },
      },
      want: { content: [{ text: '{"n":1}' }] },
    },
    {
      rule: 'tools that are not to be called',
      more: { tools: [weather], tool_choice: { type: 'none' as const } },
      want: { stop_reason: 'end_turn' },
    },
    {
      rule: 'a forced tool',
      more: {
        tools: [{ ...weather, name: 'other' }, weather],
        tool_choice: { type: 'tool' as const, name: 'get_weather' },
      },
      want: { content: [{ type: 'tool_use', name: 'get_weather' }] },
    },
    {
      rule: 'images',
      more: {
        messages: [
          {
            role: 'user' as const,
            content: [
              { type: 'text' as const, text: 'See' },
              { type: 'image' as const, source: { type: 'url' as const, url: 'https://example.com/a.png' } },
            ],
          },
        ],
      },
      want: { content: [{ text: 'Mock answer to: See [1 image]' }] },
    },
  ])('know $rule', async ({ more, want }) => {
    expect(await client.messages.create({ ...ask, ...more })).toMatchObject(want);
  });

  test('call a tool, then answer from its result', async () => {
    const asked = await client.messages.create({ ...ask, tools: [weather] });
    expect(asked).toMatchObject({
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', input: { city: 'Paris', days: 1 } }],
    });
    const [call] = asked.content;
    if (call?.type !== 'tool_use') throw new Error('expected a call');
    const result = {
      type: 'tool_result' as const,
      tool_use_id: call.id,
      content: [{ type: 'text' as const, text: '18 °C' }],
    };
    const remark = { type: 'text' as const, text: 'Be brief' };
    const followed = await client.messages.create({
      ...ask,
      tools: [weather],
      messages: [
        ...messages,
        { role: 'assistant', content: asked.content },
        { role: 'user', content: [result, remark] },
      ],
    });
    expect(followed.content).toMatchObject([{ text: 'Mock answer from the tool result: 18 °C' }]);
  });

  test('count marked blocks as cached: of the system as read, of messages as written', async () => {
    const cache_control = { type: 'ephemeral' as const };
    const marked = {
      system: [{ type: 'text' as const, text: 's'.repeat(400), cache_control }],
      messages: [
        {
          role: 'user' as const,
          content: [
            { type: 'text' as const, text: 'm'.repeat(200), cache_control },
            { type: 'text' as const, text: 'h'.repeat(80), cache_control: { ...cache_control, ttl: '1h' as const } },
            { type: 'text' as const, text: 'q'.repeat(40) },
          ],
        },
      ],
    };
    const { usage } = await client.messages.create({ ...ask, ...marked });
    expect(usage).toMatchObject({
      input_tokens: 10,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 70,
      cache_creation: { ephemeral_5m_input_tokens: 50, ephemeral_1h_input_tokens: 20 },
    });
    expect(await client.messages.countTokens({ model, ...marked })).toEqual({ input_tokens: 180 });
  });
});

describe('a stream of messages', () => {
  test.for([
    { rule: 'text', more: {} },
    { rule: 'thinking and text', more: { thinking: { type: 'enabled' as const, budget_tokens: 1_024 } } },
    { rule: 'a tool call', more: { tools: [weather] } },
    { rule: 'a cut', more: { max_tokens: 1 } },
  ])('adds up to the unary answer of $rule', async ({ more }) => {
    const unary = await client.messages.create({ ...ask, ...more });
    const streamed = await client.messages.stream({ ...ask, ...more }).finalMessage();
    const withoutIds = (content: typeof unary.content) => content.map((block) => ({ ...block, id: '', signature: '' }));
    expect(withoutIds(streamed.content)).toEqual(withoutIds(unary.content));
    expect(streamed).toMatchObject({ stop_reason: unary.stop_reason, usage: unary.usage });
  });

  test('has its events in order', async () => {
    const request = { ...ask, stream: true, thinking: { type: 'enabled', budget_tokens: 1_024 } };
    const response = await fetch(`${mock.url}/v1/messages`, { method: 'POST', body: JSON.stringify(request) });
    const names = [...(await response.text()).matchAll(/^event: (.+)$/gm)].map((match) => match[1]);
    expect(names.filter((name, index) => name !== names[index - 1])).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  test('can begin with an overload event', async () => {
    const run = client.messages.stream({ ...ask, model: 'mock-overloaded' }).finalMessage();
    await expect(run).rejects.toMatchObject({ error: { type: 'error', error: { type: 'overloaded_error' } } });
  });
});

describe('a batch of messages', () => {
  const params = (text: string, asked = model) => ({
    model: asked,
    max_tokens: 10,
    messages: [{ role: 'user' as const, content: text }],
  });
  const start = (text: string) =>
    client.messages.batches.create({
      requests: [
        { custom_id: 'good', params: params(text) },
        { custom_id: 'bad', params: params(text, 'mock-fail-529') },
      ],
    });

  test('ends when it is read, and has a result for each request', async () => {
    const batch = await start('One');
    expect(batch).toMatchObject({
      processing_status: 'in_progress',
      request_counts: { processing: 2 },
      results_url: null,
    });
    const ended = await client.messages.batches.retrieve(batch.id);
    expect(ended).toMatchObject({ processing_status: 'ended', request_counts: { succeeded: 1, errored: 1 } });
    const results = await Array.fromAsync(await client.messages.batches.results(batch.id));
    expect(results).toMatchObject([
      { custom_id: 'good', result: { type: 'succeeded', message: { content: [{ text: 'Mock answer to: One' }] } } },
      { custom_id: 'bad', result: { type: 'errored', error: { error: { type: 'overloaded_error' } } } },
    ]);
    expect((await Array.fromAsync(client.messages.batches.list())).map(({ id }) => id)).toContain(batch.id);
    await client.messages.batches.delete(batch.id);
    await expect(client.messages.batches.retrieve(batch.id)).rejects.toBeInstanceOf(Anthropic.NotFoundError);
  });

  test('can be cancelled before it is read', async () => {
    const { id } = await start('Two');
    expect(await client.messages.batches.cancel(id)).toMatchObject({ processing_status: 'canceling' });
    expect(await client.messages.batches.retrieve(id)).toMatchObject({
      processing_status: 'ended',
      request_counts: { canceled: 2, succeeded: 0 },
    });
    await expect(client.messages.batches.cancel(id)).rejects.toMatchObject({ status: 400 });
  });
});

test('files are read as they were uploaded, in pages, until they are deleted', async () => {
  const upload = async (name: string) =>
    client.beta.files.upload({ file: await toFile(Buffer.from(`of ${name}`), name, { type: 'text/plain' }) });
  const first = await upload('a.txt');
  const second = await upload('b.txt');
  expect(first).toMatchObject({ type: 'file', filename: 'a.txt', mime_type: 'text/plain', size_bytes: 8 });
  const listed = await Array.fromAsync(client.beta.files.list({ limit: 1 }));
  expect(listed.map(({ id }) => id)).toEqual([second.id, first.id]);
  expect(await (await client.beta.files.download(first.id)).text()).toBe('of a.txt');
  await client.beta.files.delete(first.id);
  await expect(client.beta.files.retrieveMetadata(first.id)).rejects.toBeInstanceOf(Anthropic.NotFoundError);
});

const uploadRaw = (filename: string, type: string): Promise<Response> =>
  fetch(`${mock.url}/v1/files`, {
    method: 'POST',
    headers: { 'anthropic-version': '2023-06-01', 'content-type': 'multipart/form-data; boundary=edge' },
    body: [
      '--edge',
      `content-disposition: form-data; name="file"; filename="${filename}"`,
      `content-type: ${type}`,
      '',
      'text',
      '--edge--',
    ].join('\r\n'),
  });

test.for([
  { rule: 'letters that no header carries', type: 'text/простой' },
  { rule: 'a length that no header has', type: `text/${'x'.repeat(100_000)}` },
])('a file whose MIME type has $rule is read without it', async ({ type }) => {
  const file: { id: string } = JSON.parse(await (await uploadRaw('a.txt', type)).text());
  expect(file).toMatchObject({ mime_type: 'application/octet-stream' });
  const read = await client.beta.files.download(file.id);
  expect(read.headers.get('content-type')).toBe('application/octet-stream');
  expect(await read.text()).toBe('text');
});

test('a file with an endless name is refused in the shape of the provider', async () => {
  const refused = await uploadRaw('x'.repeat(513), 'text/plain');
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
});

test('models are listed in pages and found one by one', async () => {
  const listed = await Array.fromAsync(client.models.list({ limit: 3 }));
  expect(listed.map((entry) => entry.id)).toEqual([...MOCK_MODELS]);
  expect(await client.models.retrieve('mock-small')).toMatchObject({ type: 'model', id: 'mock-small' });
  await expect(client.models.retrieve('no-such')).rejects.toMatchObject({ status: 404 });
});

test.for([
  { rule: 'no limit', path: '/v1/messages', body: { model, messages } },
  { rule: 'no messages', path: '/v1/messages', body: { model, max_tokens: 1 } },
  { rule: 'no model', path: '/v1/messages/count_tokens', body: { messages } },
])('a request with $rule is refused in the shape of the provider', async ({ path, body }) => {
  const response = await fetch(`${mock.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
});
