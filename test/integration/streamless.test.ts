/** Streams of providers that have none, read by unmodified SDKs: docs/behaviour/streams.md#what-is-a-stream. */
import Anthropic from '@anthropic-ai/sdk';
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { type RawUpstream, startRawUpstream } from '../kit/raw-upstream.ts';
import { config, guardrail, KEY, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const SAID = 'Hello, said the provider that has no streams.';
const REKA = { type: 'model', text: SAID, finish_reason: 'stop', metadata: { input_tokens: 10, generated_tokens: 3 } };
/** By the end of the path. */
const ANSWERS: Readonly<Record<string, object>> = {
  generateMessage: { candidates: [{ author: '1', content: SAID }], messages: [] },
  chat: REKA,
  generate: { model_name: 'ensemble', model_version: '1', text_output: SAID },
  jurassic: { id: 'j', outputs: [{ text: SAID, role: 'assistant', finishReason: { reason: 'endoftext' } }] },
};
const USAGE = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 };

let world: World;
let upstream: RawUpstream;
let openai: OpenAI;
let anthropic: Anthropic;
const records: RequestRecord[] = [];
const sink: Sink = { name: 'test', readsUsage: true, record: (record) => void records.push(record) };

beforeAll(async () => {
  upstream = await startRawUpstream(async (reply) => {
    await reply.request.body;
    const { target } = reply.request;
    if (target.includes('fails')) return reply.answer(503, '{}', { 'content-type': 'application/json' });
    const name = target.includes('/j2-') ? 'jurassic' : (/(\w+)(?:\?.*)?$/.exec(target)?.[1] ?? '');
    await reply.answer(200, JSON.stringify(ANSWERS[name] ?? {}), { 'content-type': 'application/json' });
  });
  const customHost = upstream.url;
  world = await startWorld({
    sinks: [sink],
    entries: () => [
      ...provider('palm', { provider: 'palm', customHost }),
      ...provider('reka', { provider: 'reka-ai', customHost }),
      ...provider('triton', { provider: 'triton', customHost }),
      ...provider('ai21', { provider: 'ai21', customHost }),
      guardrail('polite', [{ id: 'default.contains', parameters: { words: ['rude'], operator: 'none' } }]),
      config('checked', { provider: '@reka', output_guardrails: ['polite'] }),
      config('cached', { provider: '@reka', cache: { mode: 'simple' } }),
    ],
  });
  openai = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: KEY, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: world.url, apiKey: KEY, maxRetries: 0 });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const messages = [{ role: 'user' as const, content: 'Say hello' }];
const MODELS = ['@palm/chat-bison-001', '@reka/reka-flash', '@ai21/j2-ultra'];

describe.for(MODELS)('a stream of %s', (model) => {
  test('is one of chunks', async () => {
    const stream = await openai.chat.completions.create({ model, messages, stream: true });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(SAID);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
  });

  test('is one of messages', async () => {
    const message = await anthropic.messages.stream({ model, messages, max_tokens: 100 }).finalMessage();
    expect(message.content).toEqual([expect.objectContaining({ type: 'text', text: SAID })]);
    expect(message.stop_reason).toBe('end_turn');
  });

  test('is one of responses', async () => {
    const response = await openai.responses.stream({ model, input: 'Say hello' }).finalResponse();
    expect([response.status, response.output_text]).toEqual(['completed', SAID]);
  });
});

test('a text is streamed', async () => {
  const stream = await openai.completions.create({ model: '@triton/any', prompt: 'Once', stream: true });
  const chunks = await Array.fromAsync(stream);
  expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe(SAID);
});

test.for([
  {
    door: '/v1beta/models/@reka%2Freka-flash:streamGenerateContent?alt=sse',
    type: 'text/event-stream',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  },
  { door: '/api/chat', type: 'application/x-ndjson', body: { model: '@reka/reka-flash', messages, stream: true } },
  { door: '/v2/chat', type: 'text/event-stream', body: { model: '@reka/reka-flash', messages, stream: true } },
])('the door $door has a stream of its own', async ({ door, type, body }) => {
  const { status, headers, text } = await world.send(door, { body });
  expect([status, headers['content-type']], text).toEqual([200, expect.stringContaining(type)]);
  const said = [...text.matchAll(/"(?:text|content)":"([^"]*)"/g)].map(([, part]) => part).join('');
  expect(said).toContain(SAID);
});

describe('such a stream', () => {
  const stream = (headers: Readonly<Record<string, string>>, body: object = {}) =>
    world.send('/v1/chat/completions', { headers, body: { model: 'reka-flash', messages, stream: true, ...body } });

  test('has the usage in a chunk of its own where it is asked for, and in its record', async () => {
    const headers = { 'x-gw-provider': '@reka', 'x-gw-trace-id': 'streamless' };
    const { text } = await stream(headers, { stream_options: { include_usage: true } });
    const last = text.trimEnd().split('\n\n').at(-2) ?? '';
    expect(JSON.parse(last.slice('data: '.length))).toMatchObject({ choices: [], usage: USAGE });
    const find = () => records.find(({ request }) => request.trace.traceId === 'streamless');
    await waitFor(() => find() !== undefined);
    expect(find()).toMatchObject({ attempts: [{ usage: { input: 10, output: 3 } }] });
  });

  test('has the results of guardrails as events', async () => {
    const { status, text } = await stream({ 'x-gw-config': 'checked', 'x-gw-strict-open-ai-compliance': 'false' });
    expect(status).toBe(200);
    expect(text.trimEnd().split('\n\n').at(-1)).toMatch(/^data: \{"hook_results":\{"after_request_hooks":\[\{/);
  });

  test('is stored as the answer that it was made of', async () => {
    const first = await stream({ 'x-gw-config': 'cached' });
    const again = await stream({ 'x-gw-config': 'cached' });
    expect([first, again].map(({ headers }) => headers['x-gw-cache-status'])).toEqual(['MISS', 'HIT']);
    expect(again.text).toBe(first.text);
  });

  test('is no stream where the provider fails', async () => {
    const { status, headers } = await stream({ 'x-gw-provider': '@palm' }, { model: 'fails' });
    expect([status, headers['content-type']]).toEqual([503, 'application/json']);
  });
});
