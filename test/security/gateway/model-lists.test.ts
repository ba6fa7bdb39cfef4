/** Accounts that admit listed models only, and every way to name another one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../kit/gateway.ts';
import type { SendOptions } from '../../kit/http.ts';
import { config, provider } from '../../kit/snapshot.ts';

const LISTED = ['mock-small'];
const messages = [{ role: 'user', content: 'hi' }];

const VENDORS = ['huggingface', 'replicate', 'predibase', 'segmind', 'mistral-ai'] as const;

let world: World;
beforeAll(async () => {
  world = await startWorld({
    entries: ({ url }) => [
      provider('narrow', { customHost: `${url}/v1`, models: LISTED }),
      provider('claude', { provider: 'anthropic', customHost: `${url}/v1`, models: LISTED }),
      provider('gemini', { provider: 'google', customHost: url, models: ['gemini-small', 'small'] }),
      provider('vertex', {
        provider: 'vertex-ai',
        customHost: url,
        models: ['anthropic.claude-small', 'gemini-small', 'small'],
      }),
      provider('bedrock', { provider: 'bedrock', customHost: url, models: ['amazon.small', 'small'] }),
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
      ...VENDORS.map((id) => provider(id, { provider: id, customHost: url, models: ['small', 'o/small'] })),
      provider('cohere', { provider: 'cohere', customHost: url, models: LISTED }),
      provider('open', { customHost: `${url}/v1`, models: LISTED, proxyPaths: 'All' }),
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
    { rule: 'of messages that names another', path: '/v1/messages', send: json({ model: 'mock-large', messages }) },
    {
      rule: 'of messages that names models to fall back to',
      path: '/v1/messages',
      send: json({ model: 'mock-small', models: ['mock-large'], messages }),
    },
    {
      rule: 'of messages that names an engine',
      path: '/v1/messages',
      send: json({ model: 'mock-small', engine: 'mock-large', messages }),
    },
    { rule: 'that names an engine', send: json({ model: 'mock-small', engine: 'mock-large', messages }) },
    {
      rule: 'whose config sets another',
      send: { ...json({ model: 'mock-small', messages }), headers: { 'x-gw-config': 'other' } },
    },
    {
      rule: 'whose config spells it differently',
      send: { ...json({ model: 'mock-small', messages }), headers: { 'x-gw-config': 'twofold' } },
    },
    { rule: 'that streams', send: json({ model: 'mock-large', messages, stream: true }) },
    { rule: 'for embeddings', path: '/v1/embeddings', send: json({ model: 'mock-large', input: 'x' }) },
    { rule: 'for completions', path: '/v1/completions', send: json({ prompt: 'x' }) },
    { rule: 'for a response', path: '/v1/responses', send: json({ input: 'x' }) },
    { rule: 'for a response of an adapter', path: '/v1/responses', account: '@claude', send: json({ input: 'x' }) },
    { rule: 'for messages', path: '/v1/messages', account: '@claude', send: json({ messages, max_tokens: 5 }) },
    { rule: 'for a count of tokens', path: '/v1/messages/count_tokens', account: '@claude', send: json({ messages }) },
    { rule: 'for an image', path: '/v1/images/generations', send: json({ model: 'mock-large', prompt: 'x' }) },
    { rule: 'for an image without a model', path: '/v1/images/generations', send: json({ prompt: 'x' }) },
    { rule: 'for a moderation without a model', path: '/v1/moderations', send: json({ input: 'x' }) },
    { rule: 'to rank documents', path: '/v1/rerank', account: '@cohere', send: json({ model: 'mock-large' }) },
    { rule: 'by the proxy', path: '/v1/proxy/images/generations', send: json({ model: 'mock-large', prompt: 'x' }) },
    { rule: 'by the proxy without a model', path: '/v1/proxy/moderations', send: json({ input: 'x' }) },
    { rule: 'by the proxy without a body', path: '/v1/proxy/images/generations', send: { method: 'POST' } },
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
        '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nmock-large\r\n--x--\r\n',
      ),
    },
    {
      rule: 'by a form without a model',
      path: '/v1/audio/transcriptions',
      send: raw(
        'multipart/form-data; boundary=x',
        '--x\r\ncontent-disposition: form-data; name="prompt"\r\n\r\nmock-small\r\n--x--\r\n',
      ),
    },
    ...['boundary=x', 'boundary=x; boundary=x'].map((parameters) => ({
      rule: `by a form with ${parameters} and without a model that is read, where the config names one`,
      path: '/v1/proxy/audio/transcriptions',
      send: {
        method: 'POST',
        headers: { 'content-type': `multipart/form-data; ${parameters}`, 'x-gw-config': 'listed' },
        body: `--x\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n${'x'.repeat(2_000_000)}\r\n--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nmock-large\r\n--x--\r\n`,
      },
    })),
    ...['mod\\el', '%6dodel', 'Model', 'model[]', '_charset_', 'mod\u00e9l'].map((name) => ({
      rule: `by a form with the field ${name} beside it`,
      path: '/v1/audio/transcriptions',
      send: raw(
        'multipart/form-data; boundary=x',
        `--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nmock-small\r\n--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\nmock-large\r\n--x--\r\n`,
      ),
    })),
    {
      rule: 'by a form whose charset spells another name',
      path: '/v1/audio/transcriptions',
      send: raw(
        'multipart/form-data; boundary=x; charset=unicode_escape',
        '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nmock-small\r\n--x\r\ncontent-disposition: form-data; name="\\x6dodel"\r\n\r\nmock-large\r\n--x--\r\n',
      ),
    },
    {
      rule: 'with another model in the query',
      path: '/v1/proxy/images/generations?model=mock-large',
      send: json({ model: 'mock-small' }),
    },
    {
      rule: 'that runs an assistant without naming a model',
      path: '/v1/threads/t/runs',
      send: json({ assistant_id: 'a' }),
    },
    { rule: 'that makes a thread and runs it', path: '/v1/threads/runs', send: json({ assistant_id: 'a' }) },
    { rule: 'that changes the model of an assistant', path: '/v1/assistants/a', send: json({ model: 'mock-large' }) },
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

test('a form with a second boundary, which other parsers prefer, is sent with the parts that were read alone', async () => {
  const { answer, reached } = await ask({
    rule: '',
    path: '/v1/audio/transcriptions',
    send: raw(
      "multipart/form-data; boundary=x; boundary*=utf-8''y",
      '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nmock-small\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n--y\r\ncontent-disposition: form-data; name="model"\r\n\r\nmock-large\r\n--y--\r\n--x--\r\n',
    ),
  });
  expect([answer.status, reached], answer.text).toEqual([200, true]);
  const { headers, body } = world.mock.requests.at(-1) ?? {};
  const [, boundary = ''] = /^multipart\/form-data; boundary=(\w{32})$/.exec(headers?.['content-type'] ?? '') ?? [];
  expect(body?.toString('latin1').split(`--${boundary}`)).toEqual([
    '',
    expect.stringMatching(/name="model"\r\n\r\nmock-small\r\n$/),
    expect.stringMatching(/name="file"; filename="f"\r\n\r\n--y\r\n[\s\S]*--y--\r\n$/),
    '--\r\n',
  ]);
});

/** The body names a listed model, and another one stands where the provider looks. */
describe('a listed model in the body does not hide', () => {
  const decoy = { model: 'small', prompt: 'x', input: 'x' };
  test.for<[rule: string, account: string, path: string, more?: object]>([
    ['a model of one segment', '@huggingface', '/models/gpt2'],
    ['a model behind a task', '@huggingface', '/pipeline/feature-extraction/o/large'],
    ['a model by its route of chats', '@huggingface', '/models/o/large/v1/chat/completions'],
    ['what a dedicated endpoint serves', '@huggingface', '/generate'],
    ['a version', '@replicate', '/predictions', { version: 'abc' }],
    ['a deployment', '@replicate', '/deployments/o/large/predictions'],
    ['a model behind a tenant', '@predibase', '/t/deployments/v2/llms/large/generate'],
    ['an adapter', '@predibase', '/t/deployments/v2/llms/small/generate', { parameters: { adapter_id: 'large' } }],
    ['a model that is the path', '@segmind', '/large-model'],
    ['a workflow', '@segmind', '/workflows/w'],
    ['a model of a knowledge base', '@bedrock', '/retrieveAndGenerate', { configuration: { modelArn: 'large' } }],
    ['a model that ranks', '@bedrock', '/rerank'],
    ['a target of an optimisation', '@bedrock', '/optimize-prompt', { targetModelId: 'large' }],
    ['a flow', '@bedrock', '/flows/f/aliases/a'],
    ['an agent', '@bedrock', '/agents/a/agentAliases/b/sessions/c/text'],
    ['an endpoint', '@vertex', '/v1/projects/p/locations/l/endpoints/123:predict'],
    ['an endpoint for chats', '@vertex', '/v1/projects/p/locations/l/endpoints/123/chat/completions'],
    [
      'a model of a batch',
      '@gemini',
      '/v1beta/models/small:batchGenerateContent',
      { batch: { model: 'models/gemini-large' } },
    ],
    ['models of many requests', '@gemini', '/v1beta/models/small:batchEmbedContents'],
    ['an agent that converses', '@mistral-ai', '/conversations', { agent_id: 'a' }],
    ['a conversation that goes on', '@mistral-ai', '/conversations/c', { model: undefined }],
  ])('%s', async ([, account, path, more]) => {
    const send = json({ ...decoy, ...more });
    const { answer, reached } = await ask({ rule: '', path: `/v1/proxy${path}`, account, send });
    expect(answer.status, answer.text).toBe(412);
    expect(reached).toBe(false);
  });

  test.for<[rule: string, account: string, path: string, more?: object]>([
    ['runs of evaluations', '@narrow', '/evals/e/runs', { data_source: { model: 'mock-large' } }],
    ['a batch', '@narrow', '/batches', { input_file_id: 'f' }],
    ['a batch of messages', '@claude', '/messages/batches', { requests: [{ params: { model: 'mock-large' } }] }],
    ['a session', '@narrow', '/realtime/client_secrets', { session: { model: 'mock-large' } }],
    ['an engine', '@open', '/engines/mock-large/completions'],
    ['a deployment of another API', '@open', '/deployments/mock-large/chat/completions'],
    ['a model of another API', '@open', '/models/mock-large:generateContent'],
    ['an unknown name', '@open', '/organization/thing'],
  ])('%s of an account of the format', async ([, account, path, more]) => {
    const send = json({ ...decoy, model: 'mock-small', ...more });
    const { answer, reached } = await ask({ rule: '', path: `/v1/proxy${path}`, account, send });
    expect(answer.status, answer.text).toBe(412);
    expect(reached).toBe(false);
  });

  test.for<[rule: string, path: string, more: object]>([
    ['a model of a tool', '/v1/responses', { input: 'x', tools: [{ type: 'image_generation', model: 'mock-large' }] }],
    ['a stored prompt', '/v1/responses', { input: 'x', prompt: { id: 'p' } }],
    ['a model of a plugin', '/v1/chat/completions', { messages, plugins: [{ id: 'p', model: 'mock-large' }] }],
    ['a preset', '/v1/chat/completions', { messages, preset: 'p' }],
  ])('%s', async ([, path, more]) => {
    const { answer, reached } = await ask({ rule: '', path, send: json({ model: 'mock-small', ...more }) });
    expect(answer.status, answer.text).toBe(412);
    expect(reached).toBe(false);
  });
});

