/** Bodies that clients compress: docs/behaviour/requests.md#bodies. */
import { randomBytes } from 'node:crypto';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectNothingLeft, lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { provider } from '../kit/snapshot.ts';

const BODY = JSON.stringify({ model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] });
const MIB = 1024 * 1024;
const MAX_FORM_BYTES = 2 * MIB;

let world: World;

beforeAll(async () => {
  world = await startWorld({
    env: {
      MAX_JSON_PAYLOAD_SIZE_IN_MB: '2',
      GATEHOUSE_MAX_FORM_BYTES: String(MAX_FORM_BYTES),
      GATEHOUSE_REPLAY_BYTES: '100000',
    },
    entries: ({ url }) => [provider('other', { customHost: `${url}/v1`, secret: 'sk-other', proxyPaths: 'All' })],
  });
});

afterAll(() => world[Symbol.asyncDispose]());

const send = (body: Buffer | string, encoding: string, path = '/v1/chat/completions', type = 'application/json') =>
  world.send(path, {
    method: 'POST',
    headers: { 'x-gw-provider': '@openai', 'content-type': type, 'content-encoding': encoding },
    body,
  });

/** At a quality that is not slow. */
const packBrotli = (bytes: Buffer | string): Buffer =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });

const CODINGS = [
  { encoding: 'gzip', pack: gzipSync },
  { encoding: 'deflate', pack: deflateSync },
  { encoding: 'br', pack: packBrotli },
  { encoding: 'zstd', pack: zstdCompressSync },
];

describe.for(CODINGS)('a JSON body in $encoding', ({ encoding, pack }) => {
  test.for(['/v1/chat/completions', '/v1/echo'])('reaches the provider of %s unpacked', async (path) => {
    const { status } = await send(pack(BODY), encoding, path);
    expect(status).toBe(200);
    const { headers, body } = lastRequest(world.mock);
    expect(body.toString()).toContain('"content":"hi"');
    expect(headers['content-encoding']).toBeUndefined();
    expect(Number(headers['content-length'])).toBe(body.length);
  });

  test('that unpacks to more than a body may be is 413', async () => {
    const { status, json } = await send(pack(Buffer.alloc(50 * MIB, ' ')), encoding);
    expect([status, json().error.code]).toEqual([413, 'body_too_large']);
  });

  test('that is cut off names its header', async () => {
    const { status, json } = await send(pack(BODY).subarray(0, -5), encoding);
    expect(json().error).toMatchObject({ code: 'content_encoding_invalid', param: 'content-encoding' });
    expect(status).toBe(415);
  });

  test('that is no JSON is named by line and column', async () => {
    const { status, text } = await send(pack('{"model": }'), encoding);
    expect(status).toBe(400);
    expect(text).toContain('line 1, column 11');
  });
});

test('an encoding that is not supported is refused with those that are', async () => {
  const { status, text } = await send(BODY, 'compress');
  expect(status).toBe(415);
  expect(text).toContain('gzip, deflate, br, zstd');
});

const FORM = 'multipart/form-data; boundary=edge';
const formOf = (model: string, file: Buffer): Buffer => {
  const head = (name: string): string => `--edge\r\ncontent-disposition: form-data; name=${name}\r\n\r\n`;
  return Buffer.concat([
    Buffer.from(head('"file"; filename="a.wav"')),
    file,
    Buffer.from(`\r\n${head('"model"')}${model}\r\n--edge--\r\n`),
  ]);
};
const TRANSCRIPTIONS = '/v1/audio/transcriptions';
const PROXIED = '/v1/proxy/audio/transcriptions';
const RECORDING = randomBytes(MIB);

describe.for(CODINGS)('a form in $encoding', ({ encoding, pack }) => {
  test.for([TRANSCRIPTIONS, PROXIED])('reaches the provider of %s unpacked', async (path) => {
    const form = formOf('whisper-1', RECORDING);
    const { status, text } = await send(pack(form), encoding, path, FORM);
    expect(status, text).toBe(200);
    const { headers, body } = lastRequest(world.mock);
    expect([headers['content-encoding'], headers['content-type'], body.equals(form)]).toEqual([undefined, FORM, true]);
  });

  test('goes to the account of its model', async () => {
    const headers = { 'content-type': FORM, 'content-encoding': encoding };
    const { status, text } = await world.send(TRANSCRIPTIONS, {
      headers,
      body: pack(formOf('@other/whisper-1', RECORDING)),
    });
    expect([status, lastRequest(world.mock).headers.authorization], text).toEqual([200, 'Bearer sk-other']);
  });

  test.for([
    { rule: 'a proxied form', limit: 'GATEHOUSE_MAX_FORM_BYTES', path: PROXIED },
    { rule: 'a form of an operation', limit: String(MAX_FORM_BYTES), path: TRANSCRIPTIONS },
  ])('that stands for more than $rule may have is 413, and never arrives whole', async ({ limit, path }) => {
    const file = Buffer.alloc(3 * MIB, 'sound');
    const before = lastRequest(world.mock).sequence;
    const { status, json } = await send(pack(formOf('whisper-1', file)), encoding, path, FORM);
    expect([status, json().error.code, json().error.message]).toEqual([
      413,
      'body_too_large',
      expect.stringContaining(limit),
    ]);
    expect(lastRequest(world.mock).sequence).toBe(before);
    await expectNothingLeft(world);
  });

  test.for([
    { rule: 'is cut off', change: (bytes: Buffer) => bytes.subarray(0, -5) },
    { rule: 'something follows', change: (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('and more')]) },
    { rule: 'is none of it', change: () => formOf('whisper-1', Buffer.from('plain')) },
  ])('that $rule is 415', async ({ change }) => {
    for (const file of [Buffer.from('short'), RECORDING]) {
      const packed = pack(formOf('whisper-1', file));
      const { status, json } = await send(change(packed), encoding, TRANSCRIPTIONS, FORM);
      expect([status, json().error.param]).toEqual([415, 'content-encoding']);
    }
  });

  test('is unpacked as any other bytes are', async () => {
    const { status } = await send(pack(RECORDING), encoding, '/v1/echo', 'application/octet-stream');
    const { headers, body } = lastRequest(world.mock);
    expect([status, headers['content-encoding'], body.equals(RECORDING)]).toEqual([200, undefined, true]);
  });
});

test('a form in an encoding that is not supported is refused with those that are', async () => {
  const { status, text } = await send(formOf('m', RECORDING), 'compress', TRANSCRIPTIONS, FORM);
  expect(status).toBe(415);
  expect(text).toContain('gzip, deflate, br, zstd');
});

test('other bytes in an encoding that is not supported pass as they are', async () => {
  const { status } = await send(RECORDING, 'aes128gcm', '/v1/echo', 'application/octet-stream');
  expect(status).toBe(200);
  expect(lastRequest(world.mock).headers['content-encoding']).toBe('aes128gcm');
  expect(lastRequest(world.mock).body.equals(RECORDING)).toBe(true);
});

test('an empty body with an encoding is read as an empty body', async () => {
  const { status, json } = await send('', 'gzip');
  expect([status, json().error.code]).toEqual([400, 'body_not_json']);
});
