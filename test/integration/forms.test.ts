/** The model of a multipart form chooses and is checked as that of a JSON body, as far as the form is held. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { provider } from '../kit/snapshot.ts';

const PATH = '/v1/audio/transcriptions';
const REPLAY_BYTES = 100_000;
const HELD_BYTES = 150_000;

let world: World;
beforeAll(async () => {
  world = await startWorld({
    env: { GATEHOUSE_REPLAY_BYTES: String(REPLAY_BYTES), GATEHOUSE_FORM_MODEL_BYTES: String(HELD_BYTES) },
    entries: ({ url }) => [
      ...provider('other', { customHost: `${url}/v1`, secret: 'sk-other' }),
      ...provider('narrow', { customHost: `${url}/v1`, models: ['whisper-1'] }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const field = (name: string, value: string, rest = ''): string =>
  `--edge\r\ncontent-disposition: form-data; name="${name}"${rest}\r\n\r\n${value}\r\n`;
const model = (value: string): string => field('model', value);
const file = (bytes = 70_000): string => field('file', 'x'.repeat(bytes), '; filename="a.wav"');

const send = (parts: readonly string[], headers: Readonly<Record<string, string>> = {}, path = PATH) =>
  world.send(path, {
    headers: { 'content-type': 'multipart/form-data; boundary=edge', ...headers },
    body: Buffer.from(`${parts.join('')}--edge--\r\n`),
  });
const received = () => {
  const last = world.mock.requests.at(-1);
  const [, boundary = ''] = /^multipart\/form-data; boundary=(\w+)$/.exec(last?.headers['content-type'] ?? '') ?? [];
  return { key: last?.headers.authorization, form: last?.body.toString('latin1').replaceAll(boundary, 'edge') };
};

describe('the model of a form', () => {
  test.for([
    { rule: 'before its file', parts: [model('@other/whisper-1'), file()] },
    { rule: 'behind its file', parts: [file(), model('@other/whisper-1')] },
  ])('names the account, and goes there without that: $rule', async ({ parts }) => {
    const answer = await send(parts);
    expect([answer.status, answer.headers['x-gw-model']], answer.text).toEqual([200, 'whisper-1']);
    const { key, form } = received();
    expect(key).toBe('Bearer sk-other');
    expect(form).toBe(`${parts.join('')}--edge--\r\n`.replace('@other/', ''));
  });

  test('is not found behind more than is held, and the answer says what to send', async () => {
    const answer = await send([file(2 * REPLAY_BYTES), model('@other/whisper-1')]);
    expect([answer.status, answer.json().error.message]).toEqual([400, expect.stringContaining('x-gw-provider')]);
    expect((await send([file(2 * REPLAY_BYTES), model('whisper-1')], { 'x-gw-provider': '@other' })).status).toBe(200);
  });

  test('is sent without what might make it another one for the provider', async () => {
    const typed = model('whisper-1').replace('\r\n\r\n', '\r\ncontent-type: text/plain; charset=utf-16\r\n\r\n');
    expect((await send([typed, file()], { 'x-gw-provider': '@narrow' })).status).toBe(200);
    expect(received().form).toBe(`${model('whisper-1')}${file()}--edge--\r\n`);
  });

  test('names no account that does not exist', async () => {
    const answer = await send([model('@nowhere/whisper-1'), file()]);
    expect([answer.status, answer.json().error.param]).toEqual([400, 'model']);
  });

  test.for([
    { rule: 'is listed', parts: [model('whisper-1'), file()], status: 200 },
    { rule: 'is listed, behind the file', parts: [file(), model('whisper-1')], status: 200 },
    { rule: 'is not listed', parts: [model('other'), file()], status: 412 },
    { rule: 'is not there', parts: [file()], status: 412 },
    { rule: 'may be another one', parts: [model('whisper-1'), field('model_id', 'other'), file()], status: 412 },
    {
      rule: 'may be another one behind the file',
      parts: [model('whisper-1'), file(), field('engine', 'other')],
      status: 412,
    },
    { rule: 'may be read otherwise', parts: [model('whisper-1'), field('_charset_', 'utf-16'), file()], status: 412 },
    { rule: 'is there twice', parts: [model('whisper-1'), file(), model('other')], status: 400 },
  ])('is held to the list of its account when it $rule: $status', async ({ parts, status }) => {
    for (const [names, headers] of [
      ['', { 'x-gw-provider': '@narrow' }],
      ['@narrow/', {}],
    ] as const) {
      const named = parts.map((part) => part.replace(/(name="model"\r\n\r\n)/, `$1${names}`));
      const answer = await send(named, headers);
      const hasModel = parts.some((part) => part.includes('name="model"'));
      expect(answer.status, answer.text).toBe(hasModel || names === '' ? status : 400);
    }
  });
});

describe('a form that is not well-formed', () => {
  const broken = ['before the first boundary', model('@other/whisper-1'), file()];
  test('is refused with the reason where its model decides', async () => {
    for (const headers of [{}, { 'x-gw-provider': '@narrow' }]) {
      const answer = await send(broken, headers);
      expect([answer.status, answer.json().error.message]).toEqual([
        400,
        expect.stringContaining('does not begin with the boundary'),
      ]);
    }
  });

  test('is refused where the operation takes forms alone', async () => {
    const before = world.mock.requests.length;
    const answer = await send(broken, { 'x-gw-provider': '@other' });
    expect([answer.status, answer.json().error.code, world.mock.requests.length - before]).toEqual([
      400,
      'body_not_form',
      0,
    ]);
  });

  test('goes on as it is where a proxied call needs none', async () => {
    const answer = await send(broken, { 'x-gw-provider': '@other' }, `/v1/proxy${PATH.slice('/v1'.length)}`);
    expect(answer.status).toBe(200);
  });
});
