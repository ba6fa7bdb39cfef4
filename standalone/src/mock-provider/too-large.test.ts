/** Requests that ask for more than the mock builds, and those that it fails at. */
import { describe, expect, test } from 'vitest';
import type { ReceivedRequest } from './recorder.ts';
import { createResponder, type Prepared } from './respond.ts';

const MEBIBYTE = 1024 * 1024;
const LIMIT = 20 * MEBIBYTE;

function post(path: string, given: unknown, headers: Readonly<Record<string, string>> = {}): Prepared['outgoing'] {
  const body = Buffer.from(typeof given === 'string' ? given : JSON.stringify(given));
  const [at = '', query] = path.split('?');
  const search = query === undefined ? '' : `?${query}`;
  const request: ReceivedRequest = { method: 'POST', path: at, search, headers, bodyBytes: body.length, body };
  return createResponder()(request).outgoing;
}

const textOf = ({ bursts }: Prepared['outgoing']): string => bursts.join('');
const messages = [{ role: 'user', content: 'word '.repeat(3_000) }];
const blocks = [{ role: 'user', content: [{ text: 'hi' }] }];
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
const LONG = 'm'.repeat(257);

const errors = {
  openai: { error: { message: expect.any(String), type: expect.any(String), param: null, code: null } },
  anthropic: { type: 'error', error: { type: expect.any(String), message: expect.any(String) } },
  gemini: { error: { code: expect.any(Number), message: expect.any(String), status: expect.any(String) } },
  cohere: { id: expect.any(String), message: expect.any(String) },
  bedrock: { message: expect.any(String) },
  ollama: { error: expect.any(String) },
} as const;

type Family = keyof typeof errors;

describe('a model of more than 256 characters is 400 in the shape of', () => {
  test.for<[family: Family, path: string, body: object]>([
    ['openai', '/v1/chat/completions', { model: LONG, messages, stream: true }],
    ['openai', '/v1/completions', { model: LONG, prompt: 'a' }],
    ['openai', '/v1/responses', { model: LONG, input: 'a', stream: true }],
    ['openai', `/openai/deployments/${LONG}/chat/completions`, { messages }],
    ['openai', `/v1/chat/completions?model=${LONG}`, { model: 'mock-small', messages }],
    ['anthropic', '/v1/messages', { model: LONG, messages, max_tokens: 10, stream: true }],
    ['gemini', `/v1beta/models/${LONG}:generateContent`, { contents }],
    ['cohere', '/v2/chat', { model: LONG, messages, stream: true }],
    ['bedrock', `/model/${LONG}/converse-stream`, { messages: blocks }],
    ['bedrock', `/model/${encodeURIComponent('é'.repeat(257))}/converse`, { messages: blocks }],
    ['ollama', '/api/chat', { model: LONG, messages }],
  ])('%s: %s', ([family, path, body]) => {
    const { status, bursts } = post(path, body);
    const want = family === 'openai' ? { error: { ...errors.openai.error, param: 'model' } } : errors[family];
    expect([status, JSON.parse(bursts.join(''))]).toEqual([400, want]);
  });

  test('a form', () => {
    const form = `--edge\r\ncontent-disposition: form-data; name="model"\r\n\r\n${LONG}\r\n--edge--`;
    const headers = { 'content-type': 'multipart/form-data; boundary=edge' };
    expect(post('/v1/audio/transcriptions', form, headers).status).toBe(400);
  });
});

test.for<[path: string, body: object]>([
  ['/v1/chat/completions', { messages, stream: true }],
  ['/v1/messages', { messages, max_tokens: 10, stream: true }],
  ['/api/chat', { messages }],
])('a model of 256 characters is answered: %s', ([path, body]) => {
  expect(post(path, { ...body, model: 'm'.repeat(256) }).status).toBe(200);
});

const bytes = { 'x-mock-response-bytes': String(16 * MEBIBYTE) };
const longMessages = [{ role: 'user', content: `get_weather {"a":"${'b'.repeat(60_000)}"}` }];
const parameters = {
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`p${at}`, { $ref: '#/$defs/big' }])),
  $defs: { big: { const: 'x'.repeat(MEBIBYTE) } },
};
const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }];
const said = [{ role: 'user', content: 'hi' }];

