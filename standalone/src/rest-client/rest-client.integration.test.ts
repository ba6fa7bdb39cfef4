import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createRestClient, type RestFailure } from './index.ts';

type Reply = (response: ServerResponse) => void;

/** Answers one reply after the other, then the last one again. */
async function serve(...replies: readonly Reply[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const reply = replies[Math.min(asked.length, replies.length - 1)];
    asked.push(`${request.method} ${request.url}`);
    reply?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    asked,
    client: createRestClient({ url: new URL(`http://127.0.0.1:${port}`), key: 'gwk_test' }),
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

const tooMany =
  (retryAfter?: string): Reply =>
  (response) => {
    response.writeHead(429, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
    response.end(JSON.stringify({ errorCode: 'AB06', message: 'too many', error: { message: 'too many' } }));
  };
const fine: Reply = (response) => response.end('{"id":"x"}');

test('a call that is one too many is made again when the answer says', async () => {
  await using server = await serve(tooMany('1'), fine);
  expect(await server.client.call('PUT', '/configs/a', { body: {} })).toEqual({ id: 'x' });
  expect(server.asked).toEqual(['PUT /v1/configs/a', 'PUT /v1/configs/a']);
});

test.for([
  { rule: 'does not say when to come back', reply: tooMany() },
  { rule: 'says something else', reply: tooMany('soon') },
  { rule: 'says to come back much later', reply: tooMany('3600') },
])('a call is not made again when the answer $rule', async ({ reply }) => {
  await using server = await serve(reply, fine);
  const failure = await server.client.call('GET', '/configs').catch((error: RestFailure) => error);
  expect(failure).toMatchObject({ status: 429, code: 'AB06', message: 'too many' });
  expect(server.asked).toHaveLength(1);
});
