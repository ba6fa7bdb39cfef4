/** Many clients that leave, slow clients and large bodies: memory stays bounded, and nothing is left behind. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Answer, Exchange } from '../../../gateway/src/pipeline/index.ts';
import { BodyRelay } from '../../../gateway/src/upstream/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { watchMemory } from '../../kit/watch-memory.ts';
import {
  type Bench,
  CHAT,
  echo,
  open,
  post,
  type RawClient,
  rawClient,
  streaming,
  text,
  UPLOAD,
  VARIANTS,
} from './support.ts';

const CLIENTS = 1_000;
/** Fewer than a backlog takes. */
const AT_ONCE = 100;
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const PIECE = Buffer.alloc(512 * 1024, 'x');

const announced = (bytes: number, path = CHAT, type = 'application/json'): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: ${bytes}\r\n\r\n`;

/** Counts what the pipeline has begun and what has ended there. */
function counted(work: (exchange: Exchange) => Promise<Answer>) {
  const seen = { begun: 0, ended: 0 };
  const handle = (exchange: Exchange): Promise<Answer> => {
    seen.begun += 1;
    return work(exchange).finally(() => {
      seen.ended += 1;
    });
  };
  return { seen, handle };
}

/** Clients that come, do something, and leave: every other one by a reset. */
async function storm({ port }: Bench, act: (client: RawClient) => void | Promise<void>): Promise<void> {
  for (let from = 0; from < CLIENTS; from += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, at) => {
        const client = await rawClient(port);
        await act(client);
        if (at % 2 === 0) client.socket.resetAndDestroy();
        else client.socket.destroy();
      }),
    );
  }
}

/** The listener serves as before, holds no memory, and a drain waits for nobody. */
async function expectNothingLeft(bench: Bench): Promise<void> {
  await waitFor(() => bench.budget.used === 0, { what: 'no memory held' });
  expect((await fetch(`${bench.url}/v1/health`)).status).toBe(200);
  await bench.drain.run(bench.listener.stopAccepting);
}

const untilGone = ({ signal }: Exchange): Promise<Answer> =>
  new Promise((resolve) => signal.onCancel(() => resolve(text('too late'))));

const NO_DEADLINE = { drainMs: 100_000 };

describe.for(VARIANTS)('a listener under load: $name', (variant) => {
  describe('a thousand clients that leave', () => {
    test.for<[when: string, bytes: string, work: (exchange: Exchange) => Promise<Answer>, begin: boolean]>([
      ['in their headers', `POST ${CHAT} HTTP/1.1\r\nhost: x\r\ncontent-`, echo, false],
      ['before their body', announced(100), echo, true],
      ['in their body', `${announced(100)}{"a":`, echo, true],
      ['in a body that is streamed', `${announced(100, UPLOAD, 'application/octet-stream')}half`, consume, true],
      ['while they wait', post(CHAT, '{}'), untilGone, true],
    ])('%s leave nothing behind', async ([, bytes, work, begin]) => {
      const { seen, handle } = counted(work);
      await using bench = await open(variant, { handle, ...NO_DEADLINE });
      let written = 0;
      await storm(bench, async (client) => {
        client.write(bytes);
        written += 1;
        if (begin) await waitFor(() => seen.begun === written, { what: 'the begin of all requests that were written' });
      });
      const all = begin ? CLIENTS : 0;
      await waitFor(() => seen.ended === all, { what: 'the end of all requests' });
      expect(seen.begun).toBe(all);
      expect(bench.exchanges.every(({ signal }) => signal.cancelled)).toBe(true);
      await expectNothingLeft(bench);
    });

    test('in their answer end its source', async () => {
      let aborted = 0;
      const handle = async (): Promise<Answer> => {
        const count = (): void => {
          aborted += 1;
        };
        const body = new BodyRelay({ pause: () => {}, resume: () => {}, abort: count });
        body.push(Buffer.from('first'));
        return { ...text(''), body: { kind: 'stream', upstream: body, transform: undefined } };
      };
      await using bench = await open(variant, { handle, ...NO_DEADLINE });
      await storm(bench, async (client) => {
        client.write(post(CHAT, '{}'));
        await client.until('first');
      });
      await waitFor(() => aborted === CLIENTS, { what: 'the end of all answers' });
      await expectNothingLeft(bench);
    });
  });

  test('a hundred clients that do not read stop their sources early', async () => {
    const pushed: number[] = [];
    const handle = async (): Promise<Answer> => {
      const { answer, body, flow } = streaming();
      const at = pushed.push(0) - 1;
      const fill = (): void => {
        if (flow.includes('pause') || flow.includes('abort')) return;
        body.push(PIECE);
        pushed[at] = (pushed[at] ?? 0) + PIECE.length;
        setImmediate(fill);
      };
      setImmediate(fill);
      return answer;
    };
    await using bench = await open(variant, { handle });
    const clients = await Promise.all(Array.from({ length: 100 }, () => rawClient(bench.port)));
    for (const { socket, write } of clients) {
      socket.pause();
      write(post(CHAT, '{}'));
    }
    await waitFor(() => pushed.length === clients.length);
    let before = -1;
    const total = (): number => pushed.reduce((sum, bytes) => sum + bytes, 0);
    await waitFor(() => {
      const still = before === total();
      before = total();
      return still;
    });
    expect(Math.max(...pushed)).toBeLessThan(16 * MIB); // what the kernel takes, and no more
    for (const { socket } of clients) socket.destroy();
  });

  describe('a body of 1 GiB', () => {
    test('of a request is read as slowly as it is used, in constant memory', async () => {
      let read = 0;
      const gate = Promise.withResolvers<void>();
      const handle = async (exchange: Exchange): Promise<Answer> => {
        const body = await exchange.request.readBody(exchange.operation.bodies);
        if (body.kind !== 'binary') throw new Error(`not ${body.kind}`);
        for await (const piece of body.source.open()) {
          read += piece.length;
          await gate.promise;
        }
        return text(String(read));
      };
      await using bench = await open(variant, { handle });
      using client = await rawClient(bench.port);
      client.write(announced(GIB, UPLOAD, 'application/octet-stream'));
      const sending = fillSocket(client, GIB);
      await waitFor(() => read > 0);
      let before = -1;
      await waitFor(() => {
        const still = before === sending.sent;
        before = sending.sent;
        return still;
      });
      expect(sending.sent).toBeLessThan(32 * MIB); // what both ends of the connection hold
      const memory = watchMemory();
      gate.resolve();
      await client.until(`\r\n\r\n${GIB}`);
      expect(memory.growth()).toBeLessThan(256 * MIB);
    });

    test('of an answer is sent in constant memory', async () => {
      let pushed = 0;
      let paused = false;
      const body: BodyRelay = new BodyRelay({
        pause: () => {
          paused = true;
        },
        resume: () => {
          paused = false;
          fill();
        },
        abort: () => {},
      });
      const fill = (): void => {
        while (!paused && pushed < GIB) {
          pushed += PIECE.length;
          body.push(PIECE);
        }
        if (pushed === GIB && !paused) body.finish();
      };
      const answer: Answer = { ...text(''), body: { kind: 'stream', upstream: body, transform: undefined } };
      await using bench = await open(variant, { handle: async () => answer });
      const socket = connect(bench.port, '127.0.0.1');
      let received = 0;
      socket.on('data', (bytes) => {
        received += bytes.length;
      });
      socket.write(post(CHAT, '{}', 'connection: close\r\n'));
      await waitFor(() => received > 0, { what: 'the head' });
      const memory = watchMemory();
      fill();
      await once(socket, 'close');
      expect(received).toBeGreaterThan(GIB);
      expect(memory.growth()).toBeLessThan(256 * MIB);
    });
  });
});

/** Reads a streamed body to its end. */
async function consume({ request, operation }: Exchange): Promise<Answer> {
  const body = await request.readBody(operation.bodies);
  if (body.kind === 'binary') for await (const _ of body.source.open());
  return text('read');
}

/** Writes so many bytes with backpressure. */
function fillSocket({ socket }: RawClient, bytes: number): { readonly sent: number } {
  const state = { sent: 0 };
  const fill = (): void => {
    while (state.sent < bytes) {
      state.sent += PIECE.length;
      if (socket.write(PIECE)) continue;
      socket.once('drain', fill);
      return;
    }
  };
  fill();
  return state;
}
