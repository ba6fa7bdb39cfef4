/** Where a request begins and ends, byte by byte: RFC 9112. What two parsers may read differently is refused. */

import { connect } from 'node:http2';
import { describe, expect, test } from 'vitest';
import type { Answer, Exchange } from '../../../gateway/src/pipeline/index.ts';
import { LOOPBACK_PEM } from '../../kit/tls.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { CHAT, echo, open, post, query, rawClient, streaming, text, UPLOAD, VARIANTS } from './support.ts';

const CHUNKED = 'transfer-encoding: chunked\r\n';
const LENGTH = 'content-length: 2\r\n';

/** A request with these header lines and these bytes behind them. */
const request = (headers: string, body = '{}', line = `POST ${CHAT} HTTP/1.1`): string =>
  `${line}\r\nhost: x\r\ncontent-type: application/json\r\n${headers}\r\n${body}`;
const chunks = (bytes: string): string => request(CHUNKED, bytes);
const statusLines = (received: string): string[] => received.match(/HTTP\/1\.1 \d{3}/g) ?? [];

type Case = readonly [what: string, bytes: string, status?: number];

const LENGTHS: readonly Case[] = [
  ['two lengths', request('content-length: 1\r\ncontent-length: 2\r\n')],
  ['the same length twice', request(`${LENGTH}${LENGTH}`)],
  ['a list of lengths', request('content-length: 2, 2\r\n')],
  ['a length with a sign', request('content-length: +2\r\n')],
  ['a negative length', request('content-length: -2\r\n')],
  ['a hexadecimal length', request('content-length: 0x2\r\n')],
  ['an empty length', request('content-length: \r\n')],
  ['a length beyond 64 bits', request('content-length: 99999999999999999999\r\n')],
  ['length and chunks', request(`${LENGTH}${CHUNKED}`, '0\r\n\r\n')],
  ['chunks and length', request(`${CHUNKED}${LENGTH}`, '0\r\n\r\n')],
  ['a coding behind chunked', request('transfer-encoding: chunked, gzip\r\n', '2\r\n{}\r\n0\r\n\r\n')],
  ['an unknown coding', request('transfer-encoding: xchunked\r\n', '2\r\n{}\r\n0\r\n\r\n')],
  ['the coding identity', request('transfer-encoding: identity\r\n')],
  ['two codings', request(`${CHUNKED}transfer-encoding: identity\r\n`, '2\r\n{}\r\n0\r\n\r\n')],
];

const CHUNKS: readonly Case[] = [
  ['a size of words', chunks('zz\r\n{}\r\n0\r\n\r\n')],
  ['a negative size', chunks('-2\r\n{}\r\n0\r\n\r\n')],
  ['a size with 0x', chunks('0x2\r\n{}\r\n0\r\n\r\n')],
  ['a space behind the size', chunks('2 \r\n{}\r\n0\r\n\r\n')],
  ['a size beyond 64 bits', chunks('fffffffffffffffff\r\n{}\r\n0\r\n\r\n')],
  ['more bytes than the size', chunks('1\r\n{}\r\n0\r\n\r\n')],
  ['bare line feeds', chunks('2\n{}\n0\n\n')],
  ['a bare line feed in an extension', chunks('2;a\n{}\r\n0\r\n\r\n')],
  ['an extension beyond its limit', chunks(`2;a=${'b'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`), 413],
];

const HEADERS: readonly Case[] = [
  ['a header without a colon', request(`${LENGTH}broken\r\n`)],
  ['a folded header', request(`${LENGTH}x: a\r\n b\r\n`)],
  ['a folded first header', `POST ${CHAT} HTTP/1.1\r\n x: y\r\nhost: x\r\n${LENGTH}\r\n{}`],
  ['bare line feeds', request(LENGTH).replaceAll('\r\n', '\n')],
  ['one bare line feed', request('content-length: 2\nx: y\r\n')],
  ['a bare carriage return', request(`${LENGTH}x: a\rb: c\r\n`)],
  ['a NUL in a value', request(`${LENGTH}x: a\0b\r\n`)],
  ['a space before a colon', request('transfer-encoding : chunked\r\n', '2\r\n{}\r\n0\r\n\r\n')],
  ['an empty name', request(`${LENGTH}: a\r\n`)],
  ['headers beyond the limit', request(`${LENGTH}x: ${'y'.repeat(300 * 1024)}\r\n`), 431],
  ['very many headers', request(`${LENGTH}${'a: b\r\n'.repeat(60_000)}`), 431],
];

