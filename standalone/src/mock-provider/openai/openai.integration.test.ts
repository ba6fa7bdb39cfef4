import { createHash } from 'node:crypto';
import OpenAI, { toFile } from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createMockProvider, MOCK_MODELS, type MockProvider } from '../index.ts';

let mock: MockProvider;
let client: OpenAI;
beforeAll(async () => {
  mock = await createMockProvider();
  client = new OpenAI({ baseURL: `${mock.url}/v1`, apiKey: 'any', maxRetries: 0, logLevel: 'off' });
});
afterAll(() => mock.close());

const model = 'gpt-mock';
const messages = [{ role: 'user' as const, content: 'Say hello' }];
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
};
const weather = { type: 'function' as const, function: { name: 'get_weather', parameters } };
const clock = {
  type: 'function' as const,
  function: { name: 'get_time', parameters: { type: 'object', properties: {} } },
};
const faults = (headers: Record<string, string>) => ({ headers });

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  return Array.fromAsync(stream);
}

/** Ids are derived from the whole request, so asking for a stream changes them. */
function withoutIds<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, item) => (key === 'id' || key === 'call_id' ? undefined : item)));
}

describe('chat completions', () => {
  test('repeat the user and count tokens', async () => {
    const { data, response } = await client.chat.completions.create({ model, messages }).withResponse();
    expect(data).toMatchObject({
      object: 'chat.completion',
      model,
      choices: [
        { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Mock answer to: Say hello' } },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 7, total_tokens: 10 },
    });
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  });

  test('read images in parts', async () => {
    const url = 'data:image/png;base64,AAAA';
    const content = [
      { type: 'text' as const, text: 'What is it?' },
      { type: 'image_url' as const, image_url: { url } },
    ];
    const { choices } = await client.chat.completions.create({ model, messages: [{ role: 'user', content }] });
    expect(choices[0]?.message.content).toBe('Mock answer to: What is it? [1 image]');
  });

  test.for([
    { rule: 'n choices', ask: { n: 3 }, want: { choices: [{ index: 0 }, { index: 1 }, { index: 2 }] } },
    {
      rule: 'a cut',
      ask: { max_completion_tokens: 2 },
      want: { choices: [{ finish_reason: 'length', message: { content: 'Mock ans' } }] },
    },
    {
      rule: 'a stop sequence',
      ask: { stop: ' to' },
      want: { choices: [{ finish_reason: 'stop', message: { content: 'Mock answer' } }] },
    },
    {
      rule: 'JSON',
      ask: { response_format: { type: 'json_object' as const } },
      want: { choices: [{ message: { content: '{"answer":"Mock answer to: Say hello"}' } }] },
    },
    {
      rule: 'reasoning tokens',
      ask: { reasoning_effort: 'low' as const },
      want: { usage: { completion_tokens_details: { reasoning_tokens: 15 } } },
    },
  ])('know $rule', async ({ ask, want }) => {
    expect(await client.chat.completions.create({ model, messages, ...ask })).toMatchObject(want);
  });

  test('give each token a log probability', async () => {
    const ask = { model, messages, logprobs: true, top_logprobs: 2 };
    const { choices } = await client.chat.completions.create(ask);
    const tokens = choices[0]?.logprobs?.content ?? [];
    expect(tokens.map((entry) => entry.token).join('')).toBe(choices[0]?.message.content);
    expect(tokens.every((entry) => entry.top_logprobs.length === 2 && entry.logprob < 0)).toBe(true);
  });

  test('fit a schema that the SDK parses', async () => {
    const Event = z.object({ name: z.string(), date: z.iso.date(), guests: z.array(z.string()) });
    const ask = { model, messages, response_format: zodResponseFormat(Event, 'event') };
    const { choices } = await client.chat.completions.parse(ask);
    expect(choices[0]?.message.parsed).toEqual({ name: 'Ada Lovelace', date: '2026-01-01', guests: ['mock guests'] });
  });

  test('call a tool, then answer from its result', async () => {
    const asked = await client.chat.completions.create({ model, messages, tools: [weather] });
    const [choice] = asked.choices;
    expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
    const [call] = choice?.message.tool_calls ?? [];
    if (choice === undefined || call?.type !== 'function') throw new Error('expected a call');
    expect(JSON.parse(call.function.arguments)).toEqual({ city: 'Paris', days: 1 });
    const result = { role: 'tool' as const, tool_call_id: call.id, content: '18 °C' };
    const followed = await client.chat.completions.create({
      model,
      messages: [...messages, choice.message, result],
      tools: [weather],
    });
    expect(followed.choices[0]?.message.content).toBe('Mock answer from the tool result: 18 °C');
  });

  test('drive the tool runner of the SDK to its end', async () => {
    const run = client.chat.completions.runTools({
      model,
      messages,
      tools: [
        {
          type: 'function',
          function: { ...weather.function, description: 'Says the weather', function: () => 'sunny' },
        },
      ],
    });
    expect(await run.finalContent()).toBe('Mock answer from the tool result: sunny');
  });
});

describe('a chat stream', () => {
  test('adds up to the unary answer', async () => {
    const ask = { model, messages, n: 2, logprobs: true };
    const unary = await client.chat.completions.create(ask);
    const streamed = await client.chat.completions.stream(ask).finalChatCompletion();
    expect(streamed.choices.map((choice) => choice.message.content)).toEqual(
      unary.choices.map((choice) => choice.message.content),
    );
    expect(streamed.choices.map((choice) => choice.finish_reason)).toEqual(['stop', 'stop']);
    expect(streamed.choices[0]?.logprobs?.content).toEqual(unary.choices[0]?.logprobs?.content);
  });

  test('has exactly one chunk of usage, without choices, and only when asked', async () => {
    const ask = { model, messages, stream: true as const };
    const plain = await collect(await client.chat.completions.create(ask));
    expect(plain.every((chunk) => chunk.usage === undefined && chunk.choices.length === 1)).toBe(true);
    const counted = await collect(
      await client.chat.completions.create({ ...ask, stream_options: { include_usage: true } }),
    );
    expect(counted.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    expect(counted.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 3, completion_tokens: 7, total_tokens: 10 },
    });
    expect(new Set(counted.map((chunk) => chunk.id)).size).toBe(1);
  });

  test('assembles several tool calls', async () => {
    const ask = {
      model,
      messages: [{ role: 'user' as const, content: 'get_weather and get_time' }],
      tools: [weather, clock],
    };
    const { choices } = await client.chat.completions.stream(ask).finalChatCompletion();
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        tool_calls: [
          { function: { name: 'get_weather', arguments: '{"city":"Paris","days":1}' } },
          { function: { name: 'get_time', arguments: '{}' } },
        ],
      },
    });
  });

  test('can end with an error event', async () => {
    const stream = await client.chat.completions.create(
      { model, messages, stream: true },
      faults({ 'x-mock-error-event': '1', 'x-mock-error-event-after': '2' }),
    );
    const seen: unknown[] = [];
    const read = async (): Promise<void> => {
      for await (const chunk of stream) seen.push(chunk);
    };
    await expect(read()).rejects.toMatchObject({ type: 'server_error' });
    expect(seen).toHaveLength(2);
  });
});

