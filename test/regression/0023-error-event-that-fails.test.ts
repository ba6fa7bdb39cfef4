/** A transform that failed again while it wrote the error event left the client's answer open for ever. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { Cancellation } from '../../gateway/src/lib/cancellation.ts';
import { respond } from '../../gateway/src/listener/answer/respond.ts';
import { BodyRelay } from '../../gateway/src/upstream/index.ts';
import type { ByteTransform } from '../../gateway/src/wire/transform/index.ts';
import { send } from '../kit/http.ts';

const boom = (): never => {
  throw new TypeError('boom');
};
const HOPELESS: ByteTransform = { push: (bytes) => bytes, end: boom, fail: boom, report: boom };

test.for(['end', 'break'] as const)('the client is cut at the %s, and the request is over', async (how) => {
  const upstream = new BodyRelay({ pause: () => {}, resume: () => {}, abort: () => {} });
  upstream.push(Buffer.from('data: first\n\n'));
  if (how === 'end') upstream.finish();
  else upstream.break(new Error('lost'));
  const over = Promise.withResolvers<unknown>();
  const server = createServer((_request, response) => {
    const answer = { status: 200, headers: {}, body: { kind: 'stream', upstream, transform: HOPELESS } };
    const signal = new Cancellation();
    respond(response, answer as never, { signal, keepAliveMs: 0, batch: (task) => task() }).then(
      over.resolve,
      over.reject,
    ); // what a stream needs
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP listener
  await expect(send(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(await over.promise).toMatchObject({ error: { code: expect.any(String) } });
  server.close();
});
