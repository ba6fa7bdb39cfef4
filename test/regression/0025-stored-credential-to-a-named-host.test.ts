/**
 * The holder of a gateway key could have a stored credential sent anywhere: by `x-gw-custom-host`, by `custom_host`, or by
 * vendor fields of an inline config that moved the address of a managed provider, past the host guard at that.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { type RawUpstream, startRawUpstream } from '../kit/raw-upstream.ts';
import { config, provider } from '../kit/snapshot.ts';

let elsewhere: RawUpstream;
let world: World;

beforeAll(async () => {
  elsewhere = await startRawUpstream((reply) => reply.answer(200, '{}'));
  world = await startWorld({
    env: { NODE_ENV: 'production' },
    entries: ({ url }) => [
      ...provider('hf', { provider: 'huggingface' }),
      ...provider('azure', {
        provider: 'azure-openai',
        settings: { resource_name: 'ours', deployment_id: 'd', api_version: '2024-10-21' },
      }),
      ...provider('shared', { workspace: null, grants: ['team-a'] }),
      config('moved-shared', { provider: '@shared', custom_host: elsewhere.url }),
      config('moved-own', { provider: '@openai', custom_host: elsewhere.url }),
      config('stored', { provider: 'openai', api_key: 'sk-stored', custom_host: `${url}/v1` }),
    ],
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await elsewhere[Symbol.asyncDispose]();
});

const inline = (document: object) => ({ 'x-gw-config': JSON.stringify(document) });
const ask = (headers: Record<string, string>, by: World = world) =>
  by.send('/v1/chat/completions', {
    headers,
    body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] },
  });

describe('a stored credential does not go', () => {
  let before = 0;
  beforeEach(() => {
    before = elsewhere.requests.length;
  });

  test.for<{ rule: string; headers: () => Record<string, string> }>([
    {
      rule: 'to a host of the header',
      headers: () => ({ 'x-gw-provider': '@openai', 'x-gw-custom-host': 'https://example.com/v1' }),
    },
    {
      rule: 'to a host of the header, under a saved config that holds it',
      headers: () => ({ 'x-gw-config': 'stored', 'x-gw-custom-host': 'https://example.com/v1' }),
    },
    {
      rule: 'to a host of an inline config',
      headers: () => inline({ provider: '@openai', custom_host: 'https://example.com/v1' }),
    },
    {
      rule: 'to an inherited host of an inline config',
      headers: () =>
        inline({
          custom_host: 'https://example.com/v1',
          strategy: { mode: 'single' },
          targets: [{ virtual_key: 'openai' }],
        }),
    },
    {
      rule: "to a host of a workspace's config, when it is the organisation's",
      headers: () => ({ 'x-gw-config': 'moved-shared' }),
    },
    {
      rule: 'to a vendor address of an inline config',
      headers: () => inline({ provider: '@hf', huggingface_base_url: elsewhere.url }),
    },
    {
      rule: 'to a public vendor address of an inline config',
      headers: () => inline({ provider: '@hf', huggingface_base_url: 'https://example.com' }),
    },
  ])('$rule', async ({ headers }) => {
    const answer = await ask(headers());
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ error: { code: 'custom_host_refused' } });
    expect(elsewhere.requests).toHaveLength(before);
  });

  test('to another account: its stored settings win over those of an inline config', async () => {
    const answer = await ask(inline({ provider: '@azure', resource_name: 'theirs' }));
    expect(answer.text).toContain('ours.openai.azure.com');
  });
});

test("a workspace's own goes where its saved configs say", async () => {
  expect((await ask({ 'x-gw-config': 'moved-own' })).status).toBe(200);
  expect(elsewhere.requests.at(-1)?.headers.get('authorization')).toBe('Bearer sk-openai-secret');
});

test('a trusted host of the deployment gets it', async () => {
  await using trusting = await startWorld({ env: { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1' } });
  const answer = await ask({ 'x-gw-provider': '@openai', 'x-gw-custom-host': `${elsewhere.url}/v1` }, trusting);
  expect(answer.status).toBe(200);
  expect(elsewhere.requests.at(-1)?.headers.get('authorization')).toBe('Bearer sk-openai-secret');
});

test('sends a credential of the client to the host that the client names', async () => {
  const answer = await ask({
    'x-gw-provider': 'openai',
    authorization: 'Bearer sk-client',
    'x-gw-custom-host': 'https://nowhere.example/v1',
  });
  expect(answer.json()).toMatchObject({ error: { type: 'upstream_connection_error' } });
});
