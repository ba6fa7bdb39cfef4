/**
 * A breaker on a conditional strategy guarded its targets (it must not); weight 0 was drawn when all others were open; cache
 * hits counted as successes; a wait of nothing did not zero the waits after it.
 */
import { expect, test } from 'vitest';
import { backoffMs, breakerLeaves, compilePlan } from '../../gateway/src/routing/index.ts';
import { startWorld } from '../kit/gateway.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';
import { KEY } from '../kit/snapshot.ts';

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
    if (reply.request.target.startsWith('/waits')) {
      await reply.answer(503, '{}');
      return;
    }
    tries += 1;
    if (tries === 1) await reply.answer(429, '{}', { 'retry-after': '0' });
    else await reply.answer(tries < 4 ? 503 : 200, '{}');
  });
  const ask = (path: string, signal?: AbortSignal): Promise<Response> => {
    const retry = { attempts: 4, use_retry_after_header: true };
    const config = { provider: 'openai', api_key: 'x', custom_host: upstream.url + path, retry };
    return fetch(`${world.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-gw-api-key': KEY, 'x-gw-config': JSON.stringify(config), 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [] }),
      ...(signal && { signal }),
    });
  };
  const leaving = new AbortController();
  const waits = ask('/waits', leaving.signal).catch(() => undefined);
  const first = await Promise.race([waits, ask('/honoured')]); // of the two, one waits 1, 2, 4 and 8 s
  leaving.abort();
  expect([first?.status, first?.headers.get('x-gw-retry-attempt-count')]).toEqual([200, '3']);
});
