/** `close()` waited for ever for HTTP/2 clients that did not read. */
import { once } from 'node:events';
import { connect } from 'node:http2';
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { KEY } from '../kit/snapshot.ts';
import { LOOPBACK_PEM } from '../kit/tls.ts';

test('a gateway closes whatever its HTTP/2 clients do', async () => {
  await using world = await startWorld({ env: { TLS_KEY: LOOPBACK_PEM, TLS_CERT: LOOPBACK_PEM } });
  const session = connect(world.url, { ca: LOOPBACK_PEM });
  session.on('error', () => {}); // the end of the test
  const stream = session.request({
    ':method': 'POST',
    ':path': '/v1/chat/completions',
    'x-gw-api-key': KEY,
    'x-gw-provider': '@openai',
    'x-gw-forward-headers': 'x-mock-response-bytes',
    'x-mock-response-bytes': '8000000',
  });
  stream.on('error', () => {}); // as above
  stream.end(JSON.stringify({ model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] }));
  await once(stream, 'response');
  await expect(world.gateway.close()).resolves.toBeUndefined();
});
