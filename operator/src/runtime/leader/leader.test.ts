import { describe, expect, test } from 'vitest';
import { ApiError, type KubeObject, type Lease } from '../client/index.ts';
import { createTestClock, flush, type TestClock } from '../time/testing.ts';
import {
  claimLease,
  isAvailable,
  LEASE_TIMING,
  type LeaseTiming,
  leaseTiming,
  observe,
  releaseLease,
} from './election.ts';
import { createLeader, type Leadership } from './leader.ts';

const NOW = Date.UTC(2026, 0, 1);
const SLOW: LeaseTiming = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
const lease = (spec?: Lease['spec']): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'n', name: 'l' },
  spec,
});
const held = {
  holderIdentity: 'other',
  leaseDurationSeconds: 15,
  renewTime: 'r1',
  acquireTime: 'a1',
  leaseTransitions: 2,
};

describe('a lease', () => {
  test.for([
    { rule: 'that is new is free', spec: undefined, silentMs: 0, want: true },
    { rule: 'that was released is free', spec: { ...held, holderIdentity: undefined }, silentMs: 0, want: true },
    { rule: 'of our own is free', spec: { ...held, holderIdentity: 'me' }, silentMs: 0, want: true },
    { rule: 'of another one is not', spec: held, silentMs: 15_000, want: false },
    { rule: 'of one that is silent for longer than its duration is', spec: held, silentMs: 15_001, want: true },
  ])('$rule', ({ spec, silentMs, want }) => {
    const observation = observe(undefined, lease(spec), 1_000);
    expect(isAvailable(lease(spec), 'me', observation, 1_000 + silentMs)).toBe(want);
  });

  test('is timed by the own clock from its last observed change', () => {
    const first = observe(undefined, lease(held), 1_000);
    expect(observe(first, lease(held), 9_000)).toBe(first);
    expect(observe(first, lease({ ...held, renewTime: 'r2' }), 9_000).seenMs).toBe(9_000);
  });

  test.for([
    {
      rule: 'created counts no transition',
      spec: undefined,
      want: { leaseTransitions: 0, acquireTime: '2026-01-01T00:00:00.000000Z' },
    },
    {
      rule: 'taken over counts one',
      spec: held,
      want: { leaseTransitions: 3, acquireTime: '2026-01-01T00:00:00.000000Z' },
    },
    {
      rule: 'renewed keeps its count and time',
      spec: { ...held, holderIdentity: 'me' },
      want: { leaseTransitions: 2, acquireTime: 'a1' },
    },
  ])('$rule', ({ spec, want }) => {
    expect(claimLease(lease(spec), 'me', SLOW, NOW).spec).toEqual({
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      renewTime: '2026-01-01T00:00:00.000000Z',
      ...want,
    });
  });

  test('that is released has no holder and keeps its count of transitions', () => {
    const { spec } = releaseLease(lease(held), NOW);
    expect(spec).toMatchObject({ leaseDurationSeconds: 1, leaseTransitions: 2 });
    expect(spec).not.toHaveProperty('holderIdentity');
  });
});

/** One lease as an API server keeps it, which can be away. */
function createServer() {
  let stored: Lease | undefined;
  let version = 0;
  const server = { away: false, stored: () => stored, set: (next: Lease) => store(next) };
  const fail = (status: number, reason: string): never => {
    throw new ApiError({ status, reason, message: '' });
  };
  const store = (next: Lease): Lease => {
    version += 1;
    stored = { ...next, metadata: { ...next.metadata, resourceVersion: String(version) } };
    return stored;
  };
  const reach = (): void => {
    if (server.away) fail(0, 'Unreachable');
  };
  // The verbs are typed for any Kind; there are only Leases here.
  const answer = <T extends KubeObject>(object: Lease | undefined) => object as unknown as T;
  const client = {
    get: async <T extends KubeObject>() => {
      reach();
      return answer<T>(stored ?? fail(404, 'NotFound'));
    },
    create: async <T extends KubeObject>(_kind: unknown, object: T) => {
      reach();
      return stored === undefined ? answer<T>(store(object as unknown as Lease)) : fail(409, 'AlreadyExists');
    },
    update: async <T extends KubeObject>(_kind: unknown, object: T) => {
      reach();
      if (object.metadata.resourceVersion !== stored?.metadata.resourceVersion) fail(409, 'Conflict');
      return answer<T>(store(object as unknown as Lease));
    },
  };
  return { server, client };
}

function stand(
  client: ReturnType<typeof createServer>['client'],
  identity: string,
  clock: TestClock,
  { timing = SLOW, random = 0 } = {},
) {
  const quiet = (): void => {};
  const leader = createLeader({
    ...{ client, namespace: 'n', name: 'l', identity, clock, timing, random: () => random },
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  });
  const stop = new AbortController();
  const finish = Promise.withResolvers<void>();
  let outcome: Leadership | undefined;
  let endedBy: unknown;
  const run = leader.run(stop.signal, async (life) => {
    life.addEventListener('abort', () => {
      endedBy = life.reason;
    });
    await finish.promise;
  });
  run.then(
    (value) => {
      outcome = value;
    },
    () => {},
  );
  return { leader, stop, finish, run, outcome: () => outcome, endedBy: () => endedBy };
}

async function advance(clock: TestClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    await flush();
    clock.advance(100);
  }
  await flush();
}

