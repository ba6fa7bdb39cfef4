/** A fallback tried to send an upload again that was gone, and answered 500 instead of the failure of the first target. */
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';

test('a consumed upload stays with the answer of the target that consumed it', async () => {
  await using world = await startWorld({ env: { GATEHOUSE_REPLAY_BYTES: '1000' } });
  await using upstream = await startRawUpstream(async (reply) => {
    await reply.request.body;
    await reply.answer(503, '{}');
  });
  const first = { provider: 'openai', api_key: 'x', custom_host: upstream.url };
  const answer = await world.send('/v1/echo', {
    headers: {
      'x-gw-config': JSON.stringify({ strategy: { mode: 'fallback' }, targets: [first, { provider: '@openai' }] }),
      'content-type': 'application/octet-stream',
    },
    body: Buffer.alloc(200_000),
  });
  expect(answer.status).toBe(503);
  expect(answer.headers['x-gw-last-used-option-index']).toBe('config.targets[0]');
  expect(answer.headers['x-gw-body-replayable']).toBe('false');
});