describe('text completions', () => {
  const prompt = ['One', 'Two'];

  test('answer each prompt n times', async () => {
    const { choices, usage } = await client.completions.create({ model, prompt, n: 2 });
    expect(choices.map((choice) => choice.text)).toEqual([
      'Mock answer to: One',
      'Mock answer to: One (choice 2)',
      'Mock answer to: Two',
      'Mock answer to: Two (choice 2)',
    ]);
    expect(usage).toMatchObject({ prompt_tokens: 2, total_tokens: 2 + (usage?.completion_tokens ?? 0) });
  });

  test('stream', async () => {
    const ask = { model, prompt: 'One', echo: true, stream: true as const, stream_options: { include_usage: true } };
    const chunks = await collect(await client.completions.create(ask));
    expect(chunks.map((chunk) => chunk.choices[0]?.text ?? '').join('')).toBe('OneMock answer to: One');
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 1 } });
  });
});

describe('embeddings', () => {
  test('are the same vector in both encodings', async () => {
    const ask = { model, input: 'A text', dimensions: 8 };
    const floats = await client.embeddings.create({ ...ask, encoding_format: 'float' });
    const decoded = await client.embeddings.create(ask); // the SDK asks for base64 and decodes it
    expect(floats.data[0]?.embedding).toHaveLength(8);
    expect(decoded.data[0]?.embedding).toEqual(floats.data[0]?.embedding);
    expect(floats.usage).toEqual({ prompt_tokens: 2, total_tokens: 2 });
  });

  test.for([
    { rule: 'several texts', input: ['a', 'b', 'c'], vectors: 3, tokens: 3 },
    { rule: 'token ids', input: [1, 2, 3], vectors: 1, tokens: 3 },
    { rule: 'several lists of token ids', input: [[1, 2], [3]], vectors: 2, tokens: 3 },
  ])('take $rule', async ({ input, vectors, tokens }) => {
    const answer = await client.embeddings.create({ model, input });
    expect(answer.data.map((entry) => entry.embedding.length)).toEqual(Array.from({ length: vectors }, () => 1_536));
    expect(answer.usage.prompt_tokens).toBe(tokens);
  });
});

