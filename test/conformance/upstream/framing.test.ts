/** Where an answer begins and ends, byte by byte: RFC 9112. What two parsers may read differently is no answer. */
import { describe, expect, test } from 'vitest';
import { unlimitedAccount } from '../../../gateway/src/lib/testing.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { code, MAX_BYTES, open, VARIANTS } from './support.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = 'transfer-encoding: chunked\r\n';
const LENGTH = 'content-length: 2\r\n';

type Case = readonly [what: string, bytes: string];

const HEADS: readonly Case[] = [
  ['two lengths', `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`],
  ['a list of lengths', `${OK}content-length: 2, 2\r\n\r\nab`],
  ['a length with a sign', `${OK}content-length: +2\r\n\r\nab`],
  ['a length beyond 64 bits', `${OK}content-length: 99999999999999999999\r\n\r\nab`],
  ['length and chunks', `${OK}${LENGTH}${CHUNKED}\r\n2\r\nab\r\n0\r\n\r\n`],
  ['chunks and length', `${OK}${CHUNKED}${LENGTH}\r\n2\r\nab\r\n0\r\n\r\n`],
  ['bare line feeds', `${OK}${LENGTH}\r\nab`.replaceAll('\r\n', '\n')],
  ['a folded header', `${OK}${LENGTH}x: a\r\n b\r\n\r\nab`],
  ['a bare carriage return', `${OK}${LENGTH}x: a\rb: c\r\n\r\nab`],
  ['a NUL in a value', `${OK}${LENGTH}x: a\0b\r\n\r\nab`],
  ['a space before a colon', `${OK}content-length : 2\r\n\r\nab`],
  ['an unknown version', 'HTTP/3.0 200 OK\r\ncontent-length: 2\r\n\r\nab'],
  ['a status of four digits', 'HTTP/1.1 2000 OK\r\ncontent-length: 2\r\n\r\nab'],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\ncontent-length: 2\r\n\r\nab'],
  ['another protocol', '220 mail.example ESMTP\r\n'],
  ['a TLS alert', '\x15\x03\x01\x00\x02\x02\x28'],
];

const BODIES: readonly Case[] = [
  ['a size of words', 'zz\r\nab\r\n0\r\n\r\n'],
  ['a negative size', '-2\r\nab\r\n0\r\n\r\n'],
  ['a size with 0x', '0x2\r\nab\r\n0\r\n\r\n'],
  ['a size beyond 64 bits', 'fffffffffffffffff\r\nab\r\n0\r\n\r\n'],
  ['more bytes than the size', '1\r\nab\r\n0\r\n\r\n'],
  ['bare line feeds', '2\nab\n0\n\n'],
];

