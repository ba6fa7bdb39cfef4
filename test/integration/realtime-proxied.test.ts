/** Proxied calls to the realtime API, and what logs keep of those and of offers: docs/behaviour/realtime.md#calls-over-webrtc. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import type { SendOptions } from '../kit/http.ts';
import { memoryLog } from '../kit/request-log.ts';
import { config, provider } from '../kit/snapshot.ts';

const SDP = 'v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=ice-pwd:icepassword\r\n';
const CALLS = '/v1/realtime/calls';
const OFFER = { 'content-type': 'application/sdp' };
const OWN = { 'x-gw-provider': 'openai', authorization: 'Bearer sk-own' };

const log = memoryLog();
let world: World;

beforeAll(async () => {
  world = await startWorld({
    requestLog: log,
    entries: ({ url }) => [
      provider('all', { customHost: `${url}/v1`, secret: 'sk-all', proxyPaths: 'All' }),
      provider('below', { customHost: `${url}/v1/realtime`, secret: 'sk-below', proxyPaths: 'All' }),
      provider('azure', {
        provider: 'azure-openai',
        customHost: `${url}/openai`,
        settings: { resource_name: 'r1', deployment_id: 'dep1', api_version: 'v1' },
        proxyPaths: 'All',
      }),
      config('shaping', { provider: '@all', override_params: { session: { instructions: 'x' } } }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

async function reach(path: string, { headers, ...options }: SendOptions = {}) {
  const before = world.mock.requests.length;
  log.records.length && (await log.next());
  const answer = await world.send(path, {
    method: 'POST',
    ...options,
    headers: { 'x-gw-provider': '@all', ...headers },
  });
  const [sent] = world.mock.requests.slice(before);
  return { answer, sent };
}

/** The document of the last request. */
async function documentOf(): Promise<string> {
  return (await log.next()).map(({ content }) => String(content)).join('\n');
}

test.for([
  ...['/v1/proxy/realtime/client_secrets', '/v1/proxy/v1/realtime/client_secrets', '/v1/proxy/realtime/calls'],
  ...['/v1/proxy/realtime/sessions', '/v1/proxy/realtime/transcription_sessions', '/v1/proxy/realtimeapi/sessions'],
  ...['/v1/proxy/realtime/translations/client_secrets', '/v1/realtime/translations/other', '/v1/proxy/realtime'],
  ...[
    '/v1/proxy/realtime/calls/rtc_1/accept',
    '/v1/proxy/realtime/client_secrets/',
    '/v1/proxy//realtime//client_secrets',
  ],
  ...[
    '/v1/proxy/realtime/%63lient_secrets',
    '/v1/proxy/realtime%2Fclient_secrets',
    '/v1/proxy/realtime/client%255Fsecrets',
  ],
  ...[
    '/v1/proxy/Realtime/Client_Secrets',
    '/v1/proxy/realtime;a=b/client_secrets;c',
    '/v1/proxy/realtime%5Cclient_secrets',
  ],
  ...[
    '/v1/proxy/realtime/client_secrets%3Fx',
    '/v1/proxy/realtime/client_secrets%20',
    '/v1/realtime/client_secrets%2F',
  ],
  ...['/v1/proxy/%2525%35fx/realtime/client_secrets', '/v1/proxy/realtime/client_secrets?model=m'],
])('with a stored credential go nowhere, whatever the account opens: %s', async (path) => {
  const { answer, sent } = await reach(path, { body: { session: { model: 'm' } } });
  expect(sent).toBeUndefined();
  expect([400, 403, 404], answer.text).toContain(answer.status);
  if (answer.status === 403) expect(answer.json().error.code).toBe('path_not_allowed');
});

test('are told the operation for it', async () => {
  const { answer } = await reach('/v1/proxy/realtime/client_secrets', { body: {} });
  expect(answer.json().error.message).toContain('POST /v1/realtime/client_secrets');
});

test.for([
  ['@azure', '/v1/proxy/realtime/client_secrets'],
  ['@azure', '/v1/proxy/openai/v1/realtime/client_secrets'],
  ['@below', '/v1/proxy/client_secrets'],
])('of %s go nowhere by %s', async ([name, path]) => {
  const { answer, sent } = await reach(path ?? '', { headers: { 'x-gw-provider': name ?? '' }, body: {} });
  expect([answer.status, answer.json().error.code, sent], answer.text).toEqual([403, 'path_not_allowed', undefined]);
});

test.for(['/v1/proxy/realtimes/client_secrets', '/v1/proxy/models', '/v1/proxy/files/realtime-sessions'])(
  'to other paths pass: %s',
  async (path) => {
    const { sent } = await reach(path, { method: 'GET' });
    expect(sent).toBeDefined();
  },
);

describe('with a credential of the caller pass, and leave no body', () => {
  test.for<[rule: string, path: string, host: string]>([
    ['a secret', '/v1/proxy/realtime/client_secrets', '/v1'],
    ['a secret in another spelling', '/v1/proxy/realtime//client%5Fsecrets/', '/v1'],
    ['a secret below a host', '/v1/proxy/client_secrets', '/v1/realtime'],
  ])('%s', async ([, path, host]) => {
    const headers = { ...OWN, 'x-gw-custom-host': `${world.mock.url}${host}` };
    const { answer, sent } = await reach(path, { headers, body: { session: { instructions: 'word' } } });
    expect(sent?.headers.authorization).toBe('Bearer sk-own');
    if (answer.status === 200) expect(answer.text).toContain('ek_mock_');
    const kept = await documentOf();
    expect(kept).toContain('"method":"POST"');
    expect(kept).not.toMatch(/ek_mock_|"instructions"/);
  });

  test('and come from no cache', async () => {
    const headers = {
      ...OWN,
      'x-gw-custom-host': `${world.mock.url}/v1`,
      'x-gw-config': '{"cache":{"mode":"simple"}}',
    };
    for (const path of ['client_secrets', 'client_secrets']) {
      const { answer, sent } = await reach(`/v1/proxy/realtime/${path}`, {
        headers,
        body: { session: { type: 'realtime' } },
      });
      expect([answer.status, answer.headers['x-gw-cache-status']], answer.text).toEqual([200, 'DISABLED']);
      expect(sent).toBeDefined();
    }
  });

  test('and other calls leave theirs', async () => {
    const headers = { ...OWN, 'x-gw-custom-host': `${world.mock.url}/v1` };
    await reach('/v1/proxy/moderations', { headers, body: { input: 'word' } });
    expect(await documentOf()).toContain('"input":"word"');
  });
});

describe('an offer is in no document', () => {
  test.for<[rule: string, query: string, options: SendOptions]>([
    ['as it is', '', { headers: OFFER, body: SDP }],
    ['with a model', '?model=m', { headers: OFFER, body: SDP }],
    ['in JSON', '', { body: { sdp: SDP, session: { model: 'm' } } }],
    [
      'that a config shapes',
      '?model=m',
      { headers: { ...OFFER, 'x-gw-provider': '', 'x-gw-config': 'shaping' }, body: SDP },
    ],
    ['that the provider refuses', '?model=m', { headers: { ...OFFER, 'x-mock-status': '500' }, body: SDP }],
  ])('%s', async ([, query, options]) => {
    await reach(CALLS + query, options);
    const kept = await documentOf();
    expect(kept).toContain('"url":"/v1/realtime/calls');
    expect(kept).not.toMatch(/icepassword|ice-pwd/);
  });
});
