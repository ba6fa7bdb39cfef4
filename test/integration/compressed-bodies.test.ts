/** JSON bodies that clients compress: docs/behaviour/requests.md#bodies. */
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';

const BODY = JSON.stringify({ model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] });
const MIB = 1024 * 1024;

let world: World;

beforeAll(async () => {
  world = await startWorld({ env: { MAX_JSON_PAYLOAD_SIZE_IN_MB: '2' } });
});

afterAll(() => world[Symbol.asyncDispose]());

const send = (body: Buffer | string, encoding: string, path = '/v1/chat/completions', type = 'application/json') =>
  world.send(path, {
    method: 'POST',
    headers: { 'x-gw-provider': '@openai', 'content-type': type, 'content-encoding': encoding },
    body,
  });

describe.for([
  { encoding: 'gzip', pack: gzipSync },
  { encoding: 'deflate', pack: deflateSync },
  { encoding: 'br', pack: brotliCompressSync },
  { encoding: 'zstd', pack: zstdCompressSync },
])('a JSON body in $encoding', ({ encoding, pack }) => {
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

test('a compressed form is refused', async () => {
  const form = gzipSync('--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nm\r\n--x--\r\n');
  const { status, json } = await send(form, 'gzip', '/v1/images/edits', 'multipart/form-data; boundary=x');
  expect([status, json().error.param]).toEqual([415, 'content-encoding']);
});

test('other compressed bytes pass as they are', async () => {
  const bytes = gzipSync('bytes');
  const { status } = await send(bytes, 'gzip', '/v1/echo', 'application/octet-stream');
  expect(status).toBe(200);
  expect(lastRequest(world.mock).headers['content-encoding']).toBe('gzip');
  expect(lastRequest(world.mock).body.equals(bytes)).toBe(true);
});

test('an empty body with an encoding is read as an empty body', async () => {
  const { status, json } = await send('', 'gzip');
  expect([status, json().error.code]).toEqual([400, 'body_not_json']);
});