describe('responses', () => {
  const tools = [{ type: 'function' as const, name: 'get_weather', parameters, strict: false }];

  test('answer, are remembered, list their input and can be deleted', async () => {
    const input = [
      { role: 'user' as const, content: 'One' },
      { role: 'user' as const, content: 'Two' },
    ];
    const created = await client.responses.create({ model, input, instructions: 'Be brief' });
    expect(created).toMatchObject({
      status: 'completed',
      output_text: 'Mock answer to: Two',
      usage: { input_tokens: 4 },
    });
    expect(await client.responses.retrieve(created.id)).toEqual(created);
    const items = await collect(client.responses.inputItems.list(created.id, { limit: 1, order: 'asc' }));
    expect(items).toMatchObject(input);
    await client.responses.delete(created.id);
    await expect(client.responses.retrieve(created.id)).rejects.toMatchObject({ status: 404 });
  });

  test('are forgotten when they must not be stored', async () => {
    const { id } = await client.responses.create({ model, input: 'Secret', store: false });
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });

  test('call a tool and continue from its result', async () => {
    const asked = await client.responses.create({ model, input: 'Weather?', tools });
    expect(asked.output).toMatchObject([{ type: 'function_call', name: 'get_weather', status: 'completed' }]);
    const [call] = asked.output;
    const output = {
      type: 'function_call_output' as const,
      call_id: call?.type === 'function_call' ? call.call_id : '',
      output: 'rain',
    };
    const followed = await client.responses.create({ model, input: [output], tools, previous_response_id: asked.id });
    expect(followed.output_text).toBe('Mock answer from the tool result: rain');
    await expect(client.responses.create({ model, input: 'x', previous_response_id: 'resp_no' })).rejects.toMatchObject(
      {
        status: 400,
        param: 'previous_response_id',
      },
    );
  });

  test.for([
    { rule: 'text', ask: {} },
    { rule: 'a cut text', ask: { max_output_tokens: 2 } },
    { rule: 'a tool call', ask: { tools } },
    { rule: 'reasoning with a summary', ask: { reasoning: { effort: 'low' as const, summary: 'auto' as const } } },
  ])('stream the events of $rule in order', async ({ ask }) => {
    const request = { model, input: 'Hello', ...ask };
    const unary = await client.responses.create(request);
    const events = await collect(await client.responses.create({ ...request, stream: true }));
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.slice(0, 2).map((event) => event.type)).toEqual(['response.created', 'response.in_progress']);
    const added = events.filter((event) => event.type === 'response.output_item.added');
    expect(added.map((event) => event.output_index)).toEqual(unary.output.map((_, index) => index));
    const last = events.at(-1);
    expect(last?.type).toBe(`response.${unary.status}`);
    if (last === undefined || !('response' in last)) throw new Error('expected the response');
    expect(withoutIds(last.response.output)).toEqual(withoutIds(unary.output));
    expect(last.response.usage).toEqual(unary.usage);
    const assembled = await client.responses.stream(request).finalResponse();
    expect(withoutIds(assembled.output)).toMatchObject(withoutIds(unary.output));
  });

  test('fit a schema that the SDK parses', async () => {
    const Answer = z.object({ answer: z.string(), sure: z.boolean() });
    const ask = { model, input: 'Why?', text: { format: zodTextFormat(Answer, 'answer') } };
    expect((await client.responses.parse(ask)).output_parsed).toEqual({ answer: 'Why?', sure: true });
  });
});

