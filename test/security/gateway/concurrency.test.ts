/** One key must not take all of a gateway: what it may have under way is bounded. */
import { expect, test } from 'vitest';
import { startGateway } from '../../kit/gateway.ts';
import { open, receive } from '../../kit/http.ts';
import { startRawUpstream } from '../../kit/raw-upstream.ts';
import { KEY, key, provider, workspace } from '../../kit/snapshot.ts';
import { waitFor } from '../../kit/wait-for.ts';

const OTHER_KEY = 'gwk_test_other_0123456789abcdef0123456789abcdef';
const CHAT = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };

test('a key with as many requests under way as it may have gets 429, others are served, and its place is free again', async () => {
  const finish = Promise.withResolvers<void>();
  await using upstream = await startRawUpstream(async (reply) => {
    const { stream } = JSON.parse((await reply.request.body).toString());
    if (!stream) return reply.answer(200, '{}', { 'content-type': 'application/json' });
    await reply.head(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' });
    await reply.chunk('data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n');
    await finish.promise;
    await reply.chunk('data: [DONE]\n\n');
    return reply.chunk('');
  });
  await using gateway = await startGateway({
    env: { GATEHOUSE_MAX_CONCURRENT_REQUESTS_PER_KEY: '3' },
    entries: [
      workspace(),
      key(),
      key({ name: 'other', secret: OTHER_KEY }),
      provider('raw', { customHost: `${upstream.url}/v1` }),
    ],
  });
  const headers = { 'x-gw-provider': '@raw' };
  const start = () =>
    open(`${gateway.url}/v1/chat/completions`, {
      headers: { ...headers, 'x-gw-api-key': KEY },
      body: { ...CHAT, stream: true },
    });
  const [first, ...rest] = await Promise.all([start(), start(), start()]);

  const refused = await gateway.send('/v1/chat/completions', { headers, body: CHAT });
  expect([refused.status, refused.json().error.code]).toEqual([429, 'concurrency_exceeded']);
  expect(refused.headers['retry-after']).toBe('1');
  const other = { headers: { ...headers, 'x-gw-api-key': OTHER_KEY }, body: CHAT };
  expect((await gateway.send('/v1/chat/completions', other)).status).toBe(200);

  first?.request.destroy(); // a client that leaves gives its place back
  await waitFor(async () => (await gateway.send('/v1/chat/completions', { headers, body: CHAT })).status === 200, {
    what: 'a free place',
  });
  finish.resolve();
  for (const { response } of rest) expect((await receive(response)).text).toContain('[DONE]');
});