describe('an account with a list of models serves', () => {
  test.for<Case>([
    { rule: 'a listed model', send: json({ model: 'mock-small', messages }) },
    { rule: 'a listed model of a config', send: { ...json({ messages }), headers: { 'x-gw-config': 'listed' } } },
    {
      rule: 'an image of a listed model',
      path: '/v1/images/generations',
      send: json({ model: 'mock-small', prompt: 'x' }),
    },
    {
      rule: 'a listed model by the proxy',
      path: '/v1/proxy/images/generations',
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
      rule: 'a listed model by an open account',
      path: '/v1/proxy/rerank',
      account: '@open',
      send: json({ model: 'mock-small' }),
    },
    {
      rule: 'a tool of the listed model',
      path: '/v1/responses',
      send: json({ model: 'mock-small', input: 'x', tools: [{ type: 'x', model: 'mock-small' }] }),
    },
    ...[
      { account: '@huggingface', path: '/models/o/small' },
      { account: '@huggingface', path: '/pipeline/feature-extraction/o/small' },
      { account: '@replicate', path: '/models/o/small/predictions' },
      { account: '@predibase', path: '/t/deployments/v2/llms/small/generate' },
      { account: '@segmind', path: '/small' },
      { account: '@gemini', path: '/v1beta/files' },
      { account: '@claude', path: '/v1/files' },
    ].map(({ account, path }) => ({
      rule: `${account} below ${path}`,
      account,
      path: `/v1/proxy${path}`,
      send: json({ input: 'x' }),
    })),
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
