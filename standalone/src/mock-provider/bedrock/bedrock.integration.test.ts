import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMockProvider, type MockProvider } from '../index.ts';
import { cutMessages, type Message } from './testing.ts';

let mock: MockProvider;
beforeAll(async () => {
  mock = await createMockProvider();
});
afterAll(() => mock.close());

const MODEL = encodeURIComponent('anthropic.claude-mock-v1:0');
const CONVERSE = `/model/${MODEL}/converse`;
const INVOKE = `/model/${MODEL}/invoke`;
const messages = [{ role: 'user', content: [{ text: 'Say hello' }] }];
const weather = {
  toolSpec: {
    name: 'get_weather',
    inputSchema: { json: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } } },
  },
};

type Headers = Readonly<Record<string, string>>;

async function post(path: string, body: object | string, headers: Headers = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(`${mock.url}${path}`, { method: 'POST', body: text, headers });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

async function json(path: string, body: object | string, headers: Headers = {}) {
  return JSON.parse(String((await post(path, body, headers)).bytes));
}

async function stream(body: object, headers: Headers = {}) {
  const answer = await post(`${CONVERSE}-stream`, body, headers);
  return cutMessages(answer.bytes);
}

const typeOf = ({ headers }: Message): string | undefined => headers[':event-type'];
const read = ({ payload }: Message) => JSON.parse(String(payload));

describe('converse', () => {
  test('repeats the user and counts tokens', async () => {
    const { headers, bytes } = await post(CONVERSE, { messages });
    expect(JSON.parse(String(bytes))).toEqual({
      output: { message: { role: 'assistant', content: [{ text: 'Mock answer to: Say hello' }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: 3, outputTokens: 7, totalTokens: 10, cacheReadInputTokens: 0, cacheWriteInputTokens: 0 },
      metrics: { latencyMs: 1 },
    });
    expect(headers.get('x-amzn-requestid')).toMatch(/^[\da-f]{24}$/);
    expect((await post(CONVERSE, { messages })).bytes.equals(bytes)).toBe(true);
  });

  test.for([
    { rule: 'a cut', more: { inferenceConfig: { maxTokens: 2 } }, want: { stopReason: 'max_tokens' } },
    {
      rule: 'a stop sequence',
      more: { inferenceConfig: { stopSequences: [' to'] } },
      want: { stopReason: 'stop_sequence', output: { message: { content: [{ text: 'Mock answer' }] } } },
    },
    {
      rule: 'thinking',
      more: { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1_024 } } },
      want: {
        output: {
          message: {
            content: [
              { reasoningContent: { reasoningText: { text: expect.any(String), signature: expect.any(String) } } },
              { text: 'Mock answer to: Say hello' },
            ],
          },
        },
      },
    },
    {
      rule: 'JSON of a schema',
      more: {
        outputConfig: {
          textFormat: {
            type: 'json_schema',
            structure: { jsonSchema: { schema: '{"properties":{"n":{"type":"integer"}}}' } },
          },
        },
      },
      want: { output: { message: { content: [{ text: '{"n":1}' }] } } },
    },
    {
      rule: 'a forced tool',
      more: {
        toolConfig: {
          tools: [{ toolSpec: { ...weather.toolSpec, name: 'other' } }, weather, { cachePoint: { type: 'default' } }],
          toolChoice: { tool: { name: 'get_weather' } },
        },
      },
      want: { stopReason: 'tool_use', output: { message: { content: [{ toolUse: { name: 'get_weather' } }] } } },
    },
    {
      rule: 'images',
      more: {
        system: [{ text: 'Look' }],
        messages: [
          { role: 'user', content: [{ text: 'See' }, { image: { format: 'png', source: { bytes: 'AA==' } } }] },
        ],
      },
      want: {
        usage: { inputTokens: 2 },
        output: { message: { content: [{ text: 'Mock answer to: See [1 image]' }] } },
      },
    },
  ])('knows $rule', async ({ more, want }) => {
    expect(await json(CONVERSE, { messages, ...more })).toMatchObject(want);
  });

  test('calls a tool, then answers from its result', async () => {
    const toolConfig = { tools: [weather] };
    const { output, stopReason } = await json(CONVERSE, { messages, toolConfig });
    expect(stopReason).toBe('tool_use');
    const [{ toolUse }] = output.message.content;
    expect(toolUse).toEqual({
      toolUseId: expect.stringMatching(/^tooluse_/),
      ...{ name: 'get_weather', input: { city: 'Paris', days: 1 } },
    });
    const results = [
      { toolResult: { toolUseId: toolUse.toolUseId, content: [{ text: '18 ' }, { json: { unit: 'C' } }] } },
    ];
    const turns = [...messages, output.message, { role: 'user', content: results }];
    const answer = await json(CONVERSE, { messages: turns, toolConfig });
    expect(answer.output.message.content).toEqual([{ text: 'Mock answer from the tool result: 18 {"unit":"C"}' }]);
  });

  test('counts the tokens of a request', async () => {
    const counted = await json(`/model/${MODEL}/count-tokens`, { input: { converse: { messages } } });
    expect(counted).toEqual({ inputTokens: 3 });
  });
});

describe('a stream', () => {
  test('has the events of text, with checksums', async () => {
    const answer = await post(`${CONVERSE}-stream`, { messages });
    expect(answer.headers.get('content-type')).toBe('application/vnd.amazon.eventstream');
    const events = cutMessages(answer.bytes);
    expect(events[0]?.headers).toEqual({
      ...{ ':event-type': 'messageStart', ':content-type': 'application/json', ':message-type': 'event' },
    });
    expect(events.map(typeOf).filter((type, at, all) => type !== all[at - 1])).toEqual([
      ...['messageStart', 'contentBlockDelta', 'contentBlockStop', 'messageStop', 'metadata'],
    ]);
    const deltas = events.filter((event) => typeOf(event) === 'contentBlockDelta').map(read);
    expect(deltas.map(({ delta }) => delta.text).join('')).toBe('Mock answer to: Say hello');
    expect(events.slice(-2).map(read)).toMatchObject([
      { stopReason: 'end_turn' },
      { usage: { inputTokens: 3, outputTokens: 7, totalTokens: 10 } },
    ]);
  });

  test('has thinking with its signature, and calls of tools in pieces', async () => {
    const additionalModelRequestFields = { thinking: { type: 'enabled', budget_tokens: 1_024 } };
    const events = await stream({ messages, toolConfig: { tools: [weather] }, additionalModelRequestFields });
    const start = events.filter((event) => typeOf(event) === 'contentBlockStart').map(read);
    expect(start).toMatchObject([{ contentBlockIndex: 1, start: { toolUse: { name: 'get_weather' } } }]);
    const deltas = events.filter((event) => typeOf(event) === 'contentBlockDelta').map((event) => read(event).delta);
    expect(deltas.some(({ reasoningContent }) => reasoningContent?.signature !== undefined)).toBe(true);
    const pieces = deltas.filter(({ toolUse }) => toolUse !== undefined).map(({ toolUse }) => toolUse.input);
    expect(JSON.parse(pieces.join(''))).toEqual({ city: 'Paris', days: 1 });
    expect(pieces.length).toBeGreaterThan(1);
    expect(events.slice(-2).map(read)).toMatchObject([{ stopReason: 'tool_use' }, { usage: { inputTokens: 3 } }]);
  });

  test.for([
    { event: '1', exception: 'internalServerException' },
    { event: 'overloaded', exception: 'serviceUnavailableException' },
  ])('ends with an exception that is asked for: $exception', async ({ event, exception }) => {
    const headers = { 'x-mock-error-event': event, 'x-mock-error-event-after': '1' };
    const [first, last, ...rest] = await stream({ messages }, headers);
    expect([first && typeOf(first), rest]).toEqual(['messageStart', []]);
    expect(last?.headers).toMatchObject({ ':message-type': 'exception', ':exception-type': exception });
    expect(last && read(last)).toEqual({ message: expect.any(String) });
  });

  test('can lack its end', async () => {
    const events = await stream({ messages }, { 'x-mock-no-done': '1' });
    expect(events.map(typeOf).at(-1)).toBe('contentBlockStop');
  });

  test('can be malformed in the payload of a message, or in its framing', async () => {
    const payloads = async (how: string): Promise<readonly Buffer[]> =>
      (await stream({ messages }, { 'x-mock-malformed': how })).map(({ payload }) => payload);
    const broken = (texts: readonly Buffer[]): number =>
      texts.filter((text) => {
        try {
          return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text)) === undefined;
        } catch {
          return true;
        }
      }).length;
    expect(broken(await payloads('json'))).toBe(1);
    expect(broken(await payloads('utf8'))).toBe(1);
    await expect(payloads('sse')).rejects.toThrow();
  });

  test('comes with pauses and in pieces as others do', async () => {
    const plain = await post(`${CONVERSE}-stream`, { messages });
    const slow = await post(
      `${CONVERSE}-stream`,
      { messages },
      { 'x-mock-token-delay-ms': '1', 'x-mock-chunk-bytes': '7' },
    );
    expect(slow.bytes.equals(plain.bytes)).toBe(true);
    expect(mock.requests.at(-1)).toMatchObject({ path: `${CONVERSE}-stream`, outcome: 'finished' });
  });
});

