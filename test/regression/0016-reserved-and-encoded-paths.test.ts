/** `/v1/%61dmin` slipped past the reserved management paths; encoded slashes in a response id became path segments. */
import { expect, test } from 'vitest';
import { lastRequest, startWorld } from '../kit/gateway.ts';

test('paths mean what they say after decoding, and stay encoded on their way', async () => {
  await using world = await startWorld();
  const headers = { 'x-gw-provider': '@openai' };
  for (const path of ['/v1/%61dmin/x', '/v1/admin%2Fx', '/v1/api%2dkeys']) {
    const { status } = await world.send(path, { headers });
    expect([400, 404], path).toContain(status);
  }
  expect((await world.send('/v1/%72ealtime', { headers })).status).toBe(426);
  expect(world.mock.requests).toHaveLength(0);
  await world.send('/v1/responses/a%2Fb%3Fc%23d%25', { headers });
  expect(lastRequest(world.mock).path).toBe('/v1/responses/a%2Fb%3Fc%23d%25');
});
