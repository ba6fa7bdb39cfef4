/** Numbers of sessions that are written anew: docs/behaviour/realtime.md#calls-over-webrtc. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { config, provider } from '../kit/snapshot.ts';

const SDP = 'v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\n';
const BIG = '9007199254740993';
const LONG = '0.12345678901234567890';
/** A schema of a tool, and a setting. */
const TOOLS = `"tools":[{"parameters":{"maximum":${BIG},"multipleOf":${LONG}}}],"speed":${LONG}`;
const AZURE = { 'x-gw-provider': '@azure' };

let world: World;

beforeAll(async () => {
  world = await startWorld({
    entries: ({ url }) => [
      provider('plain', { customHost: `${url}/v1` }),
      provider('azure', {
        ...{ provider: 'azure-openai', customHost: `${url}/openai` },
        settings: { resource_name: 'r1', deployment_id: 'dep1', api_version: '2025-04-01-preview' },
      }),
      config('speed', { provider: '@plain', override_params: { speed: 2 } }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

/** What reached the provider. */
async function sent(path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const type = body.startsWith('--') ? 'multipart/form-data; boundary=x' : 'application/json';
  const answer = await world.send(`/v1/realtime/${path}`, {
    headers: { 'x-gw-provider': '@plain', 'content-type': type, ...headers },
    body,
  });
  expect(answer.status, answer.text).toBeLessThan(300);
  return lastRequest(world.mock).body.toString();
}

const form = (session: string): string =>
  ['sdp', 'session']
    .map((name) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${name === 'sdp' ? SDP : session}\r\n`)
    .concat('--x--\r\n')
    .join('');

describe('where the model moves, numbers keep their digits', () => {
  const wanted = (model: string) => `{"type":"realtime",${TOOLS},"model":"${model}"}`;

  test('of a call in a form', async () => {
    expect(await sent('calls?model=@plain/m', form(`{${TOOLS}}`))).toContain(`\r\n\r\n${wanted('m')}\r\n`);
  });

  test('of a call in JSON', async () => {
    const body = `{"sdp":${JSON.stringify(SDP)},"session":{${TOOLS},"model":"@plain/m"}}`;
    expect(await sent('calls', body)).toContain(`\r\n\r\n${wanted('m')}\r\n`);
  });

  test('of a call for a deployment', async () => {
    expect(await sent('calls', form(`{"model":"m",${TOOLS}}`), AZURE)).toContain(`\r\n\r\n${wanted('dep1')}\r\n`);
  });

  test.for([
    {
      path: 'client_secrets',
      given: `{"session":{${TOOLS},"model":"@plain/m"}}`,
      wanted: `{"session":${wanted('m')}}`,
    },
    { path: 'calls/rtc_1/accept', given: `{${TOOLS},"model":"@plain/m"}`, wanted: `{${TOOLS},"model":"m"}` },
    { path: 'sessions', given: `{${TOOLS},"model":"@plain/m"}`, wanted: `{${TOOLS},"model":"m"}` },
    {
      path: 'transcription_sessions?model=@plain/m',
      ...{ given: `{${TOOLS}}`, wanted: `{${TOOLS},"input_audio_transcription":{"model":"m"}}` },
    },
  ])('of $path', async ({ path, given, wanted }) => {
    expect(await sent(path, given)).toBe(wanted);
  });
});

test('what a config sets is as the config has it', async () => {
  const body = await sent('sessions', `{"model":"m","speed":${BIG},"max":${BIG}}`, {
    'x-gw-provider': '',
    'x-gw-config': 'speed',
  });
  expect(body).toBe(`{"model":"m","speed":2,"max":${BIG}}`);
});
