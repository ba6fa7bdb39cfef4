import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMockProvider, MOCK_MODELS, type MockProvider } from '../index.ts';

let mock: MockProvider;
beforeAll(async () => {
  mock = await createMockProvider();
});
afterAll(() => mock.close());

const model = 'command-mock';
const messages = [{ role: 'user', content: 'Say hello' }];
const ask = { model, messages };
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
  },
};
/** What both SDKs send with every call. */
const OF_SDK = { 'x-fern-sdk-name': 'cohere-ai' };

type Headers = Readonly<Record<string, string>>;

async function post(path: string, body: object | string, headers: Headers = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(`${mock.url}${path}`, { method: 'POST', body: text, headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

async function json(path: string, body: object | string, headers: Headers = {}) {
  const { text } = await post(path, body, headers);
  return JSON.parse(text);
}

async function events(body: object, headers: Headers = {}) {
  const { text } = await post('/v2/chat', { ...body, stream: true }, headers);
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      const [, name, data = ''] = /^event: (\S+)\ndata: (.*)$/.exec(event) ?? [];
      const read = JSON.parse(data);
      expect(read.type).toBe(name);
      return read;
    });
}

async function get(path: string, headers: Headers = {}) {
  const answer = await fetch(`${mock.url}${path}`, { headers });
  return JSON.parse(await answer.text());
}

describe('chat', () => {
  test('repeats the user and counts tokens', async () => {
    expect(await json('/v2/chat', ask)).toEqual({
      id: expect.stringMatching(/^[\da-f]{24}$/),
      finish_reason: 'COMPLETE',
      message: { role: 'assistant', content: [{ type: 'text', text: 'Mock answer to: Say hello' }] },
      usage: {
        billed_units: { input_tokens: 3, output_tokens: 7 },
        tokens: { input_tokens: 3, output_tokens: 7 },
      },
    });
  });

  test('is the same for the same request', async () => {
    expect((await post('/v2/chat', ask)).text).toBe((await post('/v2/chat', ask)).text);
  });

  test.for([
    {
      rule: 'a cut',
      more: { max_tokens: 2 },
      want: { finish_reason: 'MAX_TOKENS', message: { content: [{ text: 'Mock ans' }] } },
    },
    {
      rule: 'a stop sequence',
      more: { stop_sequences: [' to'] },
      want: { finish_reason: 'STOP_SEQUENCE', message: { content: [{ text: 'Mock answer' }] } },
    },
    {
      rule: 'thinking',
      more: { thinking: { type: 'enabled' } },
      want: { message: { content: [{ type: 'thinking', thinking: expect.any(String) }, { type: 'text' }] } },
    },
    {
      rule: 'JSON of a schema',
      more: {
        response_format: { type: 'json_object', json_schema: { properties: { n: { type: 'integer' } } } },
        documents: ['No citation stands in JSON'],
      },
      want: { message: { content: [{ text: '{"n":1}' }] } },
    },
    {
      rule: 'tools that are not to be called',
      more: { tools: [weather], tool_choice: 'NONE' },
      want: { finish_reason: 'COMPLETE' },
    },
    {
      rule: 'images',
      more: {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'See' },
              { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
            ],
          },
        ],
      },
      want: { message: { content: [{ text: 'Mock answer to: See [1 image]' }] } },
    },
  ])('knows $rule', async ({ more, want }) => {
    const answer = await json('/v2/chat', { ...ask, ...more });
    expect(answer).toMatchObject(want);
    expect(answer.message).not.toHaveProperty('citations');
  });

  test('calls a tool with a plan, then answers from its result and cites it', async () => {
    const asked = await json('/v2/chat', { ...ask, tools: [weather] });
    expect(asked).toMatchObject({
      finish_reason: 'TOOL_CALL',
      message: {
        tool_plan: 'I will call get_weather.',
        tool_calls: [{ type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris","days":1}' } }],
      },
    });
    expect(asked.message).not.toHaveProperty('content');
    const { id } = asked.message.tool_calls[0];
    const result = { role: 'tool', tool_call_id: id, content: '18 degrees' };
    const { message } = await json('/v2/chat', {
      ...ask,
      tools: [weather],
      messages: [...messages, asked.message, result],
    });
    const start = 'Mock answer from the tool result: '.length;
    expect(message).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'Mock answer from the tool result: 18 degrees' }],
      citations: [
        {
          ...{ start, end: start + 10, text: '18 degrees', content_index: 0, type: 'TEXT_CONTENT' },
          sources: [{ type: 'tool', id: `${id}:0`, tool_output: { content: '18 degrees' } }],
        },
      ],
    });
  });

  test('cites documents of the request and of messages, unless that is off', async () => {
    const documents = ['Hello is a word', { id: 'd7', data: { title: 'Greetings' } }];
    const cited = await json('/v2/chat', { ...ask, documents });
    expect(cited.message.citations).toMatchObject([
      {
        text: 'Say hello',
        sources: [
          { type: 'document', id: 'doc:0', document: { id: 'doc:0', text: 'Hello is a word' } },
          { type: 'document', id: 'd7', document: { id: 'd7', title: 'Greetings' } },
        ],
      },
    ]);
    expect(cited.usage.tokens.input_tokens).toBeGreaterThan(3);
    const off = await json('/v2/chat', { ...ask, documents, citation_options: { mode: 'OFF' } });
    expect(off.message).not.toHaveProperty('citations');
    const told = [
      { type: 'document', document: { id: 'seen', data: { temperature: '18' } } },
      { type: 'text', text: 'so it is' },
    ];
    const { message } = await json('/v2/chat', {
      ...ask,
      messages: [...messages, { role: 'tool', tool_call_id: 't1', content: told }],
    });
    expect(message.content[0].text).toContain('{"temperature":"18"}so it is');
    expect(message.citations[0].sources).toMatchObject([
      { type: 'tool', id: 'seen', tool_output: { temperature: '18' } },
      { type: 'tool', id: 't1:1', tool_output: { content: 'so it is' } },
    ]);
  });
});

