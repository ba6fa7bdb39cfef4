/** Many upstreams that cut, callers that leave, slow readers and large bodies: memory stays bounded, nothing is left behind. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../gateway/src/errors/index.ts';
import { Cancellation } from '../../../gateway/src/lib/cancellation.ts';
import { unlimitedAccount } from '../../../gateway/src/lib/testing.ts';
import type { RawReply } from '../../kit/raw-upstream.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { watchMemory } from '../../kit/watch-memory.ts';
import { code, MAX_BYTES, open, VARIANTS } from './support.ts';

const CALLS = 1_000;
const AT_ONCE = 100;
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const PIECE = Buffer.alloc(512 * 1024, 'x');
const MOST_GROWTH = 256 * MIB;
const PATIENCE = { headersTimeoutMs: 100_000, idleTimeoutMs: 100_000 };

/** Makes all calls, so many at a time, and counts how they end. */
async function storm(call: () => Promise<unknown>): Promise<Record<string, number>> {
  const ends: Record<string, number> = {};
  for (let from = 0; from < CALLS; from += AT_ONCE) {
    const codes = await Promise.all(Array.from({ length: AT_ONCE }, () => code(call())));
    for (const end of codes) ends[String(end)] = (ends[String(end)] ?? 0) + 1;
  }
  return ends;
}

/** Hands its body over with backpressure and counts what was taken. */
function endless(bytes: number): { readonly body: Readable; readonly taken: () => number } {
  let taken = 0;
  const body = new Readable({
    read() {
      taken += PIECE.length;
      this.push(taken <= bytes ? PIECE : null);
    },
  });
  return { body, taken: () => Math.min(taken, bytes) };
}

describe.for(VARIANTS)('an upstream client under load: $name', (variant) => {
  describe('a thousand upstreams that cut', () => {
    test.for<[when: string, act: (reply: RawReply) => void | Promise<void>, want: string]>([
      ['before the answer', ({ reset }) => reset(), 'UPSTREAM_UNREACHABLE'],
      ['in the headers', ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\nx: y'), 'UPSTREAM_UNREACHABLE'],
      [
        'in the body',
        async ({ head, socket }) => {
          await head(200, { 'content-length': '100' });
          socket.end('half');
        },
        'UPSTREAM_STREAM_BROKEN',
      ],
    ])('%s leave no connection, and the next call is answered', async ([, act, want]) => {
      const cut = { on: true };
      await using bench = await open(variant, (reply) => (cut.on ? act(reply) : reply.answer(200, 'well')), {
        connectionsPerOrigin: AT_ONCE,
      });
      const ends = await storm(async () => (await bench.send()).body.collect(MAX_BYTES, unlimitedAccount()));
      expect(ends).toEqual({ [want]: CALLS });
      await waitFor(() => bench.server.connections.size === 0, { what: 'no connection' });
      cut.on = false;
      const { body } = await bench.send();
      expect(String(await body.collect(MAX_BYTES, unlimitedAccount()))).toBe('well');
    });
  });

  describe('a thousand callers that leave', () => {
    const reason = new AppError('CLIENT_CLOSED');

    test('while they wait leave no connection', async () => {
      await using bench = await open(variant, () => {}, { connectionsPerOrigin: AT_ONCE });
      const ends = await storm(async () => {
        const signal = new Cancellation();
        const before = bench.server.requests.length;
        const sent = bench.send({}, { signal, limits: PATIENCE });
        sent.catch(() => {}); // looked at below
        await waitFor(() => bench.server.requests.length > before);
        signal.cancel(reason);
        return sent;
      });
      expect(ends).toEqual({ CLIENT_CLOSED: CALLS });
      await waitFor(() => bench.server.connections.size === 0, { what: 'no connection' });
    });

    test('in the body leave no connection', async () => {
      await using bench = await open(
        variant,
        ({ write }) => write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'),
        {
          connectionsPerOrigin: AT_ONCE,
        },
      );
      const ends = await storm(async () => {
        const signal = new Cancellation();
        const { body } = await bench.send({}, { signal, limits: PATIENCE });
        const collected = body.collect(MAX_BYTES, unlimitedAccount());
        signal.cancel(reason);
        return collected;
      });
      expect(ends).toEqual({ CLIENT_CLOSED: CALLS });
      await waitFor(() => bench.server.connections.size === 0, { what: 'no connection' });
    });
  });

  describe('a body of 1 GiB', () => {
    test('is sent as slowly as the upstream reads, in constant memory', async () => {
      await using bench = await open(variant, () => {});
      let received = 0;
      const server = createServer({ pauseOnConnect: true }, (socket) => {
        socket.on('error', () => {}); // the end of the test
        socket.on('data', (bytes) => {
          received += bytes.length;
          if (received >= GIB) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
        });
        socket.pause();
        gate.promise.then(() => socket.resume());
      });
      const gate = Promise.withResolvers<void>();
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo; // listening on TCP
      const { body, taken } = endless(GIB);
      const headers = { 'content-length': String(GIB) };
      const sent = bench.send({ origin: `http://127.0.0.1:${port}`, headers, body }, { limits: PATIENCE });
      await waitFor(() => taken() > 0);
      await untilStill(taken);
      expect(taken()).toBeLessThan(32 * MIB); // what both ends of the connection hold
      const memory = watchMemory();
      gate.resolve();
      expect((await sent).status).toBe(200);
      expect(received).toBeGreaterThanOrEqual(GIB);
      expect(memory.growth()).toBeLessThan(MOST_GROWTH);
      await bench.client.close();
      server.close();
    });

    test('is received in constant memory', async () => {
      await using bench = await open(variant, async ({ head, write, socket }) => {
        await head(200, { 'content-length': String(GIB) });
        for (let sent = 0; sent < GIB && !socket.destroyed; sent += PIECE.length) await write(PIECE);
      });
      const { body } = await bench.send({}, { limits: PATIENCE });
      const memory = watchMemory();
      let received = 0;
      const ended = Promise.withResolvers<void>();
      body.pipe({
        write: (bytes) => {
          received += bytes.length;
          setImmediate(() => body.resume()); // a reader that is always a little behind
          return false;
        },
        end: () => ended.resolve(),
        fail: (error) => ended.reject(error),
      });
      await ended.promise;
      expect(received).toBe(GIB);
      expect(memory.growth()).toBeLessThan(MOST_GROWTH);
    });
  });
});

/** Waits until the number no longer changes from one look to the next. */
async function untilStill(count: () => number): Promise<void> {
  let before = -1;
  await waitFor(() => {
    const still = before === count();
    before = count();
    return still;
  });
}
