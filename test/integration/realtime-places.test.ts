/** Where calls of the realtime API are: what upstreams say of it, and methods of these paths; docs/behaviour/realtime.md#calls-over-webrtc. */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import type { SendOptions } from '../kit/http.ts';

const SDP = 'v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n';
const CALLS = '/v1/realtime/calls';
const OFFER = { 'content-type': 'application/sdp' };
const OWN = { 'x-gw-provider': 'openai', authorization: 'Bearer sk-own' };

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

async function reach(path: string, { headers, ...options }: SendOptions = {}) {
  const before = world.mock.requests.length;
  const answer = await world.send(path, {
    method: 'POST',
    ...options,
    headers: { 'x-gw-provider': '@openai', ...headers },
  });
  const [sent] = world.mock.requests.slice(before);
  return { answer, sent, body: sent?.body.toString() ?? '' };
}

describe('where the upstream says a call is', () => {
  let upstream: Server;
  let host = '';
  let said: Record<string, string> = {};
  let status = 201;
  beforeAll(async () => {
    upstream = createServer((request, response) => {
      request.resume();
      response.writeHead(status, { 'content-type': 'application/sdp', ...said }).end(SDP);
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const address = upstream.address();
    host = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`;
  });
  afterAll(() => new Promise((resolve) => upstream.close(resolve)));

  const ask = (path = CALLS, body: SendOptions['body'] = SDP) =>
    world.send(path, {
      method: 'POST',
      headers: { ...OWN, 'x-gw-custom-host': host, ...(body === SDP ? OFFER : {}) },
      body,
    });

  test.for<[location: string, seen: string | undefined]>([
    ['/v1/realtime/calls/rtc_1', '/v1/realtime/calls/rtc_1'],
    ['/openai/v1/realtime/calls/rtc_1?api-version=v1', '/v1/realtime/calls/rtc_1'],
    ['HOST/realtime/calls/rtc_1/', '/v1/realtime/calls/rtc_1'],
    ['https://evil.example/x/../y', undefined],
    ['https://evil.example/v1/realtime/calls/y', undefined],
    ['//evil.example/v1/realtime/calls/y', undefined],
    ['/x/y', undefined],
    ['/v1/files/y', undefined],
    ['y', undefined],
    ['/v1/realtime/calls/a%2Fb', undefined],
    ['http://[', undefined],
  ])('%s reaches the client as %s', async ([location, seen]) => {
    status = 201;
    said = { location: location.replace('HOST', host), 'content-location': location, link: `<${location}>; rel=self` };
    const { headers } = await ask();
    expect([headers['location'], headers['content-location'], headers['link']]).toEqual([seen, undefined, undefined]);
  });

  test.for([
    [CALLS, 400],
    [CALLS, 307],
    [`${CALLS}/rtc_1/hangup`, 200],
    [`${CALLS}/rtc_1/reject`, 404],
    ['/v1/realtime/client_secrets', 200],
  ] as const)('is not said of %s with status %i either', async ([path, code]) => {
    status = code;
    said = { 'content-type': 'application/json', location: 'https://evil.example/', link: '<https://evil.example/>' };
    const { headers } = await ask(path, path === CALLS ? SDP : {});
    expect([headers['location'], headers['link']]).toEqual([undefined, undefined]);
  });
});

describe('a path of the API with another method', () => {
  test.for([
    'client_secrets',
    'sessions',
    'transcription_sessions',
    'translations/calls',
    'translations/client_secrets',
    'calls',
    'calls/rtc_1/hangup',
    'calls/rtc_1/accept',
  ])('says which one it takes: %s', async (path) => {
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const { answer, sent } = await reach(`/v1/realtime/${path}`, { method });
      expect([answer.status, answer.headers['allow'], sent], answer.text).toEqual([405, 'POST, OPTIONS', undefined]);
    }
  });
});

describe('a telephone call', () => {
  const ACCEPT = `${CALLS}/rtc_1/accept`;

  test('has its model from the query, which names the account', async () => {
    const headers = { 'x-gw-provider': '' };
    const { answer, body } = await reach(`${ACCEPT}?model=@openai/gpt-realtime`, {
      headers,
      body: { type: 'realtime' },
    });
    expect([answer.status, body && JSON.parse(body)], answer.text).toEqual([
      200,
      { type: 'realtime', model: 'gpt-realtime' },
    ]);
  });

  test.for([
    [`${ACCEPT}?model=b`, { model: 'a' }, /model and in model of the query/],
    [`${ACCEPT}?model=a&model=b`, {}, /The query names two models: name one/],
    [`${CALLS}?model=a&model=b`, { sdp: SDP }, /The query names two models: name one/],
  ] as const)('is refused where two models are named: %s %j', async ([path, body, text]) => {
    const { answer, sent } = await reach(path, { body });
    expect([answer.status, answer.json().error.param, sent]).toEqual([400, 'model', undefined]);
    expect(answer.json().error.message).toMatch(text);
  });
});

test.for([
  ['client_secrets', '{ "session":{"type":"realtime","seed":12345678901234567890123} }'],
  ['sessions', '{ "model":"m","seed":12345678901234567890123}'],
  ['calls/rtc_1/accept', '{ "model":"m","seed":12345678901234567890123}'],
])('what nothing changes reaches the provider as it was written: %s', async ([path = '', json = '']) => {
  const headers = { 'content-type': 'application/json' };
  const { answer, body } = await reach(`/v1/realtime/${path}`, { headers, body: json });
  expect([answer.status, body], answer.text).toEqual([200, json]);
});