describe('invoked models make embeddings', () => {
  test('of Titan', async () => {
    const { headers, bytes } = await post(INVOKE, {
      inputText: 'one two',
      dimensions: 256,
      embeddingTypes: ['float', 'binary'],
    });
    const answer = JSON.parse(String(bytes));
    expect(answer).toMatchObject({ inputTextTokenCount: 2, embeddingsByType: { float: answer.embedding } });
    expect([answer.embedding.length, answer.embeddingsByType.binary.length]).toEqual([256, 256]);
    expect(headers.get('x-amzn-bedrock-input-token-count')).toBe('2');
    const image = { inputText: 'one', inputImage: 'iVBORw0=', embeddingConfig: { outputEmbeddingLength: 384 } };
    expect((await json(INVOKE, image)).embedding).toHaveLength(384);
    expect((await json(INVOKE, { inputText: 'one' })).embedding).toHaveLength(1_024);
  });

  test('of Cohere', async () => {
    const body = { texts: ['one', 'two'], input_type: 'search_document' };
    const { headers, bytes } = await post(INVOKE, body);
    const answer = JSON.parse(String(bytes));
    expect(answer).toMatchObject({ response_type: 'embeddings_floats', texts: ['one', 'two'] });
    expect(answer.embeddings).toHaveLength(2);
    expect(headers.get('x-amzn-bedrock-input-token-count')).toBe('2');
    const typed = await json(INVOKE, { ...body, embedding_types: ['int8'] });
    expect(typed.embeddings.int8).toHaveLength(2);
  });
});

