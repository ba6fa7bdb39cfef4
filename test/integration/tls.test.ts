/** The main port over TLS, with HTTP/1.1 and HTTP/2: docs/guide/operations.md. */
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { receive } from '../kit/http.ts';
import { KEY } from '../kit/snapshot.ts';
import { LOOPBACK_PEM } from '../kit/tls.ts';
import { waitFor } from '../kit/wait-for.ts';

const via = { 'x-gw-provider': '@openai' };
const body = { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] };

describe('TLS', () => {
  let secure: World;
  beforeAll(async () => {
    secure = await startWorld({ env: { TLS_KEY: LOOPBACK_PEM, TLS_CERT: LOOPBACK_PEM } });
  });
  afterAll(() => secure[Symbol.asyncDispose]());
  const headers = { ...via, 'x-gw-api-key': KEY, 'content-type': 'application/json' };

  test('serves HTTP/1.1', async () => {
    const request = httpsRequest(`${secure.url}/v1/chat/completions`, {
      method: 'POST',
      ca: LOOPBACK_PEM,
      agent: false,
      headers,
    });
    request.end(JSON.stringify(body));
    const [response] = await once(request, 'response');
    expect((await receive(response)).json()).toMatchObject({ object: 'chat.completion' });
  });

  test.for([
    { rule: 'a unary answer', path: '/v1/chat/completions', payload: body, want: /"object":"chat.completion"/ },
    { rule: 'a stream', path: '/v1/chat/completions', payload: { ...body, stream: true }, want: /data: \[DONE\]/ },
    { rule: 'an error', path: '/v1/nope/../..', payload: body, want: /"error"/ },
  ])('serves $rule over HTTP/2', async ({ path, payload, want }) => {
    const session = connectHttp2(secure.url, { ca: LOOPBACK_PEM });
    const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
    stream.end(JSON.stringify(payload));
    const [answer] = await once(stream, 'response');
    expect(answer['x-gw-trace-id']).toEqual(expect.any(String));
    expect((await Array.fromAsync(stream)).join('')).toMatch(want);
    session.close();
  });

  test.for(['/v1/models', '/v1/health', '/v1/echo', '/v1/nope/../..'])(
    'serves HEAD of %s over HTTP/2',
    async (path) => {
      const session = connectHttp2(secure.url, { ca: LOOPBACK_PEM });
      const stream = session.request({ ':method': 'HEAD', ':path': path, ...via, 'x-gw-api-key': KEY });
      const [answer] = await once(stream, 'response');
      expect(answer[':status']).toBe(path.includes('..') ? 400 : 200);
      expect(await Array.fromAsync(stream)).toEqual([]);
      session.close();
    },
  );

  test('takes an upload without a length over HTTP/2', async () => {
    const session = connectHttp2(secure.url, { ca: LOOPBACK_PEM });
    const stream = session.request({
      ':method': 'POST',
      ':path': '/v1/echo',
      ...headers,
      'content-type': 'application/octet-stream',
    });
    stream.end(Buffer.alloc(10_000, 'a'));
    const text = (await Array.fromAsync(stream)).join('');
    expect(JSON.parse(text)).toMatchObject({ body_bytes: 10_000 });
    session.close();
  });

  test('ends the upstream call of an HTTP/2 client that disconnects', async () => {
    const session = connectHttp2(secure.url, { ca: LOOPBACK_PEM });
    const stream = session.request({ ':method': 'POST', ':path': '/v1/chat/completions', ...headers });
    stream.on('error', () => {}); // we close it ourselves
    stream.end(JSON.stringify({ ...body, model: 'mock-stall-900', stream: true }));
    await once(stream, 'data');
    stream.close();
    await waitFor(() => secure.mock.requests.at(-1)?.outcome === 'broken');
    session.destroy();
  });
});
