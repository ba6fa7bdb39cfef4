/** The unmodified OpenAI SDK asks providers for responses that have chat completions alone: docs/behaviour/responses.md. */
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectNothingLeft, lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { config, guardrail, KEY, key, price, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;
let openai: OpenAI;
const records: RequestRecord[] = [];
const sink: Sink = { name: 'test', readsUsage: true, record: (record) => void records.push(record) };

const secret = (name: string, over: object = {}) =>
  guardrail(name, [{ id: 'default.contains', parameters: { words: ['SECRET'], operator: 'none' } }], over);
/** The first fails or has what the request asks for. */
const fallback = (...slugs: string[]): object => ({
  strategy: { mode: 'fallback', on_status_codes: [400, 500, 503] },
  retry: { attempts: 0 },
  targets: slugs.map((slug) => ({ provider: slug })),
});

beforeAll(async () => {
  world = await startWorld({
    sinks: [sink],
    entries: ({ url }) => [
      key({ config: 'main' }),
      config('main', { provider: '@openai' }),
      config('strict', { unsupported_params: 'error' }),
      config('cached', { cache: { mode: 'simple', max_age: 120 } }),
      config('native-first', fallback('@openai', '@anthropic')),
      config('adapted-first', fallback('@anthropic', '@openai')),
      config('input', { input_guardrails: ['no-secret'] }),
      config('output', { output_guardrails: ['no-secret'] }),
      config('window', { output_guardrails: ['window'] }),
      secret('no-secret', { buffer: true }),
      secret('window', { window: 64 }),
      price('mock-priced', { provider: 'anthropic', usdPerMillionTokens: { request: '1000', response: '2000' } }),
      provider('google', { provider: 'google', customHost: url }),
      provider('deepseek', { provider: 'deepseek', customHost: url }),
    ],
  });
  openai = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: KEY, maxRetries: 0 });
});

afterAll(() => world[Symbol.asyncDispose]());

const QUESTION = 'What is the weather in Paris?';
const tools: OpenAI.Responses.FunctionTool[] = [
  {
    type: 'function',
    name: 'get_weather',
    description: null,
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    strict: false,
  },
];
/** One of each format: messages, Gemini, and chat completions of another provider. */
const MODELS = ['@anthropic/mock-claude', '@google/mock-gemini', '@deepseek/mock-small'];

/** What clients send back; the types of the SDK differ in kinds of items that no answer here has. */
const sentBack = (output: readonly OpenAI.Responses.ResponseOutputItem[]): OpenAI.Responses.ResponseInput =>
  output as unknown as OpenAI.Responses.ResponseInput;

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'answered',
    (error: unknown) => error,
  );
const withConfig = (name: string): { headers: Record<string, string> } => ({ headers: { 'x-gw-config': name } });