describe('a stream', () => {
  test('has the events of an answer with thinking and citations', async () => {
    const read = await events({ ...ask, documents: ['Hello'], thinking: { type: 'enabled' } });
    const names = read.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
    expect(names).toEqual([
      ...['message-start', 'content-start', 'content-delta', 'content-end'],
      ...['content-start', 'content-delta', 'citation-start', 'citation-end', 'content-end', 'message-end'],
    ]);
    const pieces = read.filter(({ type }) => type === 'content-delta').map(({ delta }) => delta.message.content);
    expect(pieces.map(({ text = '' }) => text).join('')).toBe('Mock answer to: Say hello');
    expect(pieces.map(({ thinking = '' }) => thinking).join('')).toMatch(/^The user wrote 9 characters/);
    expect(read.find(({ type }) => type === 'citation-start')).toMatchObject({
      index: 0,
      delta: { message: { citations: { text: 'Say hello', content_index: 1 } } },
    });
    expect(read.at(-1).delta).toMatchObject({ finish_reason: 'COMPLETE', usage: { tokens: { input_tokens: 4 } } });
  });

  test('has the plan and the calls of tools in pieces', async () => {
    const read = await events({ ...ask, tools: [weather] });
    const of = (type: string) => read.filter((event) => event.type === type);
    expect(
      of('tool-plan-delta')
        .map(({ delta }) => delta.message.tool_plan)
        .join(''),
    ).toBe('I will call get_weather.');
    expect(of('tool-call-start')).toMatchObject([
      { index: 0, delta: { message: { tool_calls: { type: 'function', function: { name: 'get_weather' } } } } },
    ]);
    const given = of('tool-call-delta').map(({ delta }) => delta.message.tool_calls.function.arguments);
    expect(JSON.parse(given.join(''))).toEqual({ city: 'Paris', days: 1 });
    expect(given.length).toBeGreaterThan(1);
    expect(of('tool-call-end')).toHaveLength(1);
    expect(read.at(-1)).toMatchObject({ type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } });
  });

  test('ends with an error in its last event, or without it', async () => {
    const failed = await events(ask, { 'x-mock-error-event': '1', 'x-mock-error-event-after': '2' });
    expect(failed.map(({ type }) => type)).toEqual(['message-start', 'content-start', 'message-end']);
    expect(failed.at(-1).delta).toMatchObject({ finish_reason: 'ERROR', error: 'Mock error event' });
    const cut = await events(ask, { 'x-mock-no-done': '1' });
    expect(cut.at(-1).type).toBe('content-end');
  });
});

