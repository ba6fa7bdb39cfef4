/** Garbage on the wire: the process goes on and serves the next request. */
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { KEY } from '../kit/snapshot.ts';
import { runs } from './runs.ts';

let world: World;
const crashes: unknown[] = [];
const onCrash = (error: unknown): void => void crashes.push(error);

beforeAll(async () => {
  world = await startWorld({ env: { GATEHOUSE_LOG_LEVEL: 'silent', MAX_JSON_PAYLOAD_SIZE_IN_MB: '1' } });
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);
});
afterAll(async () => {
  process.off('uncaughtException', onCrash);
  process.off('unhandledRejection', onCrash);
  await world[Symbol.asyncDispose]();
});

/** Writes the pieces and leaves when the gateway closes, or after it has had its chance to. */
function throwAt(port: number, pieces: readonly Uint8Array[], abrupt: boolean): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      for (const piece of pieces) socket.write(piece);
      if (abrupt) socket.resetAndDestroy();
      else socket.end();
    });
    socket.resume();
    socket.setTimeout(500, () => socket.destroy());
    socket.on('error', () => {}); // expected
    socket.on('close', () => resolve());
  });
}

const token = fc.constantFrom(
  ...[
    'GET ',
    'POST ',
    'PATCH ',
    'BREW ',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '/v1/chat/completions',
    '/v1/models',
    '/v1/x',
  ],
  ...['/v1/%', '/v1/../../etc', '*', 'http://x/', ' HTTP/1.1\r\n', ' HTTP/0.9\r\n', '\r\n', '\r\n\r\n', '\n', '\0'],
  ...['host: x\r\n', `x-gw-api-key: ${KEY}\r\n`, 'x-gw-provider: @openai\r\n', 'content-type: application/json\r\n'],
  ...['content-length: 5\r\n', 'content-length: -1\r\n', 'content-length: 99999999999\r\n', 'expect: 100-continue\r\n'],
  ...[
    'transfer-encoding: chunked\r\n',
    'connection: upgrade\r\nupgrade: websocket\r\n',
    '5\r\n{"a":\r\n',
    '0\r\n\r\n',
    'zz\r\n',
  ],
  ...['{"model":"mock-small","messages":[]}', '[[[[[[', '\u0000\u0001', 'x'.repeat(5_000)],
);
const garbage = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.array(token, { maxLength: 14 }).map((tokens) => Buffer.from(tokens.join(''), 'latin1')),
);

test('no bytes on the main or the admin port end the process', async () => {
  const ports = [world.port, Number(new URL(world.adminUrl).port)];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(garbage, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      async (clients, abrupt) => {
        await Promise.all(clients.flatMap((pieces) => ports.map((port) => throwAt(port, pieces, abrupt))));
        expect(crashes).toEqual([]);
      },
    ),
    runs(15),
  );
  const answer = await world.send('/v1/chat/completions', {
    headers: { 'x-gw-provider': '@openai' },
    body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] },
  });
  expect(answer.status).toBe(200);
});
