/** What every upstream client does, over real sockets. */
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../gateway/src/errors/index.ts';
import { Cancellation } from '../../../gateway/src/lib/cancellation.ts';
import { cancelledBy, unlimitedAccount } from '../../../gateway/src/lib/testing.ts';
import { freePort } from '../../kit/free-port.ts';
import type { RawReply } from '../../kit/raw-upstream.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { code, MAX_BYTES, open, VARIANTS } from './support.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc'); // node has no other way to it at run time

describe.for(VARIANTS)('an upstream client: $name', (variant) => {
  test('sends method, target, headers and body as they are', async () => {
    await using bench = await open(variant, ({ answer }) => answer(200, 'pong'));
    await (await bench.send()).body.collect(MAX_BYTES, unlimitedAccount());
    const [got] = bench.server.requests;
    expect([got?.method, got?.target, got?.headers.get('x-one')]).toEqual(['POST', '/v1/chat?a=1', 'two']);
    expect(String(await got?.body)).toBe('ping');
  });

  test('sends a large body as it is, with its length', async () => {
    await using bench = await open(variant, ({ answer }) => answer(200, 'pong'));
    const large = Buffer.alloc(300_000, 'any text ');
    await (await bench.send({ body: large })).body.collect(MAX_BYTES, unlimitedAccount());
    const [got] = bench.server.requests;
    expect(got?.headers.get('content-length')).toBe('300000');
    expect((await got?.body)?.equals(large)).toBe(true);
  });

  test('holds no large body once it was sent, however long the answer takes', async () => {
    await using bench = await open(variant, async ({ request, head, chunk }) => {
      await request.body;
      await head(200, { 'transfer-encoding': 'chunked' });
      await chunk('first');
    });
    const large = new WeakRef(Buffer.alloc(300_000));
    const response = await bench.send({ body: large.deref() });
    await waitFor(() => {
      collectGarbage();
      return large.deref() === undefined;
    });
    expect(response.status).toBe(200);
    response.body.discard();
  });

  test('sends a body that streams', async () => {
    await using bench = await open(variant, async ({ request, answer }) => answer(200, await request.body));
    const body = Readable.from([Buffer.from('one '), Buffer.from('two')], { objectMode: false });
    const response = await bench.send({ body });
    expect(String(await response.body.collect(MAX_BYTES, unlimitedAccount()))).toBe('one two');
  });

  test.for([200, 204, 301, 404, 503])('answers with status %s, headers and body', async (status) => {
    await using bench = await open(variant, ({ answer }) =>
      answer(status, status === 204 ? '' : 'text', { location: '/elsewhere', 'set-cookie': 'a=b' }),
    );
    const response = await bench.send();
    expect(response.status).toBe(status);
    expect(response.headers).toMatchObject({ location: '/elsewhere' });
    expect([response.headers['set-cookie']].flat()).toEqual(['a=b']);
    expect(String(await response.body.collect(MAX_BYTES, unlimitedAccount()))).toBe(status === 204 ? '' : 'text');
    expect(bench.server.requests).toHaveLength(1); // redirects are not followed
  });

  test('keeps repeated headers apart', async () => {
    await using bench = await open(variant, async ({ write }) => {
      await write('HTTP/1.1 200 OK\r\nset-cookie: a=1\r\nset-cookie: b=2\r\ncontent-length: 0\r\n\r\n');
    });
    expect((await bench.send()).headers['set-cookie']).toEqual(['a=1', 'b=2']);
  });

  test('answers at the headers and delivers chunks as they come', async () => {
    const gate = Promise.withResolvers<void>();
    await using bench = await open(variant, async ({ head, chunk }) => {
      await head(200, { 'transfer-encoding': 'chunked' });
      await gate.promise;
      await chunk('late');
      await chunk('');
    });
    const { body } = await bench.send();
    gate.resolve();
    expect(String(await body.collect(MAX_BYTES, unlimitedAccount()))).toBe('late');
  });

  test('passes over informational answers', async () => {
    await using bench = await open(variant, async ({ write, answer }) => {
      await write('HTTP/1.1 102 Processing\r\n\r\n');
      await write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
      await answer(201, 'made');
    });
    const response = await bench.send();
    expect([response.status, response.headers['link']]).toEqual([201, undefined]);
    expect(String(await response.body.collect(MAX_BYTES, unlimitedAccount()))).toBe('made');
  });

  test('lets a peek see the start of the body and leaves it for the reader', async () => {
    await using bench = await open(variant, async ({ head, write }) => {
      await head(200, { 'content-length': '8' });
      await write('abcd');
      await write('efgh');
    });
    const { body } = await bench.send();
    const { held } = await body.peek(3);
    expect(Buffer.concat(held).toString()).toMatch(/^abcd/);
    expect(String(await body.collect(MAX_BYTES, unlimitedAccount()))).toBe('abcdefgh');
  });

  test('stops the sender while the reader is behind, and continues when it resumes', async () => {
    const TOTAL = 32 * 1024 * 1024;
    let written = 0;
    await using bench = await open(variant, async ({ head, socket }) => {
      await head(200, { 'content-length': String(TOTAL) });
      const piece = Buffer.alloc(64 * 1024, 'x');
      const fill = (): void => {
        while (written < TOTAL) {
          written += piece.length;
          if (!socket.write(piece)) {
            socket.once('drain', fill);
            return;
          }
        }
      };
      fill();
    });
    const { body } = await bench.send();
    let received = 0;
    const ended = Promise.withResolvers<void>();
    let reading = false;
    body.pipe({
      write: (bytes) => {
        received += bytes.length;
        return reading;
      },
      end: () => ended.resolve(),
      fail: (error) => ended.reject(error),
    });
    await waitFor(() => received > 0, { what: 'the first bytes' });
    let before = -1;
    await waitFor(() => {
      const still = before === written;
      before = written;
      return still;
    });
    expect(written).toBeLessThan(TOTAL); // what the buffers of both sockets take, and no more
    reading = true;
    body.resume();
    await ended.promise;
    expect(received).toBe(TOTAL);
  });

  test('refuses a body beyond the limit and closes the connection', async () => {
    await using bench = await open(variant, async ({ head, write }) => {
      await head(200, { 'content-length': '1000000' });
      await write(Buffer.alloc(100_000));
    });
    const { body } = await bench.send();
    expect(await code(body.collect(50_000, unlimitedAccount()))).toBe('UPSTREAM_TOO_LARGE');
    await waitFor(() => bench.server.connections.size === 0, { what: 'the end of the connection' });
  });

  test('closes the connection of a body that is discarded', async () => {
    await using bench = await open(variant, ({ head }) => head(200, { 'content-length': '10' }));
    (await bench.send()).body.discard();
    await waitFor(() => bench.server.connections.size === 0, { what: 'the end of the connection' });
  });

  describe('an abort', () => {
    const reason = new AppError('CLIENT_CLOSED');

    test('before the request sends nothing', async () => {
      await using bench = await open(variant, ({ answer }) => answer(200, ''));
      expect(await code(bench.send({}, { signal: cancelledBy(reason) }))).toBe('CLIENT_CLOSED');
      expect(bench.server.requests).toHaveLength(0);
    });

    test('while it waits for the headers rejects with the reason and closes the connection', async () => {
      await using bench = await open(variant, () => {});
      const cancellation = new Cancellation();
      const sent = code(bench.send({}, { signal: cancellation }));
      await waitFor(() => bench.server.requests.length === 1);
      cancellation.cancel(reason);
      expect(await sent).toBe('CLIENT_CLOSED');
      await waitFor(() => bench.server.connections.size === 0, { what: 'the end of the connection' });
    });

    test('in the body fails the reader with the reason and closes the connection', async () => {
      await using bench = await open(variant, ({ head }) => head(200, { 'content-length': '10' }));
      const cancellation = new Cancellation();
      const { body } = await bench.send({}, { signal: cancellation });
      const collected = code(body.collect(MAX_BYTES, unlimitedAccount()));
      cancellation.cancel(reason);
      expect(await collected).toBe('CLIENT_CLOSED');
      await waitFor(() => bench.server.connections.size === 0, { what: 'the end of the connection' });
    });

    test('while it waits for a free connection rejects at once and never sends', async () => {
      await using bench = await open(variant, () => {}, { connectionsPerOrigin: 1 });
      const first = code(bench.send());
      await waitFor(() => bench.server.requests.length === 1);
      const cancellation = new Cancellation();
      const second = code(bench.send({}, { signal: cancellation }));
      cancellation.cancel(reason);
      expect(await second).toBe('CLIENT_CLOSED');
      await bench.client.close();
      await first;
      expect(bench.server.requests).toHaveLength(1);
    });
  });

  describe('a timeout', () => {
    test('of the headers is UPSTREAM_TIMEOUT', async () => {
      await using bench = await open(variant, () => {});
      expect(await code(bench.send({}, { limits: { headersTimeoutMs: 50 } }))).toBe('UPSTREAM_TIMEOUT');
    });

    test('of a silent body is UPSTREAM_STREAM_IDLE', async () => {
      await using bench = await open(variant, async ({ head, chunk }) => {
        await head(200, { 'transfer-encoding': 'chunked' });
        await chunk('one');
      });
      const { body } = await bench.send({}, { limits: { idleTimeoutMs: 50 } });
      expect(await code(body.collect(MAX_BYTES, unlimitedAccount()))).toBe('UPSTREAM_STREAM_IDLE');
    });
  });

  describe('an answer that is no HTTP', () => {
    test.for<[what: string, bytes: string]>([
      ['no status line', 'hello there\r\n\r\n'],
      ['a header without a colon', 'HTTP/1.1 200 OK\r\nbroken\r\n\r\n'],
      ['headers without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(300 * 1024)}\r\n\r\n`],
      ['a status below 100', 'HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n'],
    ])('with %s is UPSTREAM_INVALID_RESPONSE', async ([, bytes]) => {
      await using bench = await open(variant, async ({ write }) => write(bytes));
      expect(await code(bench.send())).toBe('UPSTREAM_INVALID_RESPONSE');
    });

    test.for<[what: string, bytes: string]>([
      ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
      ['an upgrade that was not requested', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
      ['100 without an expectation', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ])('with %s is refused as 502', async ([, bytes]) => {
      await using bench = await open(variant, async ({ write }) => write(bytes));
      const error = await bench.send().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ row: { status: 502 } });
    });

    test('after its headers breaks the body', async () => {
      await using bench = await open(variant, async ({ head, write }) => {
        await head(200, { 'transfer-encoding': 'chunked' });
        await write('not a length\r\n');
      });
      const { body } = await bench.send();
      expect(await code(body.collect(MAX_BYTES, unlimitedAccount()))).toBe('UPSTREAM_STREAM_BROKEN');
    });
  });

  describe('a connection that ends early', () => {
    test.for<[where: string, act: (reply: RawReply) => void | Promise<void>]>([
      ['before the answer', ({ socket }) => void socket.end()],
      ['in the headers', ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\nx: y')],
    ])('%s is UPSTREAM_UNREACHABLE', async ([, act]) => {
      await using bench = await open(variant, act);
      expect(await code(bench.send())).toBe('UPSTREAM_UNREACHABLE');
    });

    test.for<[where: string, act: (reply: RawReply, begun: Promise<void>) => void | Promise<void>]>([
      [
        'in a body of known length',
        async ({ head, socket }) => {
          await head(200, { 'content-length': '100' });
          socket.end('half');
        },
      ],
      [
        'between chunks',
        async ({ head, chunk, socket }) => {
          await head(200, { 'transfer-encoding': 'chunked' });
          await chunk('half');
          socket.end();
        },
      ],
      [
        'by a reset',
        async ({ head, chunk, reset }, begun) => {
          await head(200, { 'transfer-encoding': 'chunked' });
          await chunk('half');
          await begun;
          reset();
        },
      ],
    ])('%s breaks the body', async ([, act]) => {
      const begun = Promise.withResolvers<void>();
      await using bench = await open(variant, (reply) => act(reply, begun.promise));
      const { body } = await bench.send();
      begun.resolve();
      expect(await code(body.collect(MAX_BYTES, unlimitedAccount()))).toBe('UPSTREAM_STREAM_BROKEN');
    });

    test('ends a body without a declared length', async () => {
      await using bench = await open(variant, async ({ head, socket }) => {
        await head(200, { connection: 'close' });
        socket.end('all of it');
      });
      const { body } = await bench.send();
      expect(String(await body.collect(MAX_BYTES, unlimitedAccount()))).toBe('all of it');
    });
  });

  test('says which header cannot carry its value, and that alone', async () => {
    await using bench = await open(variant, ({ answer }) => answer(200, 'pong'));
    await expect(bench.send({ headers: { 'x-api-key': '\u201csk-of-tests\u201d' } })).rejects.toMatchObject({
      code: 'CREDENTIAL_UNAVAILABLE',
      message: expect.stringMatching(/^The value of x-api-key (?!.*sk-of-tests)/),
    });
  });

  test('says which place could not be reached', async () => {
    await using bench = await open(variant, () => {});
    const origin = `http://127.0.0.1:${await freePort()}`;
    await expect(bench.send({ origin })).rejects.toMatchObject({
      code: 'UPSTREAM_UNREACHABLE',
      detail: expect.stringContaining(origin),
    });
  });

  test('connects only where the origin of the host allows it', async () => {
    await using bench = await open(variant, ({ answer }) => answer(200, ''));
    expect(await code(bench.send({ hostOrigin: 'request' }))).toBe('UPSTREAM_ADDRESS_REFUSED');
    expect(bench.server.requests).toHaveLength(0);
  });

  test('uses a connection again after a whole answer', async () => {
    await using bench = await open(variant, ({ answer }) => answer(200, 'again'), { connectionsPerOrigin: 1 });
    for (let i = 0; i < 5; i += 1) await (await bench.send()).body.collect(MAX_BYTES, unlimitedAccount());
    expect(bench.server.requests).toHaveLength(5);
    expect(bench.server.connections.size).toBe(1);
  });

  test('opens no more connections to an origin than it may', async () => {
    const waiting: RawReply[] = [];
    await using bench = await open(variant, (reply) => void waiting.push(reply), { connectionsPerOrigin: 2 });
    const sent = Array.from({ length: 6 }, async () =>
      (await bench.send()).body.collect(MAX_BYTES, unlimitedAccount()),
    );
    for (let answered = 0; answered < 6; answered += 1) {
      const reply = await waitFor(() => waiting.shift());
      expect(bench.server.connections.size).toBeLessThanOrEqual(2);
      await reply.answer(200, 'done');
    }
    await Promise.all(sent);
  });

  test('cuts what is in flight when it is closed', async () => {
    await using bench = await open(variant, () => {});
    const sent = code(bench.send());
    await waitFor(() => bench.server.requests.length === 1);
    await bench.client.close();
    expect(await sent).toBe('UPSTREAM_UNREACHABLE');
    await waitFor(() => bench.server.connections.size === 0, { what: 'the end of the connection' });
  });
});