describe('a lease that lasts', () => {
  test.for([3_000, 5_000, 15_000, 300_000])(
    '%i ms is released before another candidate may acquire it',
    (durationMs) => {
      const { renewDeadlineMs, retryMs } = leaseTiming(durationMs);
      expect(durationMs - renewDeadlineMs).toBeGreaterThanOrEqual(0.25 * durationMs);
      expect(renewDeadlineMs).toBeGreaterThan(2 * 1.2 * retryMs); // more than one try
    },
  );

  test.for([
    { durationMs: LEASE_TIMING.durationMs, withinMs: 8_000 },
    { durationMs: 3_000, withinMs: 4_500 },
    { durationMs: 60_000, withinMs: 90_000 },
  ])(
    '$durationMs ms is acquired by another candidate within $withinMs ms of a kill',
    async ({ durationMs, withinMs }) => {
      for (const killedAtMs of [0, 300, 700, 1_100]) {
        const { client } = createServer();
        const clock = createTestClock();
        const timing = leaseTiming(durationMs);
        const alive = { one: true };
        // A killed process sends nothing any more.
        const mortal = {
          ...client,
          update: <T extends KubeObject>(kind: unknown, object: T) =>
            alive.one ? client.update(kind, object) : new Promise<T>(() => {}),
        };
        stand(mortal, 'one', clock, { timing, random: 1 });
        await advance(clock, 200);
        const two = stand(client, 'two', clock, { timing, random: 1 });
        await advance(clock, 3 * durationMs + killedAtMs);
        expect(two.leader.leads).toBe(false);
        alive.one = false;
        const passed = await untilLeads(two, clock);
        expect(passed).toBeLessThanOrEqual(withinMs);
        expect(passed).toBeGreaterThan(0.5 * durationMs);
      }
    },
  );
});

async function untilLeads({ leader }: ReturnType<typeof stand>, clock: TestClock): Promise<number> {
  const sinceMs = clock.monotonicMs();
  while (!leader.leads && clock.monotonicMs() - sinceMs < 600_000) await advance(clock, 100);
  return clock.monotonicMs() - sinceMs;
}

describe('leadership', () => {
  test('lasts as long as the lease is renewed', async () => {
    const { client } = createServer();
    const clock = createTestClock();
    const one = stand(client, 'one', clock);
    const two = stand(client, 'two', clock);
    await advance(clock, 120_000);
    expect([one.leader.leads, two.leader.leads]).toEqual([true, false]);
  });

  test('ends after ten seconds without a renewal, five before another one may lead', async () => {
    const { server, client } = createServer();
    const clock = createTestClock();
    const one = stand(client, 'one', clock);
    await advance(clock, 2_100);
    server.away = true;
    await advance(clock, 9_700);
    expect(one.leader.leads).toBe(true);
    await advance(clock, 300);
    expect(one.leader.leads).toBe(false);
    expect(one.endedBy()).toBeInstanceOf(Error);
    expect(one.outcome()).toBeUndefined();
    server.away = false;
    const two = stand(client, 'two', clock);
    await advance(clock, 5_000);
    expect(one.outcome()).toBe('lost');
    expect(two.leader.leads).toBe(false);
    await advance(clock, 12_000);
    expect(two.leader.leads).toBe(true);
  });

  test('survives an outage shorter than that', async () => {
    const { server, client } = createServer();
    const clock = createTestClock();
    const one = stand(client, 'one', clock);
    await advance(clock, 2_100);
    server.away = true;
    await advance(clock, 7_000);
    server.away = false;
    await advance(clock, 30_000);
    expect(one.leader.leads).toBe(true);
  });

  test('keeps the lease until the work has finished, then releases it', async () => {
    const { server, client } = createServer();
    const clock = createTestClock();
    const one = stand(client, 'one', clock);
    await advance(clock, 1_000);
    one.stop.abort('SIGTERM');
    await advance(clock, 60_000);
    expect(one.endedBy()).toBe('SIGTERM');
    expect(one.leader.leads).toBe(true);
    one.finish.resolve();
    await advance(clock, 100);
    expect(one.outcome()).toBe('released');
    expect(server.stored()?.spec).not.toHaveProperty('holderIdentity');
  });

  test('releases the lease when the work fails, and rejects with its error', async () => {
    const { server, client } = createServer();
    const clock = createTestClock();
    const one = stand(client, 'one', clock);
    await advance(clock, 1_000);
    one.finish.reject(new Error('boom'));
    await expect(one.run).rejects.toThrow('boom');
    expect(server.stored()?.spec).not.toHaveProperty('holderIdentity');
  });

  test('does not release the lease of another holder', async () => {
    const { server, client } = createServer();
    const clock = createTestClock();
    const one = stand(client, 'one', clock);
    await advance(clock, 1_000);
    server.set(lease({ ...held, holderIdentity: 'thief' }));
    await advance(clock, 2_500);
    one.finish.resolve();
    await advance(clock, 100);
    expect(one.outcome()).toBe('lost');
    expect(server.stored()?.spec?.holderIdentity).toBe('thief');
  });

  test('never starts when the signal ended before', async () => {
    const { server, client } = createServer();
    const clock = createTestClock();
    server.set(lease(held));
    const one = stand(client, 'one', clock);
    await advance(clock, 1_000);
    one.stop.abort('SIGTERM');
    await advance(clock, 100);
    expect(one.outcome()).toBe('released');
    expect(server.stored()?.spec?.holderIdentity).toBe('other');
  });
});
