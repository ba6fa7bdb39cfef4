import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Demand } from '../limits/index.ts';
import { StoreUnavailable } from '../store/index.ts';
import type { WireAddition, WireAsk, WireAskReply } from './protocol.ts';
import { createSharedCounters } from './shared-counters.ts';

const NOW = 1_790_000_000_000;
const DAY_MS = 86_400_000;
const REQUESTS: Demand = {
  ...{ subject: 'workspace/team-a/team-a', slot: 'team-a' },
  ...{ unit: 'requests', window: 'rpd', limit: 10, cost: 1 },
};
const TOKENS: Demand = { ...REQUESTS, unit: 'tokens', cost: 500, limit: 1_000, estimated: true };
const WINDOW = { remaining: 5, resetMs: 1_000 };

interface FleetOptions {
  /** Undefined: everything is granted. */
  readonly reply?: (ask: WireAsk) => WireAskReply;
  readonly hasFleet?: boolean;
}

function start({ reply, hasFleet = true }: FleetOptions = {}) {
  const asks: WireAsk[] = [];
  const additions: WireAddition[] = [];
  let probes = 0;
  const counters = createSharedCounters({
    hasFleet: () => hasFleet,
    calls: {
      ask: async (ask) => {
        asks.push(ask);
        return reply?.(ask) ?? { status: 'granted', windows: ask.demands.map(() => WINDOW) };
      },
      add: async (more) => void additions.push(...more),
      probe: async () => {
        probes += 1;
      },
    },
  });
  const reserve = async (...demands: Demand[]) => {
    const result = await counters.reserve(demands, NOW);
    if (!result.allowed) throw new Error('denied');
    return result;
  };
  const counted = () => asks.flatMap(({ demands }) => demands.map(({ unit, room, take }) => ({ unit, room, take })));
  return { counters, reserve, counted, additions, probes: () => probes };
}

describe('tokens', () => {
  test('need room for the estimate, and are counted when they have been used', async () => {
    const { reserve, counted, additions } = start();
    const reservation = await reserve(TOKENS);
    expect(counted()).toEqual([{ unit: 'tokens', room: 500, take: 1 }]);
    await reservation.settle([120], NOW);
    await reservation.settle([120], NOW);
    expect(additions).toEqual([{ subject: TOKENS.subject, unit: 'tokens', window: 'rpd', units: 119 }]);
  });

  test('of a request that used none leave nothing to add', async () => {
    const { reserve, additions } = start();
    await (await reserve(TOKENS)).release();
    expect(additions).toEqual([]);
  });
});

describe('a request that is given back', () => {
  test('is used by the next one, once', async () => {
    const { reserve, counted } = start();
    await (await reserve(REQUESTS)).release();
    await reserve(REQUESTS);
    await reserve(REQUESTS);
    expect(counted().map(({ take }) => take)).toEqual([1, 0, 1]);
  });

  test('is not used in another window', async () => {
    const { counters, reserve, counted } = start();
    await (await reserve(REQUESTS)).release();
    await counters.reserve([REQUESTS], NOW + DAY_MS);
    expect(counted().map(({ take }) => take)).toEqual([1, 1]);
  });

  test('stays when the next one is refused', async () => {
    const replies: WireAskReply[] = [
      { status: 'granted', windows: [WINDOW] },
      { status: 'denied', at: 0, remaining: 0, retryAfterMs: 7 },
      { status: 'failed' },
    ];
    const { counters, reserve, counted } = start({ reply: () => replies.shift() as WireAskReply });
    await (await reserve(REQUESTS)).release();
    expect(await counters.reserve([REQUESTS], NOW)).toEqual({
      ...{ allowed: false, demand: REQUESTS },
      ...{ remaining: 0, retryAfterMs: 7 },
    });
    await expect(counters.reserve([REQUESTS], NOW)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(counted().map(({ take }) => take)).toEqual([1, 0, 0]);
  });
});

describe('a limit that the fleet does not know', () => {
  const unknown = (ask: WireAsk): WireAskReply => ({
    status: 'granted',
    windows: ask.demands.map(({ unit }) => (unit === 'tokens' ? null : WINDOW)),
  });

  test('is counted here', async () => {
    const { counters, reserve, additions } = start({ reply: unknown });
    const first = await reserve(REQUESTS, TOKENS);
    expect(first.windows[0]).toEqual(WINDOW);
    expect(first.windows[1]).toMatchObject({ remaining: 500 });
    await first.settle([1, 900], NOW);
    expect(await counters.reserve([REQUESTS, TOKENS], NOW)).toMatchObject({ allowed: false, demand: TOKENS });
    expect(additions).toEqual([]);
  });

  test('takes nothing of the fleet when it is full', async () => {
    const { counters, reserve, counted } = start({ reply: unknown });
    const full = { ...TOKENS, limit: 1 };
    expect(await counters.reserve([REQUESTS, full], NOW)).toMatchObject({ allowed: false });
    await reserve(REQUESTS);
    expect(
      counted()
        .filter(({ unit }) => unit === 'requests')
        .map(({ take }) => take),
    ).toEqual([1, 0]);
  });
});

test('without a fleet limits are counted here', async () => {
  const { counters, reserve, counted, probes } = start({ hasFleet: false });
  await reserve({ ...REQUESTS, limit: 1 });
  expect(await counters.reserve([{ ...REQUESTS, limit: 1 }], NOW)).toMatchObject({ allowed: false });
  await counters.add('', 'id', [], NOW);
  expect([counted(), probes()]).toEqual([[], 0]);
});

test('what was counted while the fleet was away is added, what was given back is not', async () => {
  const { counters, additions, probes } = start();
  const counter = { subject: 's', slot: 'team-a', unit: 'requests', window: 'rpd' } as const;
  await counters.add(
    'team-a',
    'id',
    [
      { counter, startMs: 0, units: 4 },
      { counter, startMs: 0, units: -3 },
    ],
    NOW,
  );
  expect(additions).toEqual([{ subject: 's', unit: 'requests', window: 'rpd', units: 4, id: 'id:0' }]);
  await counters.add('', 'probe', [], NOW);
  expect(probes()).toBe(1);
});

test('the last tokens are told before the counters are closed', async () => {
  const told = Promise.withResolvers<void>();
  const counters = createSharedCounters({
    hasFleet: () => true,
    calls: {
      ask: async ({ demands }) => ({ status: 'granted', windows: demands.map(() => WINDOW) }),
      add: () => told.promise,
      probe: async () => undefined,
    },
  });
  const reservation = await counters.reserve([TOKENS], NOW);
  if (reservation.allowed) void reservation.settle([120], NOW);
  let isClosed = false;
  const closing = counters.close().then(() => {
    isClosed = true;
  });
  await setImmediate();
  expect(isClosed).toBe(false);
  told.reject(new StoreUnavailable('timeout'));
  await closing;
});