const LINES: readonly Case[] = [
  ['a line of words', 'hello there\r\n\r\n'],
  ['an unknown method', request(LENGTH, '{}', `FOO ${CHAT} HTTP/1.1`)],
  ['a method in lower case', request(LENGTH, '{}', `post ${CHAT} HTTP/1.1`)],
  ['the version 1.2', request(LENGTH, '{}', `POST ${CHAT} HTTP/1.2`)],
  ['the version 3.0', request(LENGTH, '{}', `POST ${CHAT} HTTP/3.0`)],
  ['a target with a host', request(LENGTH, '{}', `POST http://x${CHAT} HTTP/1.1`)],
  ['a target beyond the limit', request(LENGTH, '{}', `POST /v1/${'x'.repeat(300 * 1024)} HTTP/1.1`), 431],
  ['bytes outside ASCII in the target', request(LENGTH, '{}', 'POST /v1/h\xe9 HTTP/1.1')],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
];

describe.for(VARIANTS)('the framing of a listener: $name', (variant) => {
  describe.for([
    ['lengths', LENGTHS],
    ['chunks', CHUNKS],
    ['headers', HEADERS],
    ['request lines', LINES],
  ] as const)('refuses %s:', ([, cases]) => {
    test.for(cases)('%s', async ([, bytes, status = 400]) => {
      const bodies: string[] = [];
      await using bench = await open(variant, {
        handle: async (exchange) => {
          const answer = await echo(exchange);
          bodies.push(exchange.request.path);
          return answer;
        },
      });
      using client = await rawClient(bench.port);
      client.socket.write(Buffer.from(bytes, 'latin1'));
      await client.closed;
      expect(statusLines(client.received())).toEqual([`HTTP/1.1 ${status}`]);
      expect(client.received()).toContain('"error"');
      expect(bodies).toEqual([]);
    });
  });

  test.for<[what: string, bytes: string]>([
    ['without a host', `POST ${CHAT} HTTP/1.1\r\ncontent-type: application/json\r\n${LENGTH}\r\n{}`],
    ['that asks for a tunnel', 'CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n'],
  ])('a request %s never reaches the pipeline, and its connection ends', async ([, bytes]) => {
    await using bench = await open(variant);
    using client = await rawClient(bench.port);
    client.write(bytes);
    await client.closed;
    expect(client.received()).not.toContain('HTTP/1.1 2');
    expect(bench.exchanges).toHaveLength(0);
  });

  test.for<[what: string, bytes: string]>([
    ['with an extension of a chunk', chunks('2;a=b\r\n{}\r\n0\r\n\r\n')],
    ['in one chunk a byte', chunks('1\r\n{\r\n1\r\n}\r\n0\r\n\r\n')],
    ['with a size in capitals and zeros before it', chunks('00002\r\n{}\r\n000\r\n\r\n')],
    ['behind empty lines', `\r\n\r\n${request(LENGTH)}`],
    ['with a target in percent encoding', request(LENGTH, '{}', `POST ${CHAT}?a=%0d%0a HTTP/1.1`)],
    ['with bytes outside ASCII in a value', request(`${LENGTH}x: \xe9\r\n`)],
  ])('takes a body %s, and the next request on the connection', async ([, bytes]) => {
    await using bench = await open(variant);
    using client = await rawClient(bench.port);
    client.socket.write(Buffer.from(bytes, 'latin1'));
    await client.until('\r\n\r\n{}');
    client.write(post(CHAT, '{"next":1}'));
    await client.until('{"next":1}');
    expect(statusLines(client.received())).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
  });

  test('trailers are no headers', async () => {
    await using bench = await open(variant);
    using client = await rawClient(bench.port);
    client.write(chunks('2\r\n{}\r\n0\r\nx-gw-api-key: k\r\n\r\n'));
    await client.until('\r\n\r\n{}');
    expect(bench.exchanges[0]?.request.header('x-gw-api-key')).toBeUndefined();
  });

  describe('a client that expects to be asked for its body', () => {
    const head = `POST ${CHAT} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nexpect: 100-continue\r\n`;

    test('is asked, then answered', async () => {
      await using bench = await open(variant);
      using client = await rawClient(bench.port);
      client.write(`${head}${LENGTH}\r\n`);
      await client.until('HTTP/1.1 100');
      client.write('{}');
      await client.until('\r\n\r\n{}');
      expect(statusLines(client.received())).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200']);
    });

    test('is not asked when it is answered without, and loses its connection', async () => {
      await using bench = await open(variant, { handle: async () => text('refused', 403) });
      using client = await rawClient(bench.port);
      client.write(`${head}${LENGTH}\r\n`);
      await client.closed;
      expect(statusLines(client.received())).toEqual(['HTTP/1.1 403']);
    });

    test.for<[what: string, path: string, headers: string, status: number]>([
      ['on a path that is not served', '/nowhere', `content-type: application/json\r\n${LENGTH}`, 404],
      ['that is too large', CHAT, 'content-type: application/json\r\ncontent-length: 10000000\r\n', 413],
      ['of a type that is not taken', CHAT, `content-type: a/b/c\r\n${LENGTH}`, 400],
    ])('is not asked for a body %s', async ([, path, headers, status]) => {
      const handle = async (exchange: Exchange): Promise<Answer> => {
        exchange.request.checkLength(exchange.operation.bodies);
        return echo(exchange);
      };
      await using bench = await open(variant, { handle });
      using client = await rawClient(bench.port);
      client.write(`POST ${path} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n${headers}\r\n`);
      await client.closed;
      expect(statusLines(client.received())).toEqual([`HTTP/1.1 ${status}`]);
    });

    test.for([CHAT, UPLOAD])('is asked once its body is read, once, and not before: %s', async (path) => {
      const gate = Promise.withResolvers<void>();
      const handle = async ({ request, operation }: Exchange): Promise<Answer> => {
        await gate.promise;
        const body = await request.readBody(operation.bodies);
        if (body.kind === 'json') return text(JSON.stringify(body.value));
        return text(body.kind === 'binary' ? (await Array.fromAsync(body.source.open())).join('') : body.kind);
      };
      await using bench = await open(variant, { handle });
      using client = await rawClient(bench.port);
      const type = path === CHAT ? 'application/json' : 'text/plain';
      client.write(
        `POST ${path} HTTP/1.1\r\nhost: x\r\nexpect: 100-Continue\r\ncontent-type: ${type}\r\n${LENGTH}\r\n`,
      );
      await waitFor(() => bench.exchanges.length === 1);
      expect(client.received()).toBe('');
      gate.resolve();
      await client.until('HTTP/1.1 100 Continue\r\n\r\n');
      client.write('{}');
      await client.until('\r\n\r\n{}');
      client.write(post(CHAT, '{"next":1}'));
      await client.until('{"next":1}');
      expect(statusLines(client.received())).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200', 'HTTP/1.1 200']);
    });

    test('need not wait', async () => {
      await using bench = await open(variant);
      using client = await rawClient(bench.port);
      client.write(`${head}${LENGTH}\r\n{}`);
      await client.until('\r\n\r\n{}');
      expect(statusLines(client.received()).at(-1)).toBe('HTTP/1.1 200');
    });

    test('is asked over HTTP/2, too, and not when it is answered without', async () => {
      const handle = async (exchange: Exchange): Promise<Answer> =>
        exchange.request.query === 'refused' ? text('refused', 403) : echo(exchange);
      await using bench = await open(variant, { handle, settings: { tls: { key: LOOPBACK_PEM, cert: LOOPBACK_PEM } } });
      const session = connect(bench.url, { ca: LOOPBACK_PEM });
      const send = async (query: string): Promise<unknown[]> => {
        const seen: unknown[] = [];
        const stream = session.request({
          ':method': 'POST',
          ':path': `${CHAT}?${query}`,
          'content-type': 'application/json',
          expect: '100-continue',
        });
        stream.on('continue', () => {
          seen.push(100);
          stream.end('{}');
        });
        stream.on('response', (headers) => seen.push(headers[':status']));
        stream.on('error', () => {}); // the stream ends before its body was sent
        stream.resume();
        await new Promise((resolve) => stream.once('close', resolve));
        return seen;
      };
      expect(await send('taken')).toEqual([100, 200]);
      expect(await send('refused')).toEqual([403]);
      session.destroy();
    });

    test('of anything else gets 417', async () => {
      await using bench = await open(variant);
      using client = await rawClient(bench.port);
      client.write(request(`expect: miracles\r\n${LENGTH}`));
      expect(await client.until('\r\n\r\n')).toMatch(/^HTTP\/1.1 417 /);
      expect(bench.exchanges).toHaveLength(0);
    });
  });

  describe('requests behind each other', () => {
    test('are answered in their order, whatever is ready first', async () => {
      const gate = Promise.withResolvers<void>();
      await using bench = await open(variant, {
        handle: async (exchange) => {
          const answer = await query(exchange);
          if (exchange.request.query === 'n0') await gate.promise;
          else if (exchange.request.query === 'n19') gate.resolve();
          return answer;
        },
      });
      using client = await rawClient(bench.port);
      const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
      client.write(names.map((name) => post(`${CHAT}?${name}`, '{}')).join(''));
      const all = await client.until('\r\n\r\nn19');
      expect(all.match(/(?<=\r\n\r\n)n\d+/g)).toEqual(names);
    });

    test('end at bytes that are no request: one answer at most for each, and nothing is written into one', async () => {
      const { answer, body } = streaming();
      await using bench = await open(variant, { handle: async () => answer });
      using client = await rawClient(bench.port);
      client.write(post(CHAT, '{}'));
      body.push(Buffer.from('one'));
      await client.until('one');
      client.write('garbage\r\n\r\n');
      await client.closed;
      expect(statusLines(client.received())).toHaveLength(1);
      expect(client.received()).not.toContain('"error"');
    });

    test('are not made of what follows the announced length', async () => {
      await using bench = await open(variant);
      using client = await rawClient(bench.port);
      client.write(`${request(LENGTH)}GARBAGE / HTTP/1.1\r\nhost: x\r\n\r\n`);
      await client.closed;
      expect(bench.exchanges.length).toBeLessThanOrEqual(1);
      expect(statusLines(client.received()).length).toBeLessThanOrEqual(2);
      expect(client.received()).toContain('HTTP/1.1 400');
    });
  });

  describe('HTTP/1.0', () => {
    const line = `POST ${CHAT} HTTP/1.0\r\ncontent-type: application/json\r\n`;

    test('needs no host, and the connection ends behind the answer', async () => {
      await using bench = await open(variant);
      using client = await rawClient(bench.port);
      client.write(`${line}${LENGTH}\r\n{}`);
      await client.closed;
      expect(client.received()).toMatch(/\r\n\r\n\{\}$/);
    });

    test('keeps the connection when asked to', async () => {
      await using bench = await open(variant);
      using client = await rawClient(bench.port);
      for (const body of ['{"a":1}', '{"b":2}']) {
        client.write(`${line}connection: keep-alive\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
        await client.until(`\r\n\r\n${body}`);
      }
    });

    test('gets a stream without chunks, which ends with the connection', async () => {
      const { answer, body } = streaming();
      await using bench = await open(variant, { handle: async () => answer });
      using client = await rawClient(bench.port);
      client.write(`${line}${LENGTH}\r\n{}`);
      body.push(Buffer.from('one'));
      body.push(Buffer.from('two'));
      body.finish();
      await client.closed;
      expect(client.received()).toMatch(/\r\n\r\nonetwo$/);
      expect(client.received().toLowerCase()).not.toContain('transfer-encoding');
    });
  });

  describe('a client that has sent its last byte', () => {
    test.for<[what: string, bytes: string, body: string]>([
      ['behind the request gets its answer', post(CHAT, '{"a":1}'), '{"a":1}'],
      ['in the line gets nothing served', 'POST /v1/cha', ''],
      ['in the headers gets nothing served', `POST ${CHAT} HTTP/1.1\r\nhost: x\r\ncontent-`, ''],
    ])('%s', async ([, bytes, body]) => {
      await using bench = await open(variant);
      using client = await rawClient(bench.port);
      client.socket.end(bytes);
      await client.closed;
      if (body === '') expect(bench.exchanges).toHaveLength(0);
      else expect(client.received()).toContain(body);
    });

    test('in the body is gone', async () => {
      await using bench = await open(variant);
      using client = await rawClient(bench.port);
      client.socket.end(`POST ${CHAT} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${LENGTH}\r\n{`);
      await client.closed;
      expect(client.received()).not.toContain('HTTP/1.1 200');
    });
  });
});
