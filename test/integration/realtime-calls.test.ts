/** The realtime API outside of its WebSockets: docs/behaviour/realtime.md#calls-over-webrtc. */
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectNothingLeft, lastRequest, startWorld, type World } from '../kit/gateway.ts';
import type { Received, SendOptions } from '../kit/http.ts';
import { memoryLog } from '../kit/request-log.ts';
import { config, KEY, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const SDP = ['v=0', 'o=- 1 2 IN IP4 127.0.0.1', 's=-', 't=0 0', 'm=audio 9 UDP/TLS/RTP/SAVPF 111', 'a=mid:0', ''].join(
  '\r\n',
);
const OFFER = { 'content-type': 'application/sdp' };
const VIA = { 'x-gw-provider': '@plain' };
const CALLS = '/v1/realtime/calls';
const SECRETS = '/v1/realtime/client_secrets';

const log = memoryLog();
let world: World;

beforeAll(async () => {
  world = await startWorld({
    requestLog: log,
    entries: ({ url }) => [
      provider('plain', { customHost: `${url}/v1`, secret: 'sk-plain-secret' }),
      provider('listed', { customHost: `${url}/v1`, models: ['gpt-realtime'] }),
      provider('claude', { provider: 'anthropic', customHost: `${url}/v1` }),
      provider('azure', {
        provider: 'azure-openai',
        customHost: `${url}/openai`,
        settings: { resource_name: 'r1', deployment_id: 'dep1', api_version: '2025-04-01-preview' },
      }),
      provider('xai', { provider: 'x-ai', customHost: `${url}/v1` }),
      config('of-plain', { provider: '@plain' }),
      config('two', { strategy: { mode: 'fallback' }, targets: [{ provider: '@claude' }, { provider: '@plain' }] }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const post = (path: string, { headers, ...options }: SendOptions = {}): Promise<Received> =>
  world.send(path, { method: 'POST', ...options, headers: { ...VIA, ...headers } });

const form = (fields: readonly (readonly [name: string, value: string])[]): SendOptions => ({
  headers: { 'content-type': 'multipart/form-data; boundary=x' },
  body: `${fields.map(([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--x--\r\n`,
});

const clientOf = (name = '@plain'): OpenAI =>
  new OpenAI({ baseURL: `${world.url}/v1`, apiKey: KEY, defaultHeaders: { 'x-gw-provider': name }, maxRetries: 0 });

/** What reached the provider of one call, and its answer; nothing where it was refused. */
async function reach(path: string, options: SendOptions = {}) {
  const before = world.mock.requests.length;
  const answer = await post(path, options);
  const [sent] = world.mock.requests.slice(before);
  return { answer, sent, body: sent?.body.toString() ?? '' };
}

const sessionOf = (body: string): unknown => JSON.parse(/name="session"\r\n\r\n(.*)\r\n/.exec(body)?.[1] ?? 'null');

describe('a call over WebRTC', () => {
  test('sends the offer with the credential, and answers as the provider does, at a path of the gateway', async () => {
    const { answer, sent, body } = await reach(CALLS, { headers: OFFER, body: SDP });
    expect([answer.status, answer.headers['content-type']]).toEqual([201, 'application/sdp']);
    expect(answer.headers.location).toMatch(/^\/v1\/realtime\/calls\/rtc_\w+$/);
    expect(answer.text).toMatch(/^v=0\r\n[\s\S]*m=audio 9 [\s\S]*a=setup:active/);
    expect(sent?.headers).toMatchObject({ 'content-type': 'application/sdp', authorization: 'Bearer sk-plain-secret' });
    expect(body).toBe(SDP);
    const hangup = await post(`${answer.headers.location}/hangup`);
    expect([hangup.status, hangup.text]).toEqual([200, '']);
    const gone = await post(`${answer.headers.location}/hangup`);
    expect([gone.status, gone.json().provider, gone.json().error.code]).toEqual([404, 'openai', 'call_id_not_found']);
  });

  test.for<[rule: string, query: string, options: SendOptions]>([
    ['the query', '?model=@plain/gpt-realtime', { headers: OFFER, body: SDP }],
    [
      'a form',
      '',
      form([
        ['sdp', SDP],
        ['session', '{"model":"@plain/gpt-realtime"}'],
      ]),
    ],
    [
      'both alike',
      '?model=@plain/gpt-realtime',
      form([
        ['session', '{"model":"@plain/gpt-realtime"}'],
        ['sdp', SDP],
      ]),
    ],
    ['JSON', '', { body: { sdp: SDP, session: { model: '@plain/gpt-realtime' } } }],
    ['JSON beside the session', '', { body: { sdp: SDP, model: '@plain/gpt-realtime' } }],
  ])('has its model from %s, which names the account', async ([, query, options]) => {
    const { answer, sent, body } = await reach(CALLS + query, {
      ...options,
      headers: { ...options.headers, 'x-gw-provider': '' },
    });
    expect(answer.status, answer.text).toBe(201);
    expect(sent?.search).toBe('');
    expect(body).toContain(`name="sdp"\r\n\r\n${SDP}\r\n`);
    expect(sessionOf(body)).toEqual({ type: 'realtime', model: 'gpt-realtime' });
  });

  test('keeps what the session says', async () => {
    const session = {
      type: 'realtime',
      model: 'm',
      instructions: 'Grüße',
      tools: [{ type: 'mcp', server_url: 'https://h' }],
    };
    const { sent, body } = await reach(
      CALLS,
      form([
        ['sdp', SDP],
        ['session', JSON.stringify(session)],
      ]),
    );
    expect(sessionOf(body)).toEqual(session);
    expect(sent?.headers.authorization).toBe('Bearer sk-plain-secret');
  });

  test('goes where a config says, and makes a record', async () => {
    log.records.length && (await log.next());
    const { answer } = await reach(CALLS, {
      headers: { ...OFFER, 'x-gw-provider': '', 'x-gw-config': 'of-plain' },
      body: SDP,
    });
    expect(answer.status).toBe(201);
    const row = log.records.findLast((record) => record.row.is_final)?.row;
    expect(row).toMatchObject({ operation: 'createRealtimeCall', status: 201, provider: 'openai' });
  });

  test.for<[rule: string, options: SendOptions, status: number, error: object, query?: string]>([
    ['no body', { headers: OFFER }, 400, { param: 'sdp' }],
    ['another type', { headers: { 'content-type': 'text/plain' }, body: SDP }, 400, { code: 'content_type_invalid' }],
    ['what is no SDP', { headers: OFFER, body: '{"sdp":1}' }, 400, { param: 'sdp' }],
    ['a giant offer', { headers: OFFER, body: `${SDP}${'a=x\r\n'.repeat(14_000)}` }, 413, { param: 'sdp' }],
    ['a giant offer in JSON', { body: { sdp: `${SDP}${'a'.repeat(70_000)}` } }, 413, { param: 'sdp' }],
    ['a giant offer in a form', form([['sdp', `${SDP}${'a'.repeat(70_000)}`]]), 413, { param: 'sdp' }],
    [
      'a giant session',
      form([
        ['sdp', SDP],
        ['session', `{"instructions":"${'a'.repeat(600_000)}"}`],
      ]),
      413,
      { param: 'session' },
    ],
    [
      'another field',
      form([
        ['sdp', SDP],
        ['model', 'm'],
      ]),
      400,
      { param: 'model' },
    ],
    ['another member', { body: { sdp: SDP, base_url: 'https://evil.example' } }, 400, { param: 'base_url' }],
    [
      'a field twice',
      form([
        ['sdp', SDP],
        ['sdp', SDP],
      ]),
      400,
      { param: 'sdp' },
    ],
    [
      'a session that is no JSON',
      form([
        ['sdp', SDP],
        ['session', 'gwk_secret'],
      ]),
      400,
      { param: 'session' },
    ],
    [
      'a model twice in the session',
      form([
        ['sdp', SDP],
        ['session', '{"model":"a","model":"b"}'],
      ]),
      400,
      { param: 'session' },
    ],
    [
      'a second model in the query',
      form([
        ['sdp', SDP],
        ['session', '{"model":"a"}'],
      ]),
      400,
      { param: 'model' },
      '?model=b',
    ],
    ['two models in the query', { headers: OFFER, body: SDP }, 400, { param: 'model' }, '?model=a&model=b'],
    ['a model that is no text', { body: { sdp: SDP, session: { model: ['a'] } } }, 400, { param: 'session.model' }],
    [
      'bytes that are no text',
      { headers: OFFER, body: Buffer.concat([Buffer.from(SDP), Buffer.from([0xff])]) },
      400,
      { param: 'sdp' },
    ],
    ['a packed form of it', { headers: { ...OFFER, 'content-encoding': 'x-own' }, body: SDP }, 415, {}],
  ])('refuses %s before the provider is called', async ([, options, status, error, query = '']) => {
    const { answer, sent } = await reach(CALLS + query, options);
    expect(answer.status, answer.text).toBe(status);
    expect(answer.json().error).toMatchObject(error);
    expect(answer.text).not.toContain('gwk_secret');
    expect(sent).toBeUndefined();
  });
});

describe('the SDK of OpenAI', () => {
  test('opens a call and ends it', async () => {
    const { realtime } = clientOf();
    const response = await realtime.calls.create({ sdp: SDP, session: { type: 'realtime', model: 'gpt-realtime' } });
    expect(await response.text()).toMatch(/^v=0/);
    const id = response.headers.get('location')?.split('/').at(-1) ?? '';
    await realtime.calls.refer(id, { target_uri: 'tel:+14155550123' });
    expect(JSON.parse(lastRequest(world.mock).body.toString())).toEqual({ target_uri: 'tel:+14155550123' });
    await realtime.calls.hangup(id);
    await expect(realtime.calls.hangup(id)).rejects.toMatchObject({ status: 404 });
  });

  test('accepts and rejects telephone calls', async () => {
    const { realtime } = clientOf();
    await realtime.calls.accept('rtc_in', { type: 'realtime', model: '@plain/gpt-realtime' as string });
    expect(lastRequest(world.mock).path).toBe('/v1/realtime/calls/rtc_in/accept');
    expect(JSON.parse(lastRequest(world.mock).body.toString())).toEqual({ type: 'realtime', model: 'gpt-realtime' });
    await realtime.calls.reject('rtc_in', { status_code: 486 });
    await realtime.calls.reject('rtc_in');
    expect(lastRequest(world.mock).path).toBe('/v1/realtime/calls/rtc_in/reject');
  });

  test('gets secrets, with and without a session', async () => {
    const { realtime } = clientOf();
    const session = { type: 'realtime', model: '@plain/gpt-realtime' as string } as const;
    const given = await realtime.clientSecrets.create({
      session,
      expires_after: { anchor: 'created_at', seconds: 60 },
    });
    expect(given.value).toMatch(/^ek_/);
    expect(JSON.parse(lastRequest(world.mock).body.toString())).toEqual({
      session: { type: 'realtime', model: 'gpt-realtime' },
      expires_after: { anchor: 'created_at', seconds: 60 },
    });
    expect((await realtime.clientSecrets.create({})).session).toMatchObject({ type: 'realtime' });
  });

  test('gets older sessions', async () => {
    const { beta } = clientOf();
    const { client_secret } = await beta.realtime.sessions.create({ model: 'gpt-4o-realtime-preview' });
    expect(client_secret.value).toMatch(/^ek_/);
    await beta.realtime.transcriptionSessions.create({ input_audio_transcription: { model: 'whisper-1' } });
    expect(lastRequest(world.mock).path).toBe('/v1/realtime/transcription_sessions');
  });
});

test('a call at Azure OpenAI names its deployment, and is at a path of the gateway', async () => {
  const headers = { ...OFFER, 'x-gw-provider': '@azure' };
  const { answer, sent, body } = await reach(`${CALLS}?model=m&webrtcfilter=on`, { headers, body: SDP });
  expect([sent?.path, sent?.search]).toEqual(['/openai/v1/realtime/calls', '?webrtcfilter=on']);
  expect(sessionOf(body)).toEqual({ type: 'realtime', model: 'dep1' });
  expect(answer.headers.location).toMatch(/^\/v1\/realtime\/calls\/rtc_\w+$/);
  const ended = await reach(`${answer.headers.location}/hangup`, { headers: { 'x-gw-provider': '@azure' } });
  expect([ended.answer.status, ended.sent?.search]).toEqual([200, '']);
});

test('the paths of Azure are those of the gateway', async () => {
  const { answer, sent } = await reach('/openai/v1/realtime/client_secrets', { body: {} });
  expect([answer.status, sent?.path]).toEqual([200, SECRETS]);
});

test('a secret is in no document of the log, and a hang-up is', async () => {
  for (const path of [SECRETS, '/v1/realtime/sessions', `${CALLS}/rtc_x/reject`])
    await post(path, { body: { model: 'm' } });
  const contents = log.records.map(({ content }) => String(content));
  expect(contents.filter((content) => content.includes('ek_mock_'))).toEqual([]);
  expect(contents.some((content) => content.includes('/reject'))).toBe(true);
});

test.for(['..%2F..%2Ffiles', '%2e%2e', 'a%0d%0ax-y:1', 'a%3Fb', 'x'.repeat(300)])(
  'an id of a call that leads elsewhere is refused: %s',
  async (id) => {
    for (const step of ['hangup', 'accept', 'refer', 'reject']) {
      const { answer, sent } = await reach(`${CALLS}/${id}/${step}`, { body: { model: 'm', target_uri: 'tel:1' } });
      expect([answer.status, answer.json().error.code], answer.text).toEqual([400, 'parameter_invalid']);
      expect(sent).toBeUndefined();
    }
  },
);

test('nothing of what was refused is held', async () => {
  await expectNothingLeft(world);
  await waitFor(async () => (await world.metric('gatehouse_buffered_bytes')) === 0, { what: 'no buffered byte' });
});

test('a stored credential reaches these paths by no other way', async () => {
  for (const path of ['client_secrets', 'calls', 'translations/client_secrets']) {
    const { answer, sent } = await reach(`/v1/proxy/realtime/${path}`, { body: { session: { model: 'm' } } });
    expect([answer.status, answer.json().error.code, sent]).toEqual([403, 'path_not_allowed', undefined]);
  }
});

describe('a provider without it', () => {
  test.for<[name: string, path: string, options: SendOptions]>([
    ['@claude', CALLS, { headers: OFFER, body: SDP }],
    ['@claude', SECRETS, { body: {} }],
    ['@xai', CALLS, { headers: OFFER, body: SDP }],
    ['@xai', `${CALLS}/rtc_1/hangup`, {}],
  ])('%s says so for %s', async ([name, path, { headers, ...rest }]) => {
    const { answer, sent } = await reach(path, { ...rest, headers: { ...headers, 'x-gw-provider': name } });
    expect(answer.status).toBe(400);
    const { error } = answer.json();
    expect(error).toMatchObject({
      code: 'operation_unsupported',
      message: expect.stringContaining('POST /v1/realtime/'),
    });
    expect(sent).toBeUndefined();
  });

  test('that has secrets alone gives those', async () => {
    const { answer, body } = await reach(SECRETS, {
      headers: { 'x-gw-provider': '@xai' },
      body: { expires_after: { seconds: 300 } },
    });
    expect([answer.status, body]).toEqual([200, '{"expires_after":{"seconds":300}}']);
  });

  test('one provider keeps a call: a config with two is refused for it', async () => {
    const { answer, sent } = await reach(`${CALLS}/rtc_1/hangup`, {
      headers: { 'x-gw-provider': '', 'x-gw-config': 'two' },
    });
    expect([answer.status, sent]).toEqual([400, undefined]);
  });
});

describe('an account with a list of models', () => {
  const LISTED = { 'x-gw-provider': '@listed' };
  test('opens calls of listed models', async () => {
    const { answer } = await reach(`${CALLS}?model=gpt-realtime`, { headers: { ...OFFER, ...LISTED }, body: SDP });
    expect(answer.status, answer.text).toBe(201);
  });

  test.for<[rule: string, path: string, options: SendOptions]>([
    ['another one', `${CALLS}?model=other`, { headers: OFFER, body: SDP }],
    ['none', CALLS, { headers: OFFER, body: SDP }],
    [
      'one for transcriptions',
      CALLS,
      { body: { sdp: SDP, session: { model: 'gpt-realtime', audio: { input: { transcription: { model: 'x' } } } } } },
    ],
    ['a stored prompt', CALLS, { body: { sdp: SDP, session: { model: 'gpt-realtime', prompt: { id: 'p' } } } }],
    [
      'transcriptions, whose model is a setting',
      CALLS,
      {
        body: {
          sdp: SDP,
          session: { type: 'transcription', audio: { input: { transcription: { model: 'gpt-realtime' } } } },
        },
      },
    ],
    ['another one of a telephone call', `${CALLS}/rtc_1/accept`, { body: { model: 'other' } }],
    [
      'a stored prompt of a telephone call',
      `${CALLS}/rtc_1/accept`,
      { body: { model: 'gpt-realtime', prompt: { id: 'p' } } },
    ],
    ['a secret, whose reader may name another', SECRETS, { body: { session: { model: 'gpt-realtime' } } }],
    ['a secret of a session', '/v1/realtime/sessions', { body: { model: 'gpt-realtime' } }],
    ['a secret by the proxy', '/v1/proxy/realtime/client_secrets', { body: { session: { model: 'gpt-realtime' } } }],
  ])('refuses %s', async ([, path, options]) => {
    const { answer, sent } = await reach(path, { ...options, headers: { ...options.headers, ...LISTED } });
    expect(answer.status, answer.text).toBe(412);
    expect(sent).toBeUndefined();
  });

  test('lets calls end', async () => {
    const { sent } = await reach(`${CALLS}/rtc_1/hangup`, { headers: LISTED });
    expect(sent?.path).toBe(`${CALLS}/rtc_1/hangup`);
  });
});
