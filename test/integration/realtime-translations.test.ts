/** Sessions of translations, which are opened as other calls over WebRTC: docs/behaviour/realtime.md#calls-over-webrtc. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import type { SendOptions } from '../kit/http.ts';
import { memoryLog } from '../kit/request-log.ts';
import { provider } from '../kit/snapshot.ts';

const SDP = 'v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\n';
const OFFER = { 'content-type': 'application/sdp' };
const CALLS = '/v1/realtime/translations/calls';
const SECRETS = '/v1/realtime/translations/client_secrets';
const AUDIO = { input: { transcription: { model: 'gpt-realtime-whisper' } }, output: { language: 'es' } };

const log = memoryLog();
let world: World;

beforeAll(async () => {
  world = await startWorld({
    requestLog: log,
    entries: ({ url }) => [
      provider('plain', { customHost: `${url}/v1`, secret: 'sk-plain-secret' }),
      provider('listed', { customHost: `${url}/v1`, models: ['gpt-realtime-translate'] }),
      provider('claude', { provider: 'anthropic', customHost: `${url}/v1` }),
      provider('xai', { provider: 'x-ai', customHost: `${url}/v1` }),
      provider('azure', {
        ...{ provider: 'azure-openai', customHost: `${url}/openai` },
        settings: { resource_name: 'r1', deployment_id: 'dep1', api_version: 'v1' },
      }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

/** What reached the provider, and the answer. */
async function reach(path: string, { headers, ...options }: SendOptions = {}) {
  const before = world.mock.requests.length;
  const answer = await world.send(path, {
    method: 'POST',
    headers: { 'x-gw-provider': '@plain', ...headers },
    ...options,
  });
  const [sent] = world.mock.requests.slice(before);
  return { answer, sent, body: sent?.body.toString() ?? '' };
}

test('a call has its offer and its session at the provider, with the credential', async () => {
  const { answer, sent, body } = await reach(CALLS, {
    headers: { 'x-gw-provider': '' },
    body: { sdp: SDP, session: { model: '@plain/gpt-realtime-translate', audio: AUDIO } },
  });
  expect([answer.status, answer.headers['content-type']], answer.text).toEqual([201, 'application/sdp']);
  expect([sent?.path, sent?.headers['authorization']]).toEqual([CALLS, 'Bearer sk-plain-secret']);
  expect(body).toContain(`name="sdp"\r\n\r\n${SDP}\r\n`);
  const session = /name="session"\r\n\r\n(.*)\r\n/.exec(body)?.[1] ?? 'null';
  expect(JSON.parse(session)).toEqual({ audio: AUDIO, model: 'gpt-realtime-translate' });
});

test('an offer alone reaches the provider as it is, and its answer is at no path', async () => {
  const { answer, sent, body } = await reach(CALLS, { headers: OFFER, body: SDP });
  expect([answer.status, sent?.headers['content-type'], body]).toEqual([201, 'application/sdp', SDP]);
  expect(answer.headers['location']).toBeUndefined();
});

test('a secret has its session as the client wrote it', async () => {
  const body = { session: { model: 'gpt-realtime-translate', audio: AUDIO }, expires_after: { seconds: 60 } };
  const { answer, sent, body: given } = await reach(SECRETS, { body });
  expect([answer.status, sent?.path, JSON.parse(given)]).toEqual([200, SECRETS, body]);
  expect(answer.json()).toMatchObject({ value: expect.stringMatching(/^ek_mock_/) });
});

test('both have a name of their own in the log, and their secrets are in no document', async () => {
  while (log.records.length > 0) await log.next();
  await reach(CALLS, { headers: OFFER, body: SDP });
  await reach(SECRETS, { body: { session: { model: 'm' } } });
  const records = [...(await log.next()), ...(await log.next())];
  expect(records.map(({ row }) => row.operation)).toEqual([
    'createRealtimeTranslationCall',
    'createRealtimeTranslationSecret',
  ]);
  const contents = records.map(({ content }) => String(content)).join('\n');
  expect(contents).not.toMatch(/ek_mock_|ice-pwd|SAVPF/);
});

describe('before the provider is called', () => {
  test.for<[rule: string, path: string, session: unknown, param: string]>([
    ['a session of another type', SECRETS, { type: 'realtime', model: 'm' }, 'session.type'],
    ['a call of another type', CALLS, { type: 'transcription', model: 'm' }, 'session.type'],
    ['a session that is none', SECRETS, 'x', 'session'],
  ])('%s is refused', async ([, path, session, param]) => {
    const { answer, sent } = await reach(path, { body: { ...(path === CALLS && { sdp: SDP }), session } });
    expect([answer.status, answer.json().error.param, sent], answer.text).toEqual([400, param, undefined]);
  });

  test.for<[name: string, path: string, options: SendOptions, operation: string]>([
    ['@azure', CALLS, { headers: OFFER, body: SDP }, `POST ${CALLS} is not offered by azure-openai`],
    ['@azure', SECRETS, { body: {} }, `POST ${SECRETS} is not offered by azure-openai`],
    ['@azure', `/openai${SECRETS}`, { body: {} }, `POST ${SECRETS} is not offered by azure-openai`],
    ['@claude', CALLS, { headers: OFFER, body: SDP }, `POST ${CALLS} is not offered by anthropic`],
    ['@xai', SECRETS, { body: {} }, `POST ${SECRETS} is not offered by x-ai`],
  ])('%s refuses %s', async ([name, path, { headers, ...rest }, message]) => {
    const { answer, sent } = await reach(path, { ...rest, headers: { ...headers, 'x-gw-provider': name } });
    expect([answer.status, answer.json().error.code, sent], answer.text).toEqual([
      400,
      'operation_unsupported',
      undefined,
    ]);
    expect(answer.json().error.message).toContain(message);
  });

  test.for<[rule: string, path: string, body: object]>([
    ['another model', CALLS, { sdp: SDP, session: { model: 'other' } }],
    ['another one for its transcript', CALLS, { sdp: SDP, session: { model: 'gpt-realtime-translate', audio: AUDIO } }],
    ['a secret, whose reader may name another', SECRETS, { session: { model: 'gpt-realtime-translate' } }],
  ])('an account with a list of models refuses %s', async ([, path, body]) => {
    const { answer, sent } = await reach(path, { headers: { 'x-gw-provider': '@listed' }, body });
    expect([answer.status, sent], answer.text).toEqual([412, undefined]);
  });
});