describe.for(VARIANTS)('the framing of an upstream client: $name', (variant) => {
  test.for(HEADS)('an answer with %s is refused as 502, and its connection ends', async ([, bytes]) => {
    await using bench = await open(variant, async ({ socket }) => void socket.write(Buffer.from(bytes, 'latin1')));
    await expect(bench.send()).rejects.toMatchObject({ row: { status: 502 } });
    await waitFor(() => bench.server.connections.size === 0, { what: 'the end of the connection' });
  });

  test.for(BODIES)('chunks with %s break the body, and the connection ends', async ([, bytes]) => {
    await using bench = await open(variant, async ({ head, write }) => {
      await head(200, { 'transfer-encoding': 'chunked' });
      await write(bytes);
    });
    const { body } = await bench.send();
    expect(await code(body.collect(MAX_BYTES, unlimitedAccount()))).toBe('UPSTREAM_STREAM_BROKEN');
    await waitFor(() => bench.server.connections.size === 0, { what: 'the end of the connection' });
  });

  test.for<[what: string, bytes: string, body: string]>([
    ['extensions of chunks', `${OK}${CHUNKED}\r\n2;a=b\r\nab\r\n0\r\n\r\n`, 'ab'],
    ['a chunk a byte', `${OK}${CHUNKED}\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n`, 'ab'],
    ['no reason', `HTTP/1.1 200 \r\n${LENGTH}\r\nab`, 'ab'],
    ['bytes outside ASCII in a value', `${OK}${LENGTH}x: \xe9\r\n\r\nab`, 'ab'],
    ['a coding in capitals', `${OK}Transfer-Encoding: Chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n`, 'ab'],
  ])('an answer with %s is read, and the connection is used again', async ([, bytes, text]) => {
    await using bench = await open(variant, ({ socket }) => void socket.write(Buffer.from(bytes, 'latin1')), {
      connectionsPerOrigin: 1,
    });
    for (let i = 0; i < 2; i += 1) {
      const { body } = await bench.send();
      expect(String(await body.collect(MAX_BYTES, unlimitedAccount()))).toBe(text);
    }
    expect(bench.server.connections.size).toBe(1);
  });

  test('an answer that comes byte by byte is whole', async () => {
    await using bench = await open(variant, async ({ write }) => {
      for (const byte of `${OK}${CHUNKED}x: y\r\n\r\n2\r\nab\r\n0\r\n\r\n`) await write(byte);
    });
    const { headers, body } = await bench.send();
    expect(headers['x']).toBe('y');
    expect(String(await body.collect(MAX_BYTES, unlimitedAccount()))).toBe('ab');
  });

  test('trailers are no headers', async () => {
    await using bench = await open(variant, async ({ write }) =>
      write(`${OK}${CHUNKED}\r\n2\r\nab\r\n0\r\nset-cookie: a=b\r\n\r\n`),
    );
    const { headers, body } = await bench.send();
    expect(String(await body.collect(MAX_BYTES, unlimitedAccount()))).toBe('ab');
    expect(headers['set-cookie']).toBeUndefined();
  });

  test('an answer without a body has none, whatever its length says', async () => {
    await using bench = await open(variant, ({ request, write }) =>
      write(request.method === 'HEAD' ? `${OK}content-length: 100\r\n\r\n` : 'HTTP/1.1 304 Same\r\n\r\n'),
    );
    for (const method of ['HEAD', 'GET']) {
      const { body } = await bench.send({ method, body: undefined });
      expect(String(await body.collect(MAX_BYTES, unlimitedAccount()))).toBe('');
    }
  });

  describe('bytes behind an answer', () => {
    const poison = `${OK}content-length: 6\r\n\r\npoison`;

    test.for<[what: string, bytes: string]>([
      ['a second answer', poison],
      ['bytes that are no answer', 'and more'],
    ])('are never the answer to another request: %s', async ([, bytes]) => {
      await using bench = await open(
        variant,
        async ({ request, write }) => {
          const own = `${OK}content-length: ${request.target.length}\r\n\r\n${request.target}`;
          await write(request.target === '/first' ? own + bytes : own);
        },
        { connectionsPerOrigin: 1 },
      );
      const first = await bench.send({ path: '/first' });
      // The answer is whole, or the bytes behind it break it.
      const read = await first.body.collect(MAX_BYTES, unlimitedAccount()).then(String, () => '/first');
      expect(read).toBe('/first');
      const second = await bench.send({ path: '/second' });
      expect(String(await second.body.collect(MAX_BYTES, unlimitedAccount()))).toBe('/second');
    });

    test('that come while the connection is unused close it', async () => {
      await using bench = await open(variant, ({ request, answer }) => answer(200, request.target), {
        connectionsPerOrigin: 1,
      });
      const first = await bench.send({ path: '/first' });
      await first.body.collect(MAX_BYTES, unlimitedAccount());
      for (const socket of bench.server.connections) socket.write(poison);
      await waitFor(() => bench.server.connections.size === 0, { what: 'the end of the connection' });
      const second = await bench.send({ path: '/second' });
      expect(String(await second.body.collect(MAX_BYTES, unlimitedAccount()))).toBe('/second');
    });
  });

  test.for<[what: string, change: object]>([
    ['a header value', { headers: { 'x-one': 'a\r\nx-two: b' } }],
    ['a header name', { headers: { 'x-one: a\r\nx-two': 'b' } }],
    ['the path', { path: '/a HTTP/1.1\r\nx-two: b\r\n\r\n' }],
    ['the method', { method: 'GET / HTTP/1.1\r\nx-two: b\r\n\r\nGET' }],
  ])('a line break in %s sends nothing', async ([, change]) => {
    await using bench = await open(variant, ({ answer }) => answer(200, ''));
    expect(await code(bench.send(change))).not.toBe('no error');
    expect(bench.server.requests).toHaveLength(0);
  });
});
