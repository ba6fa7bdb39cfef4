/** Paths of Azure OpenAI: the unmodified SDK, the model in the path, natively and across providers. */
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import OpenAI, { AzureOpenAI, toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { send } from '../kit/http.ts';
import { config, guardrail, KEY, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;
const records: RequestRecord[] = [];
const sink: Sink = { name: 'test', record: (record) => void records.push(record) };

beforeAll(async () => {
  world = await startWorld({
    sinks: [sink],
    entries: ({ url }) => [
      provider('claude', { provider: 'anthropic', customHost: `${url}/v1` }),
      provider('narrow', { customHost: `${url}/v1`, models: ['mock-small', 'whisper-1'] }),
      provider('azure', {
        provider: 'azure-openai',
        customHost: url,
        deployments: [{ deploymentId: 'dep-small', alias: 'small', isDefault: true }],
      }),
      guardrail('no-secrets', [{ id: 'default.contains', parameters: { words: ['secret'], operator: 'none' } }]),
      config('guarded', { provider: '@openai', input_guardrails: ['no-secrets'] }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const VERSION = '2024-10-21';
const messages = [{ role: 'user' as const, content: 'Hello from Azure' }];
const sdk = (apiKey = KEY): AzureOpenAI =>
  new AzureOpenAI({ endpoint: world.url, apiKey, apiVersion: VERSION, maxRetries: 0 });
/** As other clients of Azure do: the key in `api-key`. */
const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  send(world.url + path, {
    method: 'POST',
    headers: { 'api-key': KEY, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe('the SDK for Azure', () => {
  test.for(['@openai/mock-small', '@claude/claude-sonnet-4-5'])('completes a chat with %s', async (model) => {
    const { data, response } = await sdk().chat.completions.create({ model, messages }).withResponse();
    expect(data.choices[0]?.message.content).toContain('Hello from Azure');
    expect(response.headers.get('x-gw-model')).toBe(model.split('/')[1]);
    expect(JSON.stringify(lastRequest(world.mock).headers)).not.toContain(KEY);
  });

  test('streams', async () => {
    const stream = await sdk().chat.completions.create({ model: '@claude/claude-sonnet-4-5', messages, stream: true });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toContain('Hello from Azure');
  });

  test('embeds, draws, speaks and transcribes', async () => {
    const client = sdk();
    const { data } = await client.embeddings.create({ model: '@openai/text-embedding-3-small', input: 'a text' });
    expect(data[0]?.embedding.length).toBeGreaterThan(0);
    const images = await client.images.generate({ model: '@openai/gpt-image-1', prompt: 'a cat' });
    expect(images.data).toHaveLength(1);
    const speech = await client.audio.speech.create({ model: '@openai/tts-1', input: 'Hello', voice: 'alloy' });
    expect((await speech.arrayBuffer()).byteLength).toBeGreaterThan(0);
    const file = await toFile(Buffer.from('sound'), 'a.wav');
    const { text } = await client.audio.transcriptions.create({ model: '@narrow/whisper-1', file });
    expect(text).toContain('Mock transcription');
  });

  test('calls what belongs to the whole resource', async () => {
    const client = new AzureOpenAI({
      ...{ endpoint: world.url, apiKey: KEY, apiVersion: VERSION, maxRetries: 0 },
      defaultHeaders: { 'x-gw-provider': '@openai' },
    });
    expect((await client.responses.create({ model: 'mock-small', input: 'Hello there' })).output_text).toContain(
      'Hello',
    );
    expect((await client.models.list()).data.length).toBeGreaterThan(0);
    expect((await client.files.list()).data).toEqual(expect.any(Array));
  });

  test('reads errors', async () => {
    const refused = sdk('gwk_wrong').chat.completions.create({ model: '@openai/mock-small', messages });
    await expect(refused).rejects.toMatchObject({ status: 401 });
    await expect(refused).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });
});

describe('the model in the path', () => {
  const asked = () => {
    const { path, body } = lastRequest(world.mock);
    return { path, body: JSON.parse(String(body)) as object }; // the gateway sends JSON
  };
  const body = { model: 'another', messages };

  test.for(['/openai/deployments/@openai/mock-small', '/openai/deployments/%40openai%2Fmock-small'])(
    'of %s wins over that of the body',
    async (path) => {
      const answer = await post(`${path}/chat/completions?api-version=${VERSION}`, body);
      expect(answer.status, answer.text).toBe(200);
      expect(asked()).toMatchObject({ path: '/v1/chat/completions', body: { model: 'mock-small' } });
      const id = answer.headers['x-gw-trace-id'];
      const record = await waitFor(() => records.find(({ request }) => request.trace.traceId === id));
      expect(record.answeredBy).toMatchObject({ provider: 'openai', model: 'mock-small' });
    },
  );

  test('of the v1 API is that of the body', async () => {
    const answer = await post('/openai/v1/chat/completions', { ...body, model: '@openai/mock-small' });
    expect(answer.status, answer.text).toBe(200);
    expect(asked()).toMatchObject({ path: '/v1/chat/completions', body: { model: 'mock-small' } });
  });

  test('wins in a form, too', async () => {
    const form = new FormData();
    form.set('file', new Blob(['sound']), 'a.wav');
    form.set('model', 'another');
    const path = '/openai/deployments/@openai/whisper-1/audio/transcriptions';
    const answer = await fetch(world.url + path, { method: 'POST', headers: { 'api-key': KEY }, body: form });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-gw-model')).toBe('whisper-1');
    const sent = String(lastRequest(world.mock).body);
    expect(sent).toContain('whisper-1');
    expect(sent).not.toContain('another');
  });

  test.for([
    ['chat/completions', 'mock-large', 412],
    ['chat/completions', 'mock-small', 200],
  ] as const)('is one that the account admits: %s of %s', async ([call, model, status]) => {
    const answer = await post(`/openai/deployments/@narrow/${model}/${call}`, { model: 'mock-small', messages });
    expect(answer.status, answer.text).toBe(status);
  });

  test('is held against the account in a form', async () => {
    const form = new FormData();
    form.set('model', 'whisper-1');
    form.set('file', new Blob(['sound']), 'a.wav');
    const path = '/openai/deployments/@narrow/other/audio/transcriptions';
    const answer = await fetch(world.url + path, { method: 'POST', headers: { 'api-key': KEY }, body: form });
    expect(answer.status).toBe(412);
  });
});

test('a target at Azure gets the deployment of its account, and the version of the client', async () => {
  const answer = await post(`/openai/deployments/@azure/small/chat/completions?api-version=${VERSION}`, { messages });
  expect(answer.status, answer.text).toBe(200);
  const { path, search } = lastRequest(world.mock);
  expect([path, search]).toEqual(['/deployments/dep-small/chat/completions', `?api-version=${VERSION}`]);
});

test('guardrails look at what is asked', async () => {
  const path = '/openai/deployments/mock-small/chat/completions';
  const secret = { messages: [{ role: 'user', content: 'a secret' }] };
  expect((await post(path, secret, { 'x-gw-config': 'guarded' })).status).toBe(446);
  expect((await post(path, { messages }, { 'x-gw-config': 'guarded' })).status).toBe(200);
});

test.for([
  ['POST', '/openai/deployments/d/unknown', 404],
  ['GET', '/openai/deployments/d/chat/completions', 405],
  ['POST', '/openai/deployments/%2e%2e/chat/completions', 400],
] as const)('%s %s is refused', async ([method, path, status]) => {
  const answer = await send(world.url + path, { method, headers: { 'api-key': KEY } });
  expect(answer.status, answer.text).toBe(status);
});

test('a slash at the end changes nothing', async () => {
  const answer = await post('/openai/deployments/@openai/mock-small/chat/completions/', { messages });
  expect(answer.status, answer.text).toBe(200);
  await waitFor(() => records.some(({ request }) => request.trace.traceId === answer.headers['x-gw-trace-id']));
});
