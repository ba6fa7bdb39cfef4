import { config, provider, workspace } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { Leaf } from '../routing/index.ts';
import { createMemoryCircuitStore, createStoreBreaker } from '../store/index.ts';
import type { AttemptOutcome } from './attempt/index.ts';
import { type CircuitBreakerPort, openCircuits, recordCircuit } from './circuit-breakers.ts';
import type { Caller } from './exchange.ts';
import type { Resolution } from './resolve/index.ts';
import { viewOf } from './testing.ts';

const world = await viewOf(
  workspace(),
  provider('a'),
  provider('b', { provider: 'anthropic' }),
  config('breaking', {
    strategy: { mode: 'fallback', cb_config: { failure_threshold: 1, cooldown_interval: 30_000 } },
    targets: [{ provider: '@a' }, { provider: '@b' }],
  }),
);

const caller = { workspace: { name: 'team-a' } } as unknown as Caller; // only these members are used
const savedPlan = world.config('team-a', 'breaking')?.plan;
if (savedPlan === undefined) throw new Error('no plan');

describe('circuit breakers', () => {
  const input = { caller, resolution: { plan: savedPlan } as unknown as Resolution }; // only these members are used
  const leaves = savedPlan.root.kind === 'branch' ? (savedPlan.root.children as Leaf[]) : [];
  const NOW = 1_760_000_000_000;
  const KEY = `{circuit_breaker:default:team-a:breaking}:${savedPlan.version}`;

  function open() {
    let time = NOW;
    const errors: unknown[] = [];
    const circuits = createMemoryCircuitStore({ now: () => time });
    const breakers: CircuitBreakerPort = {
      circuits,
      storeBreaker: createStoreBreaker({ onError: (error) => errors.push(error) }),
    };
    const record = (status: number, over: Partial<AttemptOutcome> = {}): void =>
      recordCircuit(breakers, input, { leaf: leaves[0], status, ...over } as AttemptOutcome); // only these members are used
    return {
      breakers,
      errors,
      record,
      openNow: async (ms = 0) => {
        time = NOW + ms;
        return [...(await openCircuits(breakers, input, time))];
      },
    };
  }

  test('is bad after a failure, and good again after the cool-down', async () => {
    const { record, openNow } = open();
    expect(await openNow()).toEqual([]);
    record(503);
    expect(await openNow()).toEqual(['config.targets[0]']);
    expect(await openNow(30_000)).toEqual(['config.targets[0]']);
    expect(await openNow(30_001)).toEqual([]);
    expect(await openNow(30_001)).toEqual([]);
  });

  test.for<{ rule: string; status: number; over?: object }>([
    { rule: 'a good answer', status: 200 },
    { rule: 'an answer that is neither', status: 404 },
    { rule: 'a client that left', status: 499, over: { error: { code: 'CLIENT_CLOSED' } } },
    {
      rule: 'a failure of a target without a breaker',
      status: 500,
      over: { leaf: { ...leaves[0], breaker: undefined } },
    },
  ])('is not touched by $rule', async ({ status, over }) => {
    const { record, openNow } = open();
    record(status, over as Partial<AttemptOutcome>);
    expect(await openNow()).toEqual([]);
  });

  test('does not count what the cache answered', async () => {
    const { breakers, record } = open();
    record(503);
    record(200, { cacheStatus: 'HIT' });
    record(200);
    const [counts] = [...(await breakers.circuits.read(KEY)).values()];
    expect(counts).toMatchObject({ failures: 1, successes: 1 });
  });

  test('counts as closed when the store fails', async () => {
    const { errors } = open();
    const broken: CircuitBreakerPort = {
      circuits: {
        read: () => Promise.reject(new Error('boom')),
        record: () => Promise.reject(new Error('boom')),
        clear: () => Promise.reject(new Error('boom')),
      },
      storeBreaker: createStoreBreaker({ onError: (error) => errors.push(error) }),
    };
    expect([...(await openCircuits(broken, input, NOW))]).toEqual([]);
    recordCircuit(broken, input, { leaf: leaves[0], status: 500 } as AttemptOutcome); // only these members are used
    await Promise.resolve();
    expect(errors).toHaveLength(2);
  });
});
