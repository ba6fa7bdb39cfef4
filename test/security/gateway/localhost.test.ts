/** Outside production localhost is a custom host for everybody: that alone must not release stored credentials. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld } from '../../kit/gateway.ts';
import { type RawUpstream, startRawUpstream } from '../../kit/raw-upstream.ts';
import { config } from '../../kit/snapshot.ts';

const BODY = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
let listener: RawUpstream;

beforeAll(async () => {
  listener = await startRawUpstream((reply) => reply.answer(200, '{}'));
});
afterAll(() => listener[Symbol.asyncDispose]());

const start = (env: Readonly<Record<string, string>> = {}) =>
  startWorld({ env, entries: () => [config('stored', { provider: 'openai', api_key: 'sk-of-a-config' })] });

const spellings = () => [listener.url, `http://localhost:${listener.port}`, `http://a.localhost:${listener.port}`];
const withHost = (url: string) => [
  { 'x-gw-provider': '@openai', 'x-gw-custom-host': url },
  { 'x-gw-config': 'stored', 'x-gw-custom-host': url },
  { 'x-gw-config': JSON.stringify({ provider: '@openai', custom_host: url }) },
];

test('does not send a stored credential to localhost by default', async () => {
  await using world = await start();
  for (const headers of spellings().flatMap(withHost)) {
    const answer = await world.send('/v1/chat/completions', { headers, body: BODY });
    expect(answer.json(), JSON.stringify(headers)).toMatchObject({ error: { code: 'custom_host_refused' } });
  }
  expect(listener.requests).toEqual([]);
});

test('localhost stays a custom host for a credential of the client', async () => {
  await using world = await start();
  const headers = { 'x-gw-provider': 'openai', 'x-gw-custom-host': listener.url, authorization: 'Bearer sk-client' };
  expect((await world.send('/v1/chat/completions', { headers, body: BODY })).status).toBe(200);
  expect(listener.requests.at(-1)?.headers.get('authorization')).toBe('Bearer sk-client');
});

test('sends a stored credential to a host of TRUSTED_CUSTOM_HOSTS', async () => {
  await using world = await start({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  const headers = { 'x-gw-provider': '@openai', 'x-gw-custom-host': listener.url };
  expect((await world.send('/v1/chat/completions', { headers, body: BODY })).status).toBe(200);
  expect(listener.requests.at(-1)?.headers.get('authorization')).toBe('Bearer sk-openai-secret');
});