describe.for(MODELS)('%s', (model) => {
  test('answers with a whole response', async () => {
    const { data, response } = await openai.responses
      .create({ model, instructions: 'Be brief.', input: QUESTION, max_output_tokens: 500 })
      .withResponse();
    expect(data).toMatchObject({ object: 'response', status: 'completed', error: null, incomplete_details: null });
    expect(data.output_text).toContain(QUESTION);
    expect(data.instructions).toBe('Be brief.');
    expect(data.usage).toMatchObject({ input_tokens: expect.any(Number), output_tokens: expect.any(Number) });
    expect(data.usage?.total_tokens).toBeGreaterThan(0);
    expect(`@${response.headers.get('x-gw-provider')}/`).toBe(model.slice(0, model.indexOf('/') + 1));
    expect(lastRequest(world.mock).path).not.toContain('/responses');
  });

  test('streams the events of a response, numbered, whose last has everything', async () => {
    const events = await Array.fromAsync(await openai.responses.create({ model, input: QUESTION, stream: true }));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress']);
    const last = events.at(-1);
    if (last?.type !== 'response.completed') throw new Error(`ended with ${last?.type}`);
    const deltas = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''));
    expect(deltas.join('')).toContain(QUESTION);
    expect(last.response.output).toMatchObject([
      { type: 'message', status: 'completed', content: [{ type: 'output_text', text: deltas.join('') }] },
    ]);
    expect(last.response.usage?.output_tokens).toBeGreaterThan(0);
  });

  test('is assembled by the helper of the SDK', async () => {
    const final = await openai.responses.stream({ model, input: QUESTION }).finalResponse();
    expect(final.output_text).toContain(QUESTION);
    expect(final.status).toBe('completed');
  });

  test('calls a tool and goes on with its output, whole and streamed', async () => {
    const asked = await openai.responses.create({ model, input: QUESTION, tools });
    const call = asked.output.find((item) => item.type === 'function_call');
    expect(call).toMatchObject({ name: 'get_weather', call_id: expect.stringMatching(/./) });
    expect(JSON.parse(call?.arguments ?? '')).toHaveProperty('city');
    const input: OpenAI.Responses.ResponseInput = [
      { role: 'user', content: QUESTION },
      ...sentBack(asked.output),
      { type: 'function_call_output', call_id: call?.call_id ?? '', output: '18 degrees' },
    ];
    expect((await openai.responses.create({ model, input, tools })).output_text).toContain('18 degrees');
    const streamed = await openai.responses.stream({ model, input: QUESTION, tools }).finalResponse();
    expect(streamed.output.find((item) => item.type === 'function_call')).toMatchObject({
      name: 'get_weather',
      arguments: call?.arguments,
      status: 'completed',
    });
  });

  test('gives structured output', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, degrees: { type: 'integer' } },
      required: ['city', 'degrees'],
      additionalProperties: false,
    };
    const format = { type: 'json_schema' as const, name: 'weather', strict: true, schema };
    const answer = await openai.responses.parse({ model, input: QUESTION, text: { format } });
    expect(answer.output_parsed).toEqual({ city: expect.any(String), degrees: expect.any(Number) });
  });

  test('says that an answer is cut', async () => {
    const body = { model, input: QUESTION, max_output_tokens: 1 };
    const expected = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    expect(await openai.responses.create(body)).toMatchObject(expected);
    const events = await Array.fromAsync(await openai.responses.create({ ...body, stream: true }));
    expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: expected });
  });
});

describe('reasoning', () => {
  const reasoning = { effort: 'low' as const, summary: 'auto' as const };
  const ask = {
    model: '@anthropic/mock-claude',
    input: QUESTION,
    reasoning,
    include: ['reasoning.encrypted_content' as const],
  };

  test('is an item of its own, and the same streamed', async () => {
    const whole = await openai.responses.create(ask);
    const [first] = whole.output;
    expect(first).toMatchObject({ type: 'reasoning', summary: [{ type: 'summary_text', text: expect.any(String) }] });
    expect(lastRequest(world.mock).json()).toMatchObject({ output_config: { effort: 'low' } });
    const events = await Array.fromAsync(await openai.responses.create({ ...ask, stream: true }));
    const deltas = events.flatMap((event) =>
      event.type === 'response.reasoning_summary_text.delta' ? [event.delta] : [],
    );
    expect(first).toMatchObject({ summary: [{ text: deltas.join('') }] });
  });

  test('goes back to the model that signed it', async () => {
    const { output } = await openai.responses.create(ask);
    await openai.responses.create({ ...ask, input: [...sentBack(output), { role: 'user', content: 'And now?' }] });
    const { messages } = lastRequest(world.mock).json() as { messages: { content: { type: string }[] }[] };
    expect(messages[0]?.content[0]).toMatchObject({ type: 'thinking', signature: expect.stringMatching(/./) });
  });
});

