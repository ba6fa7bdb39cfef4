/** The API of Cohere over Cohere: what Cohere alone has goes there and comes back. */
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../kit/gateway.ts';
import { type RawUpstream, startRawUpstream } from '../kit/raw-upstream.ts';
import { config, guardrail, key, provider, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const CITATION = {
  start: 0,
  end: 13,
  text: 'a@example.com',
  sources: [{ type: 'document', id: 'doc:0', document: { id: 'doc:0', text: 'a@example.com' } }],
  type: 'TEXT_CONTENT',
};
const USAGE = {
  billed_units: { input_tokens: 3, output_tokens: 5 },
  tokens: { input_tokens: 90, output_tokens: 7 },
};
const LOGPROBS = { text: 'a@example.com', token_ids: [1, 2], logprobs: [-0.1, -0.2] };
const ANSWER = {
  id: 'c14c80c3',
  finish_reason: 'STOP_SEQUENCE',
  message: {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'I read it' },
      { type: 'text', text: 'a@example.com' },
    ],
    tool_plan: 'I look it up',
    citations: [CITATION],
  },
  logprobs: [LOGPROBS],
  usage: USAGE,
};
const EVENTS = [
  { id: 'c14c80c3', type: 'message-start', delta: { message: { role: 'assistant', content: [], tool_plan: '' } } },
  { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I look i' } } },
  { type: 'tool-plan-delta', delta: { message: { tool_plan: 't up' } } },
  { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
  { type: 'content-delta', index: 0, delta: { message: { content: { text: 'a@example.com' } } }, logprobs: LOGPROBS },
  { type: 'citation-start', index: 0, delta: { message: { citations: CITATION } } },
  { type: 'citation-end', index: 0 },
  { type: 'content-end', index: 0 },
  { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: USAGE } },
];
const VECTORS = {
  id: 'e',
  embeddings: { int8: [[1, 2]], ubinary: [[3]] },
  texts: [],
  meta: { api_version: { version: '2' }, billed_units: { input_tokens: 4, images: 1 } },
};
const RELAXED = { 'x-gw-strict-open-ai-compliance': 'false' };
const NO_PLAN = [{ id: 'default.regexReplace', parameters: { rule: 'look i[t]', redactText: '[plan]' } }];
const DENIED_PLAN = [{ id: 'default.contains', parameters: { words: ['look it'], operator: 'none' } }];
const GUARDRAILS = [
  ...['no-mail', 'no-mail-held', 'no-mail-windows', 'no-plan', 'no-plan-held', 'no-plan-windows'],
  ...['denied-plan', 'denied-plan-windows'],
];
/** As a multimodal model of Vertex AI answers: the vectors of a text and of an image are apart. */
const predicted = ({
  instances,
}: {
  readonly instances: readonly { readonly text?: string; readonly image?: object }[];
}) => ({
  predictions: instances.map(({ text, image }) => ({
    ...(text === undefined ? {} : { textEmbedding: [1] }),
    ...(image === undefined ? {} : { imageEmbedding: [2] }),
  })),
});
const NO_MAIL = [{ id: 'default.regexReplace', parameters: { rule: 'a@example.com', redactText: '[mail]' } }];

const records: RequestRecord[] = [];
const sink: Sink = { name: 'test', record: (record) => void records.push(record) };

let upstream: RawUpstream;
let gateway: RunningGateway;

beforeAll(async () => {
  upstream = await startRawUpstream(async ({ request, answer }) => {
    const asked = JSON.parse(String(await request.body));
    const isStream = asked.stream === true;
    const events = EVENTS.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    const json = JSON.stringify(
      request.target.endsWith(':predict') ? predicted(asked) : request.target.endsWith('/embed') ? VECTORS : ANSWER,
    );
    await answer(200, isStream ? events : json, {
      'content-type': isStream ? 'text/event-stream' : 'application/json',
    });
  });
  gateway = await startGateway({
    sinks: [sink],
    entries: [
      workspace(),
      key(),
      provider('cohere', { provider: 'cohere', customHost: upstream.url }),
      provider('vertex', {
        ...{ provider: 'vertex-ai', customHost: upstream.url, secret: 'stored-token-0123456789' },
        settings: { vertex_region: 'us-central1', vertex_project_id: 'p1' },
      }),
      provider('openai', { customHost: `${upstream.url}/v1` }),
      guardrail('no-mail', NO_MAIL),
      guardrail('no-mail-held', NO_MAIL, { buffer: true }),
      guardrail('no-mail-windows', NO_MAIL, { window: 50 }),
      guardrail('no-plan', NO_PLAN),
      guardrail('no-plan-held', NO_PLAN, { buffer: true }),
      guardrail('no-plan-windows', NO_PLAN, { window: 50 }),
      guardrail('denied-plan', DENIED_PLAN, { buffer: true }),
      guardrail('denied-plan-windows', DENIED_PLAN, { window: 50 }),
      ...GUARDRAILS.map((name) => config(name, { provider: '@cohere', output_guardrails: [name] })),
      config('cached', { provider: '@cohere', cache: { mode: 'simple' } }),
    ],
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  gateway.send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const sent = async () => JSON.parse(String(await upstream.requests.at(-1)?.body));
const eventsOf = (text: string) =>
  text
    .trim()
    .split('\n\n')
    .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 'data: '.length)));
const messages = [{ role: 'user', content: 'Where?' }];
const OWN = { documents: ['a'], citation_options: { mode: 'FAST' }, logprobs: true, thinking: { type: 'enabled' } };

test('a chat is asked for and answered with all that Cohere has', async () => {
  const { status, text, json, headers } = await post('/v2/chat', { model: '@cohere/command-a', messages, ...OWN });
  expect(status, text).toBe(200);
  expect(json()).toEqual(ANSWER);
  expect(headers['x-gw-dropped-params']).toBeUndefined();
  expect(await sent()).toEqual({ model: 'command-a', messages, ...OWN });
});

test('a stream has all that Cohere says', async () => {
  const { text } = await post('/v2/chat', { model: '@cohere/command-a', messages, stream: true });
  expect(eventsOf(text)).toMatchObject(EVENTS);
});

test.for([false, true])('tokens are those that were read, told as they are billed (stream: %s)', async (stream) => {
  const counted = records.length;
  await post('/v2/chat', { model: '@cohere/command-a', messages, stream });
  await waitFor(() => records.length > counted, { what: 'the record' });
  expect(records.at(-1)).toMatchObject({ attempts: [{ usage: { input: 90, output: 7, total: 97 } }] });
});

test.for([
  ['no-mail', false],
  ['no-mail-held', true],
  ['no-mail-windows', true],
] as const)('a changed text stands nowhere else: %s', async ([name, stream]) => {
  const { status, text } = await post('/v2/chat', { model: 'command-a', messages, stream }, { 'x-gw-config': name });
  expect(status, text).toBe(200);
  expect(text).toContain('[mail]');
  expect(text).not.toContain('a@example.com');
});

/** What a client reads as the plan. */
const planIn = (text: string, stream: boolean): string =>
  stream
    ? eventsOf(text)
        .flatMap(({ type, delta }) => (type === 'tool-plan-delta' ? [delta.message.tool_plan] : []))
        .join('')
    : JSON.parse(text).message.tool_plan;

test.for([
  ['no-plan', false],
  ['no-plan-held', true],
  ['no-plan-windows', true],
] as const)('a plan is changed as the text is: %s', async ([name, stream]) => {
  const headers = { ...RELAXED, 'x-gw-config': name };
  const { status, text } = await post('/v2/chat', { model: 'command-a', messages, stream }, headers);
  expect(status, text).toBe(200);
  expect(planIn(text, stream)).toBe('I [plan] up');
  expect(text).toContain('a@example.com');
});

test.for([false, true])('a plan is denied as the text is (stream: %s)', async (stream) => {
  const headers = { 'x-gw-config': 'denied-plan' };
  const { status, text } = await post('/v2/chat', { model: 'command-a', messages, stream }, headers);
  expect([status, text]).toEqual([446, expect.not.stringContaining('I look')]);
});

test('a plan is denied in windows', async () => {
  const headers = { ...RELAXED, 'x-gw-config': 'denied-plan-windows' };
  const { text } = await post('/v2/chat', { model: 'command-a', messages, stream: true }, headers);
  expect(text).toContain('"finish_reason":"ERROR"');
  for (const said of ['I look', 'a@example.com']) expect(text).not.toContain(said);
});

test('a stored answer is the same, also in a stream', async () => {
  const body = { model: 'command-a', messages: [{ role: 'user', content: 'Keep it' }], stream: true };
  const headers = { 'x-gw-config': 'cached' };
  await post('/v2/chat', body, headers);
  const again = await post('/v2/chat', body, headers);
  expect(again.headers['x-gw-cache-status']).toBe('HIT');
  const types = eventsOf(again.text).map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(['tool-plan-delta', 'content-delta', 'citation-start', 'message-end']));
  expect(eventsOf(again.text)).toContainEqual(
    expect.objectContaining({ type: 'citation-start', delta: { message: { citations: CITATION } } }),
  );
});

test('vectors of images and of other types are given', async () => {
  const image = 'data:image/png;base64,AA==';
  const content = [
    { type: 'text', text: 'a' },
    { type: 'image_url', image_url: { url: image } },
  ];
  const types = ['int8', 'ubinary'];
  const own = { model: '@cohere/embed-v4.0', input_type: 'image', embedding_types: types };
  const images = await post('/v2/embed', { ...own, images: [image] });
  expect(images.json()).toMatchObject({ embeddings: VECTORS.embeddings, meta: VECTORS.meta });
  expect(await sent()).toEqual({ model: 'embed-v4.0', input_type: 'image', images: [image], embedding_types: types });
  await post('/v2/embed', { ...own, inputs: [{ content }] });
  expect(await sent()).toMatchObject({ inputs: [{ content }] });
});

test('vectors of images are those of models that name them so; of two of one input none is dropped', async () => {
  const url = 'data:image/png;base64,AA==';
  const image = { type: 'image_url', image_url: { url } };
  const ask = async (given: object) => {
    const { status, json } = await post('/v2/embed', { model: '@vertex/multimodalembedding@001', ...given });
    return [status, json()];
  };
  expect(await ask({ images: [url] })).toEqual([200, expect.objectContaining({ embeddings: { float: [[2]] } })]);
  const seen = upstream.requests.length;
  const inputs = [{ content: [image] }, { content: [{ type: 'text', text: 'a' }, image] }];
  const refused = await ask({ inputs });
  expect(refused).toEqual([400, { message: expect.stringMatching(/^inputs\[1\]: .*apart/) }]);
  const parts = [{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: 'AA==' } }];
  const path = '/v1beta/models/@vertex/multimodalembedding@001:embedContent';
  const both = await post(path, { content: { parts } });
  expect([both.status, both.json()]).toEqual([
    400,
    { error: expect.objectContaining({ message: expect.stringMatching(/^content: .*apart/) }) },
  ]);
  expect(upstream.requests.length).toBe(seen);
});