describe('an answer of more than 20 MiB is 400 in the shape of', () => {
  test.for<[family: Family, rule: string, path: string, body: object, headers?: Record<string, string>]>([
    ['openai', 'choices', '/v1/chat/completions', { messages: said, n: 128 }, bytes],
    ['openai', 'streamed choices', '/v1/chat/completions', { messages: said, n: 128, stream: true }, bytes],
    [
      'openai',
      'log probabilities',
      '/v1/chat/completions',
      { messages: said, logprobs: true, top_logprobs: 20 },
      { 'x-mock-response-bytes': String(2 * MEBIBYTE) },
    ],
    [
      'openai',
      'log probabilities of choices',
      '/v1/chat/completions',
      { messages, n: 128, logprobs: true, top_logprobs: 20 },
    ],
    ['openai', 'echoes', '/v1/completions', { prompt: 'a'.repeat(MEBIBYTE), n: 128, echo: true }],
    [
      'openai',
      'streamed echoes',
      '/v1/completions',
      { prompt: 'a'.repeat(MEBIBYTE), n: 128, echo: true, stream: true },
    ],
    ['openai', 'vectors', '/v1/embeddings', { input: Array.from({ length: 2_048 }, () => 'a'), dimensions: 4_096 }],
    ['openai', 'references', '/v1/chat/completions', { messages: said, tools }],
    ['openai', 'settings', '/v1/responses', { input: 'a', stream: true, instructions: 'a'.repeat(8 * MEBIBYTE) }],
    [
      'gemini',
      'candidates',
      '/v1beta/models/m:generateContent',
      { contents, generationConfig: { candidateCount: 8 } },
      bytes,
    ],
    ['ollama', 'references', '/api/chat', { messages: said, tools }],
    ['ollama', 'log probabilities', '/api/chat', { messages: said, logprobs: true, top_logprobs: 20 }, bytes],
  ])('%s: %s', ([family, , path, body, headers]) => {
    const outgoing = post(path, { model: 'mock-small', ...body }, headers);
    expect([outgoing.status, JSON.parse(textOf(outgoing))]).toEqual([400, errors[family]]);
  });

  test('one of 16 MiB is answered', () => {
    expect(post('/v1/chat/completions', { model: 'm', messages: said, stream: true }, bytes).status).toBe(200);
  });

  test('the input of a call that is told is answered in few events', () => {
    const outgoing = post('/v1/chat/completions', { model: 'm', messages: longMessages, tools, stream: true });
    expect(outgoing.status).toBe(200);
    expect(textOf(outgoing).length).toBeLessThan(LIMIT);
  });
});

test.for(['requests', 'inputs'])('lists of %s are bounded', (list) => {
  const many = Array.from({ length: 2_049 }, () => ({ content: { parts: [{ text: 'a' }] } }));
  const { status } =
    list === 'requests'
      ? post('/v1beta/models/m:batchEmbedContents', { requests: many })
      : post('/v1/moderations', { input: many.map(() => 'a') });
  expect(status).toBe(400);
});

describe('tools', () => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ type: 'function', function: { name: `tool_${at}` } }));

  test('are 1,024 at most', () => {
    const chat = (count: number) => post('/v1/chat/completions', { model: 'm', messages: said, tools: named(count) });
    expect(chat(1_024).status).toBe(200);
    const refused = chat(1_025);
    expect([refused.status, JSON.parse(textOf(refused))]).toEqual([400, errors.openai]);
    expect(textOf(refused)).toContain('1024 tools');
  });

  test.for(['beginning', 'end'])('are found at the %s of a long text', (place) => {
    const filler = 'x '.repeat(MEBIBYTE);
    const content = place === 'end' ? `${filler} use tool_7` : `use tool_7 ${filler}`;
    const outgoing = post('/api/chat', {
      model: 'm',
      stream: false,
      tools: named(9),
      messages: [{ role: 'user', content }],
    });
    expect(JSON.parse(textOf(outgoing))).toMatchObject({ message: { tool_calls: [{ function: { name: 'tool_7' } }] } });
  });
});

describe('a failure is 500 in the shape of', () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const schema = `{"type":"object","properties":{"a":{"default":${deep}}}}`;
  const call = `{"name":"a","parameters":${schema},"input_schema":${schema}}`;
  test.for<[family: Family, path: string, body: string]>([
    ['openai', '/v1/chat/completions', `"messages":[{"role":"user"}],"tools":[{"function":${call}}]`],
    ['anthropic', '/v1/messages', `"max_tokens":9,"messages":[{"role":"user","content":"a"}],"tools":[${call}]`],
    ['gemini', '/v1beta/models/m:generateContent', `"contents":[{}],"tools":[{"functionDeclarations":[${call}]}]`],
    [
      'cohere',
      '/v2/chat',
      `"messages":[{"role":"user","content":"a"}],"tools":[{"type":"function","function":${call}}]`,
    ],
    ['ollama', '/api/chat', `"messages":[{"role":"user"}],"tools":[{"function":${call}}]`],
    [
      'bedrock',
      '/model/m/converse',
      `"messages":[{"role":"user","content":[{"text":"a"}]}],"toolConfig":{"tools":[{"toolSpec":{"name":"a","inputSchema":{"json":${schema}}}}]}`,
    ],
  ])('%s', ([family, path, body]) => {
    const outgoing = post(path, `{"model":"m",${body}}`);
    expect([outgoing.status, JSON.parse(textOf(outgoing))]).toEqual([500, errors[family]]);
  });
});
