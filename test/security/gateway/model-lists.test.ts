/** Accounts that admit listed models only, and every way to name another one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../kit/gateway.ts';
import type { SendOptions } from '../../kit/http.ts';
import { config, provider } from '../../kit/snapshot.ts';

const LISTED = ['mock-small'];
const messages = [{ role: 'user', content: 'hi' }];

let world: World;
beforeAll(async () => {
  world = await startWorld({
    entries: ({ url }) => [
      provider('narrow', { customHost: `${url}/v1`, models: LISTED }),
      provider('claude', { provider: 'anthropic', customHost: `${url}/v1`, models: LISTED }),
      provider('gemini', { provider: 'google', customHost: url, models: ['gemini-small'] }),
      provider('vertex', {
        provider: 'vertex-ai',
        customHost: url,
        models: ['anthropic.claude-small', 'gemini-small'],
      }),
      provider('bedrock', { provider: 'bedrock', customHost: url, models: ['amazon.small'] }),
      provider('azure', {
        provider: 'azure-openai',
        customHost: `${url}/openai`,
        settings: { api_version: '2024-10-21' },
        models: ['small'],
        deployments: [
          { deploymentId: 'dep-small', alias: 'small', isDefault: true },
          { deploymentId: 'dep-large', alias: 'large' },
        ],
      }),
      config('other', { provider: '@narrow', override_params: { model: 'mock-large' } }),
      config('listed', { provider: '@narrow', override_params: { model: 'mock-small' } }),
      config('twofold', { provider: '@narrow', override_params: { Model: 'mock-large' } }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

interface Case {
  readonly rule: string;
  readonly path?: string;
  readonly account?: string;
  readonly send?: SendOptions;
}

const json = (body: object): SendOptions => ({ body });
const raw = (type: string, body: string): SendOptions => ({ method: 'POST', headers: { 'content-type': type }, body });

async function ask({ path = '/v1/chat/completions', account = '@narrow', send = {} }: Case) {
  const before = world.mock.requests.length;
  const answer = await world.send(path, { ...send, headers: { 'x-gw-provider': account, ...send.headers } });
  return { answer, reached: world.mock.requests.length > before };
}

const PATHS = '/v1/v1beta/models';
const VERTEX = '/v1/proxy/v1/projects/p/locations/l/publishers';

describe('a call is refused by an account with a list of models', () => {
  test.for<Case>([
    { rule: 'that names another model', send: json({ model: 'mock-large', messages }) },
    { rule: 'that names none', send: json({ messages }) },
    { rule: 'that names an empty one', send: json({ model: '', messages }) },
    { rule: 'that names a list', send: json({ model: ['mock-small', 'mock-large'], messages }) },
    { rule: 'that names an object', send: json({ model: { id: 'mock-large' }, messages }) },
    { rule: 'that spells the member otherwise', send: json({ model: 'mock-small', Model: 'mock-large', messages }) },
    { rule: 'that spells only otherwise', send: json({ MODEL: 'mock-small', messages }) },
    {
      rule: 'that names models to fall back to',
      send: json({ model: 'mock-small', models: ['mock-large'], messages }),
    },
    { rule: 'that names an engine', send: json({ model: 'mock-small', engine: 'mock-large', messages }) },
    {
      rule: 'whose config sets another',
      send: { ...json({ model: 'mock-small', messages }), headers: { 'x-gw-config': 'other' } },
    },
    {
      rule: 'whose config spells otherwise',
      send: { ...json({ model: 'mock-small', messages }), headers: { 'x-gw-config': 'twofold' } },
    },
    { rule: 'that streams', send: json({ model: 'mock-large', messages, stream: true }) },
    { rule: 'for embeddings', path: '/v1/embeddings', send: json({ model: 'mock-large', input: 'x' }) },
    { rule: 'for completions', path: '/v1/completions', send: json({ prompt: 'x' }) },
    { rule: 'for a response', path: '/v1/responses', send: json({ input: 'x' }) },
    { rule: 'for messages', path: '/v1/messages', account: '@claude', send: json({ messages, max_tokens: 5 }) },
    { rule: 'for a count of tokens', path: '/v1/messages/count_tokens', account: '@claude', send: json({ messages }) },
    { rule: 'by the proxy', path: '/v1/images/generations', send: json({ model: 'mock-large', prompt: 'x' }) },
    { rule: 'by the proxy without a model', path: '/v1/moderations', send: json({ input: 'x' }) },
    { rule: 'by the proxy without a body', path: '/v1/images/generations', send: { method: 'POST' } },
    { rule: 'by the proxy prefix', path: '/v1/proxy/chat/completions', send: json({ model: 'mock-large', messages }) },
    {
      rule: 'by the proxy, JSON under another content type',
      path: '/v1/proxy/chat/completions',
      send: raw('text/plain', '{"model":"mock-large"}'),
    },
    {
      rule: 'by the proxy, JSON under a name of its own',
      path: '/v1/proxy/chat/completions',
      send: raw('application/vnd.x+json', '{"model":"mock-large"}'),
    },
    {
      rule: 'by the proxy, JSON without a content type',
      path: '/v1/proxy/chat/completions',
      send: { method: 'POST', body: '{"model":"mock-large"}' },
    },
    {
      rule: 'by a form',
      path: '/v1/audio/transcriptions',
      send: raw(
        'multipart/form-data; boundary=x',
        '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nmock-small\r\n--x--\r\n',
      ),
    },
    {
      rule: 'with another model in the query',
      path: '/v1/images/generations?model=mock-large',
      send: json({ model: 'mock-small' }),
    },
    {
      rule: 'that runs an assistant without naming a model',
      path: '/v1/threads/t/runs',
      send: json({ assistant_id: 'a' }),
    },
    { rule: 'that makes a thread and runs it', path: '/v1/threads/runs', send: json({ assistant_id: 'a' }) },
    { rule: 'that changes the model of an assistant', path: '/v1/assistants/a', send: json({ model: 'mock-large' }) },
    {
      rule: 'that runs a batch',
      path: '/v1/batches',
      send: json({ input_file_id: 'f', endpoint: '/v1/chat/completions' }),
    },
    { rule: 'that looks like a file', path: '/v1/files/x/chat/completions', send: json({}) },
    {
      rule: 'with another model in the path',
      path: `${PATHS}/gemini-large:generateContent`,
      account: '@gemini',
      send: json({}),
    },
    {
      rule: 'with a model in a path of another sort',
      path: '/v1/v1beta/tunedModels/x:generateContent',
      account: '@gemini',
      send: json({}),
    },
    {
      rule: 'with two models',
      path: `${PATHS}/gemini-small:generateContent`,
      account: '@gemini',
      send: json({ model: 'gemini-large' }),
    },
    {
      rule: 'of another publisher',
      path: `${VERTEX}/meta/models/gemini-small:rawPredict`,
      account: '@vertex',
      send: json({}),
    },
    {
      rule: 'with another model id in the path',
      path: '/v1/model/amazon.large/invoke',
      account: '@bedrock',
      send: json({}),
    },
    {
      rule: 'with another deployment in the path',
      path: '/v1/deployments/dep-large/chat/completions',
      account: '@azure',
      send: json({ messages }),
    },
  ])('$rule', async (given) => {
    const { answer, reached } = await ask(given);
    expect(answer.status, answer.text).toBe(412);
    expect(answer.json().error.param).toBe('model');
    expect(reached).toBe(false);
  });
});

describe('an account with a list of models serves', () => {
  test.for<Case>([
    { rule: 'a listed model', send: json({ model: 'mock-small', messages }) },
    { rule: 'a listed model of a config', send: { ...json({ messages }), headers: { 'x-gw-config': 'listed' } } },
    {
      rule: 'a listed model by the proxy',
      path: '/v1/images/generations',
      send: json({ model: 'mock-small', prompt: 'x' }),
    },
    { rule: 'reads', path: '/v1/files/f' },
    { rule: 'the list of models', path: '/v1/models' },
    { rule: 'one model of the list', path: '/v1/models/mock-large' },
    { rule: 'uploads', path: '/v1/files', send: raw('multipart/form-data; boundary=x', '--x--\r\n') },
    { rule: 'threads', path: '/v1/threads', send: json({}) },
    { rule: 'messages of threads', path: '/v1/threads/t/messages', send: json({ role: 'user', content: 'x' }) },
    { rule: 'an assistant of a listed model', path: '/v1/assistants', send: json({ model: 'mock-small' }) },
    {
      rule: 'a run of a listed model',
      path: '/v1/threads/t/runs',
      send: json({ assistant_id: 'a', model: 'mock-small' }),
    },
    { rule: 'vector stores', path: '/v1/vector_stores/v/files', send: json({ file_id: 'f' }) },
    {
      rule: 'a listed model in the path',
      path: `${PATHS}/gemini-small:generateContent`,
      account: '@gemini',
      send: json({}),
    },
    {
      rule: 'a listed deployment in the path',
      path: '/v1/deployments/dep-small/chat/completions',
      account: '@azure',
      send: json({ messages }),
    },
  ])('$rule', async (given) => {
    const { answer, reached } = await ask(given);
    expect(answer.status).not.toBe(412);
    expect(reached, answer.text).toBe(true);
  });
});
