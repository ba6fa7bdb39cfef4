/** Bytes of a provider that are no HTTP were an internal error (500, no fallback): undici's parser error had no code. */
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';

test.for([
  { rule: 'no HTTP', bytes: 'SSH-2.0-OpenSSH_9.6\r\n' },
  { rule: 'a broken length', bytes: 'HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n{}' },
  { rule: 'a broken chunk', bytes: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n' },
  { rule: 'a status below 100', bytes: 'HTTP/1.1 099 Odd\r\ncontent-length: 2\r\n\r\n{}' },
  { rule: 'an upgrade', bytes: 'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n' },
])('$rule moves a fallback on', async ({ bytes }) => {
  await using world = await startWorld();
  await using upstream = await startRawUpstream(async (reply) => {
    await reply.write(bytes);
    reply.socket.end();
  });
  const broken = { provider: 'openai', api_key: 'x', custom_host: upstream.url };
  const ask = (config: object) =>
    world.send('/v1/chat/completions', {
      headers: { 'x-gw-config': JSON.stringify(config) },
      body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] },
    });
  expect((await ask(broken)).status).toBe(502);
  expect((await ask({ strategy: { mode: 'fallback' }, targets: [broken, { provider: '@openai' }] })).status).toBe(200);
});