describe('the other operations', () => {
  test('models', async () => {
    expect((await collect(client.models.list())).map((entry) => entry.id)).toEqual([...MOCK_MODELS]);
    expect(await client.models.retrieve('mock-small')).toMatchObject({ id: 'mock-small', object: 'model' });
    await expect(client.models.retrieve('no-such')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });

  test('moderations', async () => {
    const { results } = await client.moderations.create({ input: ['kind words', 'pure violence'] });
    expect(results.map((result) => result.flagged)).toEqual([false, true]);
    expect(results[1]?.categories.violence).toBe(true);
    const parts = await client.moderations.create({ input: [{ type: 'text', text: 'hate' }] });
    expect(parts.results.map((result) => result.categories.hate)).toEqual([true]);
  });

  test('speech', async () => {
    const ask = { model, input: 'Hello', voice: 'alloy' as const };
    const response = await client.audio.speech.create(ask, faults({ 'x-mock-response-bytes': '1000' }));
    const audio = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(audio.length).toBe(1_000);
    expect(new Set(audio).size).toBe(256);
  });

  test('speech as events', async () => {
    const response = await client.audio.speech.create({ model, input: 'Hello', voice: 'alloy', stream_format: 'sse' });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(await response.text()).toContain('"speech.audio.done"');
  });

  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251));
  const received = { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };

  test('transcriptions', async () => {
    const file = await toFile(bytes, 'speech.wav');
    expect(await client.audio.transcriptions.create({ model, file })).toMatchObject({
      ...received,
      filename: 'speech.wav',
    });
    const verbose = await client.audio.transcriptions.create({ model, file, response_format: 'verbose_json' });
    expect(verbose).toMatchObject({ language: 'english', segments: [{ id: 0, text: verbose.text }] });
    expect(await client.audio.transcriptions.create({ model, file, response_format: 'srt' })).toContain(' --> ');
    const events = await collect(await client.audio.transcriptions.create({ model, file, stream: true }));
    expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done', text: verbose.text });
  });

  test('files', async () => {
    const file = await toFile(bytes, 'batch.jsonl');
    const uploaded = await client.files.create({ file, purpose: 'batch' });
    expect(uploaded).toMatchObject({ object: 'file', filename: 'batch.jsonl', purpose: 'batch', ...received });
  });
});

test.for([
  { rule: 'no model', path: '/chat/completions', body: { messages }, param: 'model' },
  { rule: 'no messages', path: '/chat/completions', body: { model, messages: [] }, param: 'messages' },
  { rule: 'too many choices', path: '/chat/completions', body: { model, messages, n: 129 }, param: 'n' },
  { rule: 'too many completions', path: '/completions', body: { model, prompt: ['a', 'b'], n: 65 }, param: 'n' },
  { rule: 'no input', path: '/embeddings', body: { model }, param: 'input' },
  {
    rule: 'too many dimensions',
    path: '/embeddings',
    body: { model, input: 'a', dimensions: 5_000 },
    param: 'dimensions',
  },
  { rule: 'nothing to moderate', path: '/moderations', body: {}, param: 'input' },
  {
    rule: 'an unknown format',
    path: '/audio/speech',
    body: { input: 'a', response_format: 'midi' },
    param: 'response_format',
  },
  { rule: 'a list as body', path: '/chat/completions', body: [], param: null },
])('a request with $rule is refused', async ({ path, body, param }) => {
  const response = await fetch(`${mock.url}/v1${path}`, { method: 'POST', body: JSON.stringify(body) });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', param } });
});
