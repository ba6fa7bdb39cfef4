/** Attempts and requests in flight were declared and never counted; retries of exhausted or earlier targets were lost. */
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { waitFor } from '../kit/wait-for.ts';

test('attempts, retries, errors of every target and what is in flight are counted', async () => {
  await using world = await startWorld();
  const waiting = world.send('/v1/chat/completions', {
    headers: { 'x-gw-provider': '@openai' },
    body: { model: 'mock-delay-1000', messages: [{ role: 'user', content: 'hi' }] },
  });
  await waitFor(async () => (await world.metric('gatehouse_requests_in_flight')) === 1);
  await waiting;
  const limited = {
    provider: '@openai',
    override_params: { model: 'mock-fail-429' },
    retry: { attempts: 2, use_retry_after_header: true },
    forward_headers: ['x-mock-retry-after'],
  };
  const gone = { provider: 'openai', api_key: 'x', custom_host: 'http://127.0.0.1:1' };
  await world.send('/v1/chat/completions', {
    headers: {
      'x-gw-config': JSON.stringify({
        strategy: { mode: 'fallback' },
        targets: [limited, gone, { provider: '@openai' }],
      }),
      'x-mock-retry-after': '0',
    },
    body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] },
  });
  await waitFor(async () => (await world.metric('gatehouse_requests_total')) === 2, { what: 'both records' });
  await waitFor(async () => (await world.metric('gatehouse_requests_in_flight')) === 0);
  expect(await world.metric('gatehouse_target_attempts_total', { outcome: 'failure' })).toBe(2);
  expect(await world.metric('gatehouse_target_attempts_total', { outcome: 'success' })).toBe(2);
  expect(await world.metric('gatehouse_retries_total')).toBe(2);
  expect(await world.metric('gatehouse_errors_total', { code: 'UPSTREAM_UNREACHABLE' })).toBe(1);
});
