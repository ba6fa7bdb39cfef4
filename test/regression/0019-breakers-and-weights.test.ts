/**
 * A breaker on a conditional strategy guarded its targets (it must not); weight 0 was drawn when all others were open; cache
 * hits counted as successes; a wait of nothing did not zero the waits after it.
 */
import { expect, test } from 'vitest';
import { backoffMs, breakerLeaves, compilePlan } from '../../gateway/src/routing/index.ts';
import { startWorld } from '../kit/gateway.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';

test('a conditional strategy has no breaker of its own', () => {
  const cbConfig = { failureThreshold: 1, cooldownInterval: 30_000 };
  const plan = compilePlan(
    {
      strategy: { mode: 'conditional', conditions: [], default: 'a', cbConfig },
      targets: [{ name: 'a', provider: '@a' }],
    },
    { saved: { slug: 's', version: 'v' }, credential: () => undefined },
  );
  expect([...breakerLeaves(plan)]).toEqual([]);
});

test('a wait of nothing that was honoured zeroes the waits after it', async () => {
  expect(backoffMs(2, true)).toBe(0);
  await using world = await startWorld();
  let tries = 0;
  await using upstream = await startRawUpstream(async (reply) => {
    await reply.request.body;
    tries += 1;
    if (tries === 1) await reply.answer(429, '{}', { 'retry-after': '0' });
    else await reply.answer(tries < 4 ? 503 : 200, '{}');
  });
  const retry = { attempts: 4, use_retry_after_header: true };
  const started = performance.now();
  const answer = await world.send('/v1/chat/completions', {
    headers: {
      'x-gw-config': JSON.stringify({ provider: 'openai', api_key: 'x', custom_host: upstream.url, retry }),
    },
    body: { model: 'm', messages: [] },
  });
  expect(answer.headers['x-gw-retry-attempt-count']).toBe('3');
  expect(performance.now() - started).toBeLessThan(6_000); // back-off would take 2 s and 4 s
});
