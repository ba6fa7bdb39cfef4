import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createByteBudget } from '../../../lib/byte-budget.ts';
import { unlimitedAccount } from '../../../lib/testing.ts';
import { isEventStream, isServerSent } from './media-types.ts';
import { passedHeaders } from './passed-headers.ts';
import { decodeAnswer } from './unpack.ts';

const limits = () => ({ maxBytes: 1_000, memory: unlimitedAccount() });
const TEXT = Buffer.from('{"hello":"world"}');

describe('a body in an encoding', () => {
  test.for([
    { encoding: 'gzip', bytes: gzipSync(TEXT) },
    { encoding: 'x-gzip', bytes: gzipSync(TEXT) },
    { encoding: ' GZIP ', bytes: gzipSync(TEXT) },
    { encoding: 'deflate', bytes: deflateSync(TEXT) },
    { encoding: 'br', bytes: brotliCompressSync(TEXT) },
  ])('of $encoding is read', async ({ encoding, bytes }) => {
    const answer = await decodeAnswer(
      { status: 200, headers: { 'content-encoding': encoding, etag: 'e' }, bytes },
      limits(),
    );
    expect(answer).toEqual({ status: 200, headers: { etag: 'e' }, bytes: TEXT });
  });

  test.for([
    { rule: 'that is unknown', encoding: 'zstd', bytes: TEXT },
    { rule: 'that it does not have', encoding: 'gzip', bytes: TEXT },
  ])('$rule is an invalid response', async ({ encoding, bytes }) => {
    const reading = decodeAnswer({ status: 200, headers: { 'content-encoding': encoding }, bytes }, limits());
    await expect(reading).rejects.toMatchObject({ code: 'UPSTREAM_INVALID_RESPONSE' });
  });

  test('that grows beyond the limit is aborted, and nothing of it is held', async () => {
    const memory = createByteBudget(1_000_000);
    const bytes = gzipSync(Buffer.alloc(900_000));
    const answer = { status: 200, headers: { 'content-encoding': 'gzip' }, bytes };
    const reading = decodeAnswer(answer, { maxBytes: 100_000, memory: memory.open() });
    await expect(reading).rejects.toMatchObject({ code: 'UPSTREAM_TOO_LARGE' });
    expect(memory.used).toBe(0);
  });

  test('that finds no room is aborted, and nothing of it is held', async () => {
    const memory = createByteBudget(100_000);
    const bytes = gzipSync(Buffer.alloc(900_000));
    const answer = { status: 200, headers: { 'content-encoding': 'gzip' }, bytes };
    const reading = decodeAnswer(answer, { maxBytes: 1_000_000, memory: memory.open() });
    await expect(reading).rejects.toMatchObject({ code: 'MEMORY_EXHAUSTED' });
    expect(memory.used).toBe(0);
  });

  test.for([
    { encoding: undefined, bytes: TEXT },
    { encoding: 'identity', bytes: TEXT },
    { encoding: 'gzip', bytes: Buffer.alloc(0) },
  ])('of $encoding is left alone', async ({ encoding, bytes }) => {
    const answer = { status: 200, headers: { 'content-encoding': encoding }, bytes };
    expect(await decodeAnswer(answer, limits())).toBe(answer);
  });
});

describe('the headers of a provider', () => {
  test('go on, but for those of its connection, its site and our own names', () => {
    expect(
      passedHeaders({
        connection: 'keep-alive, X-Mine',
        'x-mine': '1',
        'strict-transport-security': 'max-age=1',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'same-site',
        'clear-site-data': '*',
        'alt-svc': 'h3=":1"',
        'keep-alive': 'timeout=5',
        'transfer-encoding': 'chunked',
        'content-length': '3',
        upgrade: 'h2c',
        'x-gw-provider': 'evil',
        'retry-after': '3',
        'set-cookie': ['a=1', 'b=2'],
        'x-gone': undefined,
      }),
    ).toEqual({ 'retry-after': '3' });
  });
});

test.for([
  { type: 'text/event-stream', stream: true, served: true },
  { type: 'Text/Event-Stream; charset=utf-8', stream: true, served: true },
  { type: 'application/x-ndjson', stream: true, served: false },
  { type: 'application/vnd.amazon.eventstream', stream: true, served: false },
  { type: 'application/json', stream: false, served: false },
  { type: undefined, stream: false, served: false },
])('$type is a stream: $stream, server-sent: $served', ({ type, stream, served }) => {
  const response = { headers: { 'content-type': type } };
  expect([isEventStream(response), isServerSent(response)]).toEqual([stream, served]);
});