describe('what is asked of another provider', () => {
  test.for<[what: string, body: object, code: string, param: string]>([
    ['an earlier response', { previous_response_id: 'resp_1' }, 'parameter_unsupported', 'previous_response_id'],
    ['a conversation', { conversation: 'conv_1' }, 'parameter_unsupported', 'conversation'],
    ['work in the background', { background: true }, 'parameter_unsupported', 'background'],
    ['a tool of the provider', { tools: [{ type: 'web_search' }] }, 'parameter_unsupported', 'tools[0]'],
    ['a stored item', { input: [{ type: 'item_reference', id: 'i' }] }, 'content_unsupported', 'input[0]'],
    [
      'a part that the format of the provider lacks',
      {
        input: [
          { role: 'user', content: 'Listen:' },
          { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } }] },
        ],
      },
      ...(['content_unsupported', 'input[1].content[0]'] as const),
    ],
    ['no input', { input: null }, 'parameter_invalid', 'input'],
  ])('is a BadRequestError that names it, and nothing is sent: %s', async ([, body, code, param]) => {
    const before = world.mock.requests.length;
    const failure = await failureOf(openai.responses.create({ model: '@anthropic/mock-claude', input: 'Hi', ...body }));
    expect(failure).toBeInstanceOf(OpenAI.BadRequestError);
    expect(failure).toMatchObject({ code, param, type: 'invalid_request_error' });
    expect(world.mock.requests).toHaveLength(before);
  });

  test.for<[call: string, ask: (client: OpenAI, id: string) => Promise<unknown>]>([
    ['GET /v1/responses/{response_id}', (client, id) => client.responses.retrieve(id)],
    ['DELETE /v1/responses/{response_id}', (client, id) => client.responses.delete(id)],
    ['GET /v1/responses/{response_id}/input_items', async (client, id) => client.responses.inputItems.list(id)],
  ])('is not stored: %s', async ([call, ask]) => {
    const { id } = await openai.responses.create({ model: '@anthropic/mock-claude', input: 'Hi' });
    const pinned = openai.withOptions({ defaultHeaders: { 'x-gw-provider': '@anthropic' } });
    const failure = await failureOf(ask(pinned, id));
    expect(failure).toMatchObject({ status: 400, code: 'operation_unsupported', type: 'invalid_request_error' });
    expect(String(failure)).toContain(`${call} is not offered by anthropic`);
  });

  test('is left out where a chat does not have it, in the words of the client', async () => {
    const { response } = await openai.responses
      .create({
        model: '@anthropic/mock-claude',
        input: 'Hi',
        store: true,
        metadata: { a: 'b' },
        text: { format: { type: 'json_object' } },
      })
      .withResponse();
    expect(response.headers.get('x-gw-dropped-params')).toBe('store, metadata, text');
    const strict = { model: '@anthropic/mock-claude', input: 'Hi', store: true };
    expect(await failureOf(openai.responses.create(strict, withConfig('strict')))).toMatchObject({
      code: 'parameter_unsupported',
      param: 'store',
    });
  });
});

describe('a config with providers of both kinds', () => {
  test.for([
    { name: 'native-first', first: 'openai', second: 'anthropic', failing: 'mock-fail-500-times-1' },
    { name: 'adapted-first', first: 'anthropic', second: 'openai', failing: 'mock-fail-503-times-1' },
  ])('$name: each target decides for itself', async ({ name, first, second, failing }) => {
    const ask = (model: string) => openai.responses.create({ model, input: QUESTION }, withConfig(name)).withResponse();
    const { data, response } = await ask('mock-small');
    expect([response.headers.get('x-gw-provider'), data.output_text]).toEqual([
      first,
      expect.stringContaining(QUESTION),
    ]);
    const failed = await ask(failing);
    expect(failed.response.headers.get('x-gw-provider')).toBe(second);
    expect(failed.data.output_text).toContain(QUESTION);
    const paths = world.mock.requests.slice(-2).map(({ path }) => path);
    expect(paths.filter((path) => path.endsWith('/responses'))).toHaveLength(1);
  });

  test('goes on to the provider that has what the first lacks', async () => {
    const { id } = await openai.responses.create({ model: 'mock-small', input: 'My name is Ada' });
    const body = { model: 'mock-small', input: 'And now?', previous_response_id: id };
    const { response } = await openai.responses.create(body, withConfig('adapted-first')).withResponse();
    expect(response.headers.get('x-gw-provider')).toBe('openai');
  });
});