describe('embeddings', () => {
  const TYPES = ['float', 'int8', 'uint8', 'binary', 'ubinary', 'base64'];
  const texts = ['one', 'two'];

  test('come in every type that is asked for', async () => {
    const body = { model, texts, input_type: 'search_document', embedding_types: TYPES, output_dimension: 256 };
    const { embeddings, ...rest } = await json('/v2/embed', body);
    expect(rest).toEqual({
      ...{ id: expect.any(String), texts, response_type: 'embeddings_by_type' },
      meta: { api_version: { version: '2' }, billed_units: { input_tokens: 2 } },
    });
    expect(Object.keys(embeddings)).toEqual(TYPES);
    const [float] = embeddings.float;
    expect(embeddings.float).toHaveLength(2);
    expect(float).toHaveLength(256);
    const signs: number[] = float.map((value: number) => (value > 0 ? 1 : 0));
    const [packed, shifted] = [embeddings.ubinary[0], embeddings.binary[0]];
    expect(Number.parseInt(signs.slice(8, 16).join(''), 2)).toBe(packed[1]);
    expect(packed.map((byte: number) => byte - 128)).toEqual(shifted);
    expect(embeddings.int8[0].map((value: number) => value + 128)).toEqual(embeddings.uint8[0]);
    const bytes = Buffer.from(embeddings.base64[0], 'base64');
    expect(float.map((_: number, index: number) => bytes.readFloatLE(index * 4))).toEqual(float);
  });

  test('come of texts, an image, or contents with both', async () => {
    const image = 'data:image/png;base64,iVBORw0=';
    const common = { model, input_type: 'image' };
    const ofImage = await json('/v2/embed', { ...common, images: [image] });
    expect(ofImage).toMatchObject({ texts: [], meta: { billed_units: { images: 1 } } });
    const content = [
      { type: 'text', text: 'one' },
      { type: 'image_url', image_url: { url: image } },
    ];
    const mixed = await json('/v2/embed', { ...common, inputs: [{ content }] });
    expect(mixed.embeddings.float).toHaveLength(1);
    expect(mixed.meta.billed_units).toEqual({ input_tokens: 1, images: 1 });
  });

  test('are plain lists at version 1, unless types are asked for', async () => {
    const plain = await json('/v1/embed', { model, texts });
    expect(plain).toMatchObject({
      ...{ response_type: 'embeddings_floats', embeddings: [expect.any(Array), expect.any(Array)] },
      meta: { api_version: { version: '1' } },
    });
    expect(await json('/v1/embed', { model, texts, embedding_types: ['int8'] })).toMatchObject({
      response_type: 'embeddings_by_type',
      embeddings: { int8: [expect.any(Array), expect.any(Array)] },
    });
  });
});

describe('ranking', () => {
  const body = { model, query: 'the weather in Paris', documents: ['the weather in Rome', 'the weather in Paris'] };

  test('orders documents', async () => {
    expect(await json('/v2/rerank', { ...body, top_n: 1 })).toEqual({
      id: expect.any(String),
      results: [{ index: 1, relevance_score: 1 }],
      meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
    });
  });

  test('shows documents at version 1, to clients of Cohere', async () => {
    const asked = { ...body, documents: [...body.documents, { text: 'Berlin' }], return_documents: true };
    expect(await json('/v1/rerank', asked, OF_SDK)).toMatchObject({
      results: [{ index: 1, document: { text: 'the weather in Paris' } }, { index: 0 }, { index: 2 }],
      meta: { api_version: { version: '1' } },
    });
    expect(await json('/v1/rerank', asked)).toHaveProperty('usage.total_tokens');
  });
});

describe('models and tokens', () => {
  test.for([
    { rule: 'an SDK', path: '/v1/models', headers: OF_SDK },
    { rule: 'its parameters', path: '/v1/models?page_size=1000', headers: {} },
  ])('the list is known by $rule', async ({ path, headers }) => {
    const { models } = await get(path, headers);
    expect(models.map(({ name }: { name: string }) => name)).toEqual(MOCK_MODELS);
    expect(models[0]).toMatchObject({ finetuned: false, endpoints: expect.arrayContaining(['chat']) });
  });

  test('the list has pages, and can be of an endpoint', async () => {
    const first = await get('/v1/models?page_size=3');
    expect(first.models).toHaveLength(3);
    const rest = await get(`/v1/models?page_size=3&page_token=${first.next_page_token}`);
    expect(rest.models).toHaveLength(1);
    expect(rest).not.toHaveProperty('next_page_token');
    expect((await get('/v1/models?endpoint=classify')).models).toEqual([]);
  });

  test('a model is there or is not', async () => {
    expect(await get('/v1/models/mock-small', OF_SDK)).toMatchObject({ name: 'mock-small' });
    expect(await get('/v1/models/other', OF_SDK)).toMatchObject({ message: expect.stringContaining('other') });
  });

  test('a text has tokens, a quarter of its characters', async () => {
    const { tokens, token_strings: pieces } = await json('/v1/tokenize', { model, text: 'Say hello' });
    expect(pieces).toEqual(['Say ', 'hell', 'o']);
    expect(tokens).toHaveLength(3);
    expect(tokens.every((token: unknown) => Number.isSafeInteger(token))).toBe(true);
  });
});

