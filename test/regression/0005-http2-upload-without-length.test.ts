/** Over HTTP/2 a body without content-length was taken for no body: there is no transfer-encoding there. */
import { connect } from 'node:http2';
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { KEY } from '../kit/snapshot.ts';
import { LOOPBACK_PEM } from '../kit/tls.ts';

test.for([
  { rule: 'a body without a length', method: 'POST', body: 'hello', bytes: 5 },
  { rule: 'no body', method: 'DELETE', body: undefined, bytes: 0 },
])('$rule is passed on as that', async ({ method, body, bytes }) => {
  await using world = await startWorld({ env: { TLS_KEY: LOOPBACK_PEM, TLS_CERT: LOOPBACK_PEM } });
  const session = connect(world.url, { ca: LOOPBACK_PEM });
  const headers = { ':method': method, ':path': '/v1/echo', 'x-gw-api-key': KEY, 'x-gw-provider': '@openai' };
  const stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const answer = JSON.parse((await Array.fromAsync(stream)).join(''));
  expect(answer).toMatchObject({ method, body_bytes: bytes });
  session.close();
});
