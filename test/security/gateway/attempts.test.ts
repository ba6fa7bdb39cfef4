/** One request must not become thousands of calls, however its config nests targets and retries. */
import { describe, expect, test } from 'vitest';
import { startWorld } from '../../kit/gateway.ts';
import { provider } from '../../kit/snapshot.ts';
import { waitFor } from '../../kit/wait-for.ts';

const CHAT = { model: 'mock-fail-500', messages: [{ role: 'user', content: 'hi' }] };

const targets = (count: number): object[] => Array.from({ length: count }, () => ({ provider: '@openai' }));
const fallback = (children: readonly object[]): object => ({ strategy: { mode: 'fallback' }, targets: children });

describe('the calls of one request', () => {
  test('are 50 at most, across all nested fallbacks', async () => {
    await using world = await startWorld();
    const config = fallback(Array.from({ length: 20 }, () => fallback(targets(20))));
    const answer = await world.send('/v1/chat/completions', {
      headers: { 'x-gw-config': JSON.stringify(config) },
      body: CHAT,
    });
    expect(world.mock.requests).toHaveLength(50);
    expect(answer.status).toBe(500); // the answer of the last call
    expect(answer.headers['x-gw-attempts-exhausted']).toBe('true');
    expect(answer.headers['x-gw-last-used-option-index']).toBe('config.targets[2].targets[9]');
    await waitFor(() => world.logs.some(({ msg }) => msg === 'Request finished'), { what: 'the line of the request' });
    expect(world.logs).toContainEqual(expect.objectContaining({ msg: 'Request finished', attemptsExhausted: true }));
    const exhausted = () => world.metric('gatehouse_attempts_exhausted_total', { operation: 'chatComplete' });
    await waitFor(async () => (await exhausted()) > 0, { what: 'the metric of the request' });
    expect(await exhausted()).toBe(1);
  });

  test('include retries, and are as many as the deployment allows', async () => {
    await using world = await startWorld({ env: { GATEHOUSE_MAX_ATTEMPTS_PER_REQUEST: '3' } });
    const config = { ...fallback(targets(5)), retry: { attempts: 1 } };
    const answer = await world.send('/v1/chat/completions', {
      headers: { 'x-gw-config': JSON.stringify(config) },
      body: CHAT,
    });
    expect(world.mock.requests).toHaveLength(3);
    expect(answer.headers).toMatchObject({ 'x-gw-attempts-exhausted': 'true', 'x-gw-retry-attempt-count': '-1' });
  });

  test('include targets that fail without a call', async () => {
    const expired = provider('old', { expiresAt: '2020-01-01T00:00:00Z' });
    await using world = await startWorld({ entries: () => [expired] });
    const config = fallback([...Array.from({ length: 60 }, () => ({ provider: '@old' })), ...targets(1)]);
    const answer = await world.send('/v1/chat/completions', {
      headers: { 'x-gw-config': JSON.stringify(config) },
      body: CHAT,
    });
    expect(world.mock.requests).toHaveLength(0);
    expect(answer.headers['x-gw-attempts-exhausted']).toBe('true');
  });

  test('say nothing of a bound that was not reached', async () => {
    await using world = await startWorld({ env: { GATEHOUSE_MAX_ATTEMPTS_PER_REQUEST: '5' } });
    const answer = await world.send('/v1/chat/completions', {
      headers: { 'x-gw-config': JSON.stringify(fallback(targets(5))) },
      body: CHAT,
    });
    expect(world.mock.requests).toHaveLength(5);
    expect(answer.headers).not.toHaveProperty('x-gw-attempts-exhausted');
  });
});