describe('a wrong body', () => {
  const bad = (path: string, body: object | string, message: RegExp) => ({ path, body, message });
  const embed = { model, texts: ['a'], input_type: 'search_query' };
  const rank = { model, query: 'a', documents: ['a'] };

  test.for([
    bad('/v2/chat', '{', /JSON/),
    bad('/v2/chat', { messages }, /model is required/),
    bad('/v2/chat', { model, messages: [] }, /messages/),
    bad('/v2/chat', { model, messages: ['hi'] }, /messages\[0\]/),
    bad('/v2/chat', { model, messages: [{ role: 'human', content: 'a' }] }, /messages\[0\]\.role/),
    bad('/v2/chat', { model, messages: [{ role: 'user' }] }, /messages\[0\]\.content/),
    bad('/v2/chat', { model, messages: [{ role: 'tool', content: 'a' }] }, /messages\[0\]\.tool_call_id/),
    bad('/v2/chat', { ...ask, max_tokens: 1.5 }, /max_tokens/),
    bad('/v2/chat', { ...ask, stop_sequences: Array.from('abcdef') }, /stop_sequences/),
    bad('/v2/chat', { ...ask, tools: [{ type: 'function' }] }, /tools\[0\]/),
    bad('/v2/chat', { ...ask, tools: [weather], tool_choice: 'auto' }, /tool_choice/),
    bad('/v2/chat', { ...ask, tool_choice: 'REQUIRED' }, /tool_choice/),
    bad('/v2/chat', { ...ask, documents: [{ text: 'a' }] }, /documents\[0\]/),
    bad('/v2/chat', { ...ask, citation_options: { mode: 'on' } }, /citation_options/),
    bad('/v2/chat', { ...ask, response_format: { type: 'json_schema' } }, /response_format/),
    bad('/v2/embed', { model, texts: ['a'] }, /input_type/),
    bad('/v2/embed', { ...embed, texts: [] }, /texts/),
    bad('/v2/embed', { ...embed, texts: Array.from({ length: 97 }, () => 'a') }, /96/),
    bad('/v2/embed', { ...embed, images: ['data:image/png;base64,AA=='] }, /one of texts, images/),
    bad('/v2/embed', { model, images: ['https://example.com/a.png'], input_type: 'image' }, /images/),
    bad('/v2/embed', { ...embed, embedding_types: ['float16'] }, /embedding_types/),
    bad('/v2/embed', { ...embed, embedding_types: Array.from({ length: 7 }, () => 'float') }, /embedding_types/),
    bad('/v2/embed', { ...embed, output_dimension: 3 }, /output_dimension/),
    bad('/v2/rerank', { ...rank, documents: [] }, /documents/),
    bad('/v2/rerank', { ...rank, documents: [{ text: 'a' }] }, /documents/),
    bad('/v2/rerank', { ...rank, top_n: 0 }, /top_n/),
    bad('/v2/rerank', { model, documents: ['a'] }, /query/),
    bad('/v1/tokenize', { model, text: '' }, /text/),
  ])('is refused as Cohere does: $path $body', async ({ path, body, message }) => {
    const { status, text } = await post(path, body);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toEqual({ id: expect.any(String), message: expect.stringMatching(message) });
  });

  test('so are an unknown path, a wrong credential and a fault that is asked for', async () => {
    const error = { id: expect.any(String), message: expect.any(String) };
    expect(await json('/v2/other', {})).toEqual(error);
    const denied = await post('/v2/chat', ask, { 'x-mock-require-auth': 'co-1', authorization: 'Bearer co-2' });
    expect([denied.status, JSON.parse(denied.text)]).toEqual([401, error]);
    const failed = await post('/v2/chat', { ...ask, model: 'mock-fail-429' });
    expect([failed.status, JSON.parse(failed.text)]).toEqual([429, error]);
  });
});
