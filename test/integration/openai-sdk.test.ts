/** The unmodified OpenAI SDK: only its base URL and its key change. */
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { config, KEY, key } from '../kit/snapshot.ts';

let world: World;
let openai: OpenAI;

beforeAll(async () => {
  world = await startWorld({
    entries: () => [config('main', { provider: '@openai' }), key({ config: 'main', allowConfigOverride: true })],
  });
  // The key alone: the key's default config names the provider.
  openai = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: KEY, maxRetries: 0 });
});

afterAll(() => world[Symbol.asyncDispose]());

const model = 'mock-small';
const messages = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];

describe('the OpenAI SDK', () => {
  test('completes a chat', async () => {
    const { data, response } = await openai.chat.completions.create({ model, messages }).withResponse();
    expect(data.choices[0]?.message.content).toContain('What is the weather in Paris?');
    expect(data.usage?.total_tokens).toBeGreaterThan(0);
    expect(response.headers.get('x-gw-provider')).toBe('openai');
  });

  test('sends the stored credential and not its own key', async () => {
    await openai.chat.completions.create({ model, messages });
    const { headers } = lastRequest(world.mock);
    expect(headers.authorization).toBe('Bearer sk-openai-secret');
    expect(JSON.stringify(headers)).not.toContain(KEY);
  });

  test('streams a chat with usage', async () => {
    const stream = await openai.chat.completions.create({
      model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
    expect(text).toContain('What is the weather in Paris?');
    expect(chunks.filter(({ choices }) => choices.length === 0).map(({ usage }) => usage?.total_tokens)).toEqual([
      expect.any(Number),
    ]);
  });

  test('assembles a stream with its helper', async () => {
    const stream = openai.chat.completions.stream({ model, messages });
    expect(await stream.finalContent()).toContain('What is the weather in Paris?');
  });

  test('calls tools, unary and streamed', async () => {
    const tools = [
      {
        type: 'function' as const,
        function: {
          name: 'get_weather',
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        },
      },
    ];
    const unary = await openai.chat.completions.create({ model, messages, tools });
    const [call] = unary.choices[0]?.message.tool_calls ?? [];
    expect(call).toMatchObject({ type: 'function', function: { name: 'get_weather' } });
    const streamed = await openai.chat.completions.stream({ model, messages, tools }).finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: 'get_weather' } });
    expect(streamed.choices[0]?.finish_reason).toBe('tool_calls');
  });

  test('gives structured output', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, degrees: { type: 'integer' } },
      required: ['city', 'degrees'],
      additionalProperties: false,
    };
    const answer = await openai.chat.completions.parse({
      model,
      messages,
      response_format: { type: 'json_schema', json_schema: { name: 'weather', strict: true, schema } },
    });
    expect(answer.choices[0]?.message.parsed).toEqual({ city: expect.any(String), degrees: expect.any(Number) });
  });

  test('embeds', async () => {
    const { data } = await openai.embeddings.create({ model: 'mock-embedding', input: ['one', 'two'] });
    expect(data.map(({ index, embedding }) => [index, embedding.length > 0])).toEqual([
      [0, true],
      [1, true],
    ]);
  });

  test('completes a text, unary and streamed', async () => {
    const unary = await openai.completions.create({ model, prompt: 'Once upon a time' });
    expect(unary.choices[0]?.text).toContain('Once upon a time');
    const stream = await openai.completions.create({ model, prompt: 'Once upon a time', stream: true });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toContain('Once upon a time');
  });

  test('lists models', async () => {
    const { data } = await openai.models.list();
    expect(data.map(({ object }) => object)).toContain('model');
  });

  test('keeps a responses conversation: create, retrieve, items, delete', async () => {
    const first = await openai.responses.create({ model, input: 'My name is Ada' });
    expect(first.output_text).toContain('My name is Ada');
    const next = await openai.responses.create({ model, input: 'And now?', previous_response_id: first.id });
    expect(next.status).toBe('completed');
    expect((await openai.responses.retrieve(first.id)).id).toBe(first.id);
    expect((await openai.responses.inputItems.list(first.id)).data).toHaveLength(1);
    await openai.responses.delete(first.id);
    await expect(openai.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
  });

  test('streams a response event by event', async () => {
    const stream = await openai.responses.create({ model, input: 'Hello', stream: true });
    const events = await Array.fromAsync(stream);
    expect(events.at(0)?.type).toBe('response.created');
    expect(events.at(-1)?.type).toBe('response.completed');
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
  });

  test('reaches what has no typed route yet: files', async () => {
    const file = await openai.files.create({ file: await toFile(Buffer.from('{"a":1}'), 'a.jsonl'), purpose: 'batch' });
    expect(file).toMatchObject({ object: 'file', filename: 'a.jsonl', bytes: 7 });
  });

  test('makes images, moderates, speaks and transcribes', async () => {
    const image = await openai.images.generate({ model: 'mock-image', prompt: 'a cat' });
    expect(image.data).toHaveLength(1);
    const moderation = await openai.moderations.create({ input: 'hello' });
    expect(moderation.results).toHaveLength(1);
    const speech = await openai.audio.speech.create({ model: 'mock-tts', voice: 'alloy', input: 'Hello' });
    const audio = Buffer.from(await speech.arrayBuffer());
    expect(audio.length).toBeGreaterThan(0);
    const transcription = await openai.audio.transcriptions.create({
      model: 'mock-stt',
      file: await toFile(audio, 'hello.mp3'),
    });
    expect(transcription.text).toEqual(expect.any(String));
  });

  test.for([
    { rule: 'a wrong key is an AuthenticationError', apiKey: 'gwk_wrong', kind: OpenAI.AuthenticationError },
    { rule: 'a provider error keeps its kind', model: 'mock-fail-429', kind: OpenAI.RateLimitError },
    { rule: 'a provider failure keeps its kind', model: 'mock-fail-500', kind: OpenAI.InternalServerError },
    { rule: 'a bad request of the provider keeps its kind', model: 'mock-fail-400', kind: OpenAI.BadRequestError },
  ])('$rule', async ({ apiKey = KEY, model: asked = model, kind }) => {
    const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey, maxRetries: 0 });
    const failure = await client.chat.completions.create({ model: asked, messages }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(kind);
    expect(failure).toMatchObject({ headers: expect.any(Headers), message: expect.any(String) });
  });

  test('a stream that breaks is an APIError, after what had arrived', async () => {
    const stream = await openai.chat.completions.create({ model: 'mock-cut-900', messages, stream: true });
    const seen: unknown[] = [];
    const failure = await (async () => {
      for await (const chunk of stream) seen.push(chunk);
    })().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OpenAI.APIError);
    expect(failure).toMatchObject({ type: 'stream_error' });
    expect(seen.length).toBeGreaterThan(0);
  });
});