describe('guardrails, cache and cost see a response like any other', () => {
  const model = '@anthropic/mock-claude';

  test.for(['input', 'output'])('a denial is 446, whole and streamed: %s', async (name) => {
    const body = { model, input: [{ role: 'user' as const, content: 'The SECRET' }] };
    for (const call of [
      openai.responses.create(body, withConfig(name)),
      openai.responses.create({ ...body, stream: true }, withConfig(name)),
    ]) {
      expect(await failureOf(call)).toMatchObject({ status: 446 });
    }
    expect((await openai.responses.create({ model, input: 'Hi' }, withConfig(name))).status).toBe('completed');
  });

  test('a denial of a part of a stream is its last event', async () => {
    const stream = await openai.responses.create({ model, input: 'The SECRET', stream: true }, withConfig('window'));
    const types: string[] = [];
    const failure = await failureOf(
      (async () => {
        for await (const event of stream)
          types.push(event.type === 'response.output_text.delta' ? event.delta : event.type);
      })(),
    );
    expect(types.join('')).not.toContain('SECRET');
    expect(failure === 'answered' ? types.at(-1) : 'response.failed').toBe('response.failed');
  });

  test('answers are not cached', async () => {
    for (const _ of [1, 2]) {
      const { response } = await openai.responses.create({ model, input: 'Hi' }, withConfig('cached')).withResponse();
      expect(response.headers.get('x-gw-cache-status')).toBe('DISABLED');
    }
  });

  test.for([false, true])(
    'usage and cost are those of the provider, stream %s, whatever the client has repeated',
    async (stream) => {
      // Settings are repeated in the answer: what stands in them is no usage.
      const forged = { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
      const fakeTools = [{ ...tools[0], parameters: { type: 'object', properties: {}, ...forged } }];
      const body = {
        model: '@anthropic/mock-priced',
        input: 'word '.repeat(200),
        tools: fakeTools,
        tool_choice: 'none',
        stream,
      };
      const { headers, text, status } = await world.send('/v1/responses', { body });
      expect([status, text.includes('"prompt_tokens":1')]).toEqual([200, true]);
      const { answeredBy } = await waitFor(
        () => records.find(({ request }) => request.trace.traceId === headers['x-gw-trace-id']),
        { what: 'the record' },
      );
      expect(answeredBy?.usage?.input).toBeGreaterThan(100);
      expect(answeredBy?.usage?.output).toBeGreaterThan(100);
      expect(answeredBy?.cost?.nanoDollars).toBeGreaterThan(100_000);
    },
  );
});

describe('a provider that fails', () => {
  test('is an error of the SDK with the status of the provider', async () => {
    const call = openai.responses.create({ model: '@anthropic/mock-fail-429', input: 'Hi' });
    expect(await failureOf(call)).toBeInstanceOf(OpenAI.RateLimitError);
  });

  test.for(['@anthropic/mock-cut-900', '@deepseek/mock-cut-900', '@anthropic/mock-error-event'])(
    'in the middle of a stream ends it with response.failed, numbered and named: %s',
    async (model) => {
      const { text } = await world.send('/v1/responses', { body: { model, input: QUESTION.repeat(20), stream: true } });
      const events = text
        .split('\n\n')
        .filter((event) => event !== '')
        .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)));
      const last = events.at(-1);
      expect(last).toMatchObject({
        type: 'response.failed',
        response: { status: 'failed', error: { message: expect.any(String) } },
      });
      expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
      expect(last.response.id).toBe(events[0].response.id);
    },
  );

  test('is left alone when the client leaves', async () => {
    const stream = await openai.responses.create({
      model: '@anthropic/mock-stall-900',
      input: QUESTION.repeat(20),
      stream: true,
    });
    for await (const event of stream) if (event.type === 'response.output_text.delta') break;
    await expectNothingLeft(world);
  });
});
