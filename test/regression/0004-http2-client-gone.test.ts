/** Over HTTP/2 a client that went away never ended the upstream call: its stream counted as finished. */
import { once } from 'node:events';
import { connect, constants } from 'node:http2';
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { KEY } from '../kit/snapshot.ts';
import { LOOPBACK_PEM } from '../kit/tls.ts';
import { waitFor } from '../kit/wait-for.ts';

test.for(['NGHTTP2_NO_ERROR', 'NGHTTP2_CANCEL'] as const)(
  'a stream closed with %s ends the upstream call',
  async (code) => {
    await using world = await startWorld({ env: { TLS_KEY: LOOPBACK_PEM, TLS_CERT: LOOPBACK_PEM } });
    const session = connect(world.url, { ca: LOOPBACK_PEM });
    const stream = session.request({
      ':method': 'POST',
      ':path': '/v1/chat/completions',
      'x-gw-api-key': KEY,
      'x-gw-provider': '@openai',
    });
    stream.on('error', () => {}); // we close it ourselves
    stream.end(JSON.stringify({ model: 'mock-stall-900', stream: true, messages: [{ role: 'user', content: 'hi' }] }));
    await once(stream, 'data');
    stream.close(constants[code]);
    await waitFor(() => world.mock.requests.at(-1)?.outcome === 'broken');
    session.destroy();
    expect(world.mock.requests).toHaveLength(1);
  },
);
