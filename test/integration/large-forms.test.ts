/** Forms larger than what is kept for another try, whose file stands before the model: nothing of them goes where the client did not send it. */
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectNothingLeft, startWorld, type World } from '../kit/gateway.ts';
import { config, KEY, key, provider } from '../kit/snapshot.ts';

const MIB = 1024 * 1024;
const RECORDING = Buffer.alloc(12 * MIB, 'sound');
const HELD_BYTES = 16 * MIB;

let world: World;
let openai: OpenAI;
beforeAll(async () => {
  world = await startWorld({
    env: { GATEHOUSE_FORM_MODEL_BYTES: String(HELD_BYTES) },
    entries: ({ url }) => [
      config('main', { provider: '@openai' }),
      key({ config: 'main' }),
      provider('other', { customHost: `${url}/v1`, secret: 'sk-other' }),
    ],
  });
  openai = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: KEY, maxRetries: 0 });
});
afterAll(() => world[Symbol.asyncDispose]());

/** Calls that arrive at the mock from now on, each whole. */
const watchCalls = () => {
  const before = world.mock.requests.at(-1)?.sequence ?? 0;
  return () => world.mock.requests.filter(({ sequence }) => sequence > before);
};

type Order = 'before' | 'behind';
const ORDERS: readonly Order[] = ['before', 'behind'];

/** The SDK writes fields in the order of the object. */
const formOf = async (model: string, order: Order) => {
  const file = await toFile(RECORDING, 'a.wav');
  return order === 'before' ? { model, file } : { file, model };
};

const transcribe = async (model: string, order: Order, headers: Readonly<Record<string, string>> = {}) => {
  const calls = watchCalls();
  const form = await formOf(model, order);
  const { status, headers: shown } = await openai.audio.transcriptions
    .create(form, { headers })
    .withResponse()
    .then(
      ({ response }) => response,
      (error: unknown) => {
        if (error instanceof OpenAI.APIError) return { status: error.status, headers: new Headers(error.headers) };
        throw error;
      },
    );
  return { status, model: shown.get('x-gw-model'), calls: calls() };
};

describe.for(ORDERS)('12 MiB of the OpenAI SDK, the model %s the file', (order) => {
  test('go to the account that the model names', async () => {
    const { status, model, calls } = await transcribe('@other/whisper-1', order);
    expect([status, model, calls.map(({ headers }) => headers.authorization)]).toEqual([
      200,
      'whisper-1',
      ['Bearer sk-other'],
    ]);
    expect(calls[0]?.bodyBytes).toBeGreaterThan(RECORDING.length);
  });

  test('go to the default config where the model names none', async () => {
    const { status, calls } = await transcribe('whisper-1', order);
    expect([status, calls.map(({ headers }) => headers.authorization)]).toEqual([200, ['Bearer sk-openai-secret']]);
  });

  test('go nowhere when the account does not exist', async () => {
    const { status, calls } = await transcribe('@nosuch/whisper-1', order);
    expect([status, calls]).toEqual([400, []]);
  });
});

describe('a form beyond what is held for its model', () => {
  const field = (name: string, value: string, rest = ''): string =>
    `--edge\r\ncontent-disposition: form-data; name="${name}"${rest}\r\n\r\n${value}\r\n`;
  const send = (path: string, parts: readonly string[], headers: Readonly<Record<string, string>> = {}) =>
    world.send(path, {
      headers: { 'content-type': 'multipart/form-data; boundary=edge', ...headers },
      body: Buffer.from(`${parts.join('')}--edge--\r\n`),
    });
  const file = (bytes: number): string => field('file', 'x'.repeat(bytes), '; filename="a.wav"');
  const model = (value: string): string => field('model', value);
  const LARGE = file(HELD_BYTES + MIB);
  const PATH = '/v1/audio/transcriptions';

  test('is refused before anything of it leaves, and the answer says what to send', async () => {
    const calls = watchCalls();
    const { status, json } = await send(PATH, [LARGE, model('whisper-1')]);
    expect([status, json().error]).toEqual([
      400,
      expect.objectContaining({
        code: 'model_required',
        param: 'model',
        message: expect.stringMatching(/field model before the file.* x-gw-provider/),
      }),
    ]);
    expect(calls()).toEqual([]);
  });

  test.for([
    { rule: 'its model stands before the file', parts: [model('@other/whisper-1'), LARGE], headers: {} },
    { rule: 'a header names the account', parts: [LARGE, model('whisper-1')], headers: { 'x-gw-provider': '@other' } },
    { rule: 'a header names a config', parts: [LARGE, model('whisper-1')], headers: { 'x-gw-config': 'main' } },
  ])('goes on where $rule', async ({ parts, headers }) => {
    const { status, text, headers: shown } = await send(PATH, parts, headers);
    expect([status, shown['x-gw-body-replayable']], text).toEqual([200, 'false']);
  });

  test.for([
    { rule: 'behind a file that a header sends elsewhere', path: PATH, headers: { 'x-gw-provider': '@openai' } },
    { rule: 'behind a file for a config of the call', path: PATH, headers: { 'x-gw-config': 'main' } },
    { rule: 'behind a proxied file', path: '/v1/files', headers: {} },
    { rule: 'behind the file of any other path', path: '/v1/proxy/audio/transcriptions', headers: {} },
  ])('whose model names an account $rule is refused, and never arrives whole', async ({ path, headers }) => {
    const calls = watchCalls();
    const { status, json } = await send(path, [LARGE, model('@other/whisper-1')], headers);
    expect([status, json().error.code, json().error.param]).toEqual([400, 'model_required', 'model']);
    expect(calls()).toEqual([]);
    await expectNothingLeft(world);
  });
});
