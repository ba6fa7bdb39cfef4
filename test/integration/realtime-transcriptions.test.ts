/** Sessions of transcriptions, which name their model among their settings: docs/behaviour/realtime.md#calls-over-webrtc. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import type { SendOptions } from '../kit/http.ts';
import { provider } from '../kit/snapshot.ts';

const SECRETS = '/v1/realtime/client_secrets';

let world: World;

beforeAll(async () => {
  world = await startWorld({
    entries: ({ url }) => [
      provider('plain', { customHost: `${url}/v1`, secret: 'sk-plain-secret' }),
      provider('azure', {
        provider: 'azure-openai',
        customHost: `${url}/openai`,
        settings: { resource_name: 'r1', deployment_id: 'dep1', api_version: '2025-04-01-preview' },
      }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

/** What reached the provider of one call, and its answer; nothing where it was refused. */
async function reach(path: string, { headers, ...options }: SendOptions = {}) {
  const before = world.mock.requests.length;
  const answer = await world.send(path, {
    method: 'POST',
    ...options,
    headers: { 'x-gw-provider': '@plain', ...headers },
  });
  const [sent] = world.mock.requests.slice(before);
  return { answer, sent, body: sent?.body.toString() ?? '' };
}

describe('a session of transcriptions', () => {
  const AZURE = { headers: { 'x-gw-provider': '@azure' } };
  const NAMED = { headers: { 'x-gw-provider': '' } };
  const NESTED = { language: 'de', model: '@plain/whisper-1' };
  const transcription = (model: object) => ({ type: 'transcription', audio: { input: { transcription: model } } });
  const SESSIONS = '/v1/realtime/transcription_sessions';

  test.for<[rule: string, path: string, options: SendOptions, sent: object]>([
    [
      'has its model in its place',
      SECRETS,
      { ...NAMED, body: { session: transcription(NESTED) } },
      { session: transcription({ language: 'de', model: 'whisper-1' }) },
    ],
    [
      'has the model of the query in its place',
      `${SECRETS}?model=@plain/w`,
      { ...NAMED, body: { session: { type: 'transcription' } } },
      { session: transcription({ model: 'w' }) },
    ],
    [
      'of the older kind, too',
      SESSIONS,
      { ...NAMED, body: { input_audio_transcription: NESTED } },
      { input_audio_transcription: { language: 'de', model: 'whisper-1' } },
    ],
    [
      'of the older kind has that of the query',
      `${SESSIONS}?model=w`,
      {},
      { input_audio_transcription: { model: 'w' } },
    ],
    [
      'does not get the deployment of the account',
      SECRETS,
      { ...AZURE, body: { session: transcription({ model: 'w' }) } },
      { session: transcription({ model: 'w' }) },
    ],
    [
      'without a model stays so',
      SECRETS,
      { ...AZURE, body: { session: { type: 'transcription' } } },
      { session: { type: 'transcription' } },
    ],
  ])('%s', async ([, path, options, sent]) => {
    const { answer, body } = await reach(path, { body: {}, ...options });
    expect(answer.status, answer.text).toBe(200);
    expect(JSON.parse(body)).toEqual(sent);
  });

  test.for<[path: string, body: object, param: string]>([
    [`${SECRETS}?model=b`, { session: transcription({ model: 'a' }) }, 'model'],
    [SECRETS, { session: { ...transcription({ model: 'a' }), model: 'b' } }, 'model'],
    [SECRETS, { session: transcription({ model: 1 }) }, 'session.audio.input.transcription.model'],
    [`${SECRETS}?model=b`, { session: { type: 'transcription', audio: 'x' } }, 'session.audio'],
    [SESSIONS, { model: 'b', input_audio_transcription: { model: 'a' } }, 'model'],
  ])('with models that differ is refused: %s %j', async ([path, body, param]) => {
    const { answer, sent } = await reach(path, { body });
    expect([answer.status, answer.json().error.param, sent], answer.text).toEqual([400, param, undefined]);
  });
});
