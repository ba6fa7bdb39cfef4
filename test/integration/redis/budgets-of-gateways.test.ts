/** Gateways that share budgets through a real Redis, with real requests. */
import type { AnyEntry } from '@gatehouse/crds/snapshot';
import { describe, expect, test } from 'vitest';
import { baseEntries, type RunningGateway, startGateway, startMock } from '../../kit/gateway.ts';
import { startRedis } from '../../kit/redis.ts';
import { key } from '../../kit/snapshot.ts';
import { waitFor } from '../../kit/wait-for.ts';

const BODY = { model: 'mock-small', max_tokens: 40, messages: [{ role: 'user', content: 'one two three' }] };

interface Outcome {
  readonly status: number;
  readonly tokens: number;
}

async function ask(gateway: RunningGateway): Promise<Outcome> {
  const { status, text } = await gateway.send('/v1/chat/completions', {
    headers: { 'x-gw-provider': '@openai' },
    body: BODY,
  });
  return { status, tokens: status === 200 ? JSON.parse(text).usage.total_tokens : 0 };
}

const sumOf = (outcomes: readonly Outcome[]): number => outcomes.reduce((sum, { tokens }) => sum + tokens, 0);

const isShared = async ({ adminUrl }: RunningGateway): Promise<boolean> => {
  const status = (await (await fetch(`${adminUrl}/internal/status`)).json()) as { limits?: { counted: string } };
  return status.limits?.counted === 'shared';
};

/** What one request costs. */
async function tokensOfOne(entries: readonly AnyEntry[]): Promise<number> {
  await using gateway = await startGateway({ entries: [entries] });
  return (await ask(gateway)).tokens;
}

describe('gateways with one Redis', () => {
  test('spend no more than a budget and a request when 200 arrive at once', async () => {
    await using redis = await startRedis();
    const mock = await startMock();
    const single = await tokensOfOne(baseEntries(mock));
    const limit = 10 * single;
    const entries = [
      ...baseEntries(mock).filter(({ kind }) => kind !== 'key'),
      key({ usageLimits: [{ name: 'main', type: 'tokens', limit }] }),
    ];
    const gateways = await Promise.all(
      Array.from({ length: 4 }, () =>
        startGateway({ entries: [entries], env: { REDIS_URL: redis.url, GATEHOUSE_LIMITS_TIMEOUT_MS: '5000' } }),
      ),
    );
    for (const gateway of gateways) await waitFor(() => isShared(gateway), { what: 'Redis is used' });
    const asking = Array.from({ length: 200 }, (_, i) => ask(gateways[i % 4] as RunningGateway)); // one of four
    const outcomes = await Promise.all(asking);
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set([200, 412]));
    expect(sumOf(outcomes)).toBeLessThanOrEqual(limit + single);
    await waitFor(
      async () => {
        const more = await Promise.all(gateways.map(ask));
        outcomes.push(...more);
        return more.every(({ status }) => status === 412);
      },
      { what: 'the budget is used up for all' },
    );
    expect(sumOf(outcomes)).toBeGreaterThanOrEqual(limit);
    expect(sumOf(outcomes)).toBeLessThanOrEqual(limit + single);
    for (const gateway of gateways) await gateway[Symbol.asyncDispose]();
    await mock.close();
  });
});