test('images are refused by their own name where embeddings are made of texts', async () => {
  const url = 'data:image/png;base64,AA==';
  const image = { type: 'image_url', image_url: { url } };
  const seen = upstream.requests.length;
  for (const [given, said] of [
    [{ images: [url] }, /^images\[0\] or inputs\[0\]: .*texts/],
    [{ inputs: [{ content: [image] }] }, /^images\[0\] or inputs\[0\]: .*texts/],
    [{ inputs: [{ content: [{ type: 'text', text: 'a' }] }, { content: [image] }] }, /^inputs\[1\]: .*texts/],
  ] as const) {
    const { status, json } = await post('/v2/embed', { model: '@openai/text-embedding-3-small', ...given });
    expect([status, json()]).toEqual([400, { message: expect.stringMatching(said) }]);
  }
  expect(upstream.requests.length).toBe(seen);
});

test('calls of version 1 go to the account that a header names, as they are', async () => {
  const body = { model: 'command-a', message: 'Where?', prompt_truncation: 'AUTO' };
  const own = await post('/v1/chat', body, { 'x-gw-provider': '@cohere' });
  expect([own.status, own.json()], own.text).toEqual([200, ANSWER]);
  expect(upstream.requests.at(-1)?.target).toBe('/v1/chat');
  expect(await sent()).toEqual(body);
  const other = await post('/v1/chat', body, { 'x-gw-provider': '@openai' });
  expect([other.status, other.text]).toEqual([403, expect.stringContaining('The call goes to an account of openai')]);
});

test('vectors of other types are not for other vendors', async () => {
  const { status, json } = await post('/v2/embed', { model: '@openai/m', texts: ['a'], embedding_types: ['int8'] });
  expect([status, json()]).toEqual([400, { message: expect.stringContaining('embedding_types') }]);
});
