/** A body beyond the limit cost a unit of the key's rate and was answered after 401: docs/behaviour/errors.md#precedence. */
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { key } from '../kit/snapshot.ts';

test('413 comes before 401, and costs nothing', async () => {
  await using world = await startWorld({
    env: { MAX_JSON_PAYLOAD_SIZE_IN_MB: '1' },
    entries: () => [key({ rateLimits: [{ type: 'requests', unit: 'rpd', value: 1 }] })],
  });
  const send = (bytes: number, headers: Record<string, string> = {}) =>
    world.send('/v1/chat/completions', {
      headers: { 'x-gw-provider': '@openai', 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'mock-small', messages: [{ role: 'user', content: 'x'.repeat(bytes) }] }),
    });
  expect((await send(2_000_000, { 'x-gw-api-key': 'wrong' })).status).toBe(413);
  expect((await send(2_000_000)).status).toBe(413);
  expect((await send(10)).status).toBe(200);
  expect((await send(10)).status).toBe(429);
});