describe('a wrong body', () => {
  const bad = (path: string, body: object | string, message: RegExp) => ({ path, body, message });

  test.for([
    bad(CONVERSE, '{', /JSON/),
    bad(CONVERSE, {}, /messages/),
    bad(CONVERSE, { messages: ['hi'] }, /messages\.1/),
    bad(CONVERSE, { messages: [{ role: 'system', content: [{ text: 'a' }] }] }, /messages\.1\.member\.role/),
    bad(CONVERSE, { messages: [{ role: 'user', content: 'a' }] }, /messages\.1\.member\.content/),
    bad(CONVERSE, { messages: [{ role: 'assistant', content: [{ text: 'a' }] }] }, /start with a user message/),
    bad(CONVERSE, { messages, system: 'a' }, /system/),
    bad(CONVERSE, { messages, inferenceConfig: { maxTokens: 0 } }, /maxTokens/),
    bad(CONVERSE, { messages, toolConfig: { tools: [] } }, /toolConfig\.tools/),
    bad(CONVERSE, { messages, toolConfig: { tools: [{ name: 'f' }] } }, /toolConfig\.tools\.1/),
    bad(`${CONVERSE}-stream`, {}, /messages/),
    bad(`/model/${MODEL}/count-tokens`, { input: {} }, /converse/),
    bad(INVOKE, { prompt: 'a' }, /inputText/),
    bad(INVOKE, { inputText: 'a', dimensions: 3 }, /dimensions/),
    bad(INVOKE, { texts: ['a'] }, /input_type/),
    bad(INVOKE, { texts: [], input_type: 'search_query' }, /texts/),
  ])('is refused as Bedrock does: $path $body', async ({ path, body, message }) => {
    const { status, headers, bytes } = await post(path, body);
    expect([status, headers.get('x-amzn-errortype')]).toEqual([400, 'ValidationException']);
    expect(JSON.parse(String(bytes))).toEqual({ message: expect.stringMatching(message) });
  });

  test.for([
    { rule: 'an unknown path', path: '/model/m/other', status: 404, type: 'UnknownOperationException' },
    {
      rule: 'a fault of the model name',
      path: '/model/mock-fail-429/converse',
      status: 429,
      type: 'ThrottlingException',
    },
    {
      rule: 'a fault of a name',
      path: '/model/mock-fail-500/converse-stream',
      status: 500,
      type: 'InternalServerException',
    },
  ])('so is $rule', async ({ path, status, type }) => {
    const answer = await post(path, { messages });
    expect([answer.status, answer.headers.get('x-amzn-errortype')]).toEqual([status, type]);
  });

  test('a required credential is the access key id of a signature, or a bearer token', async () => {
    const signed = (id: string) => ({
      'x-mock-require-auth': 'AKID1',
      authorization: `AWS4-HMAC-SHA256 Credential=${id}/20260101/us-east-1/bedrock/aws4_request, Signature=0`,
    });
    expect((await post(CONVERSE, { messages }, signed('AKID1'))).status).toBe(200);
    const denied = await post(CONVERSE, { messages }, signed('AKID2'));
    expect([denied.status, denied.headers.get('x-amzn-errortype')]).toEqual([401, 'UnrecognizedClientException']);
  });
});
