/** Sidecars count limits and budgets of their workspace in the fleet: docs/behaviour/sidecars.md#limits-and-budgets. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../kit/free-port.ts';
import type { World } from '../kit/gateway.ts';
import { type Received, send } from '../kit/http.ts';
import {
  askSidecar,
  FLEET_TLS,
  type SidecarWorld,
  startSidecarWorld,
  statusesOf,
  type WorkspaceLimits,
} from '../kit/sidecar-world.ts';
import { policy, TEAM } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const PATH = '/sidecars/v1/counters';
let world: SidecarWorld;

beforeAll(async () => {
  world = await startSidecarWorld();
});

afterAll(() => world[Symbol.asyncDispose]());

const perDay = (value: number, type: 'requests' | 'tokens' = 'requests'): WorkspaceLimits => ({
  rateLimits: [{ type, unit: 'rpd', value }],
});

describe('two sidecars of a workspace', () => {
  test('admit as many requests together as the workspace may have', async () => {
    const limits = perDay(10);
    await using fleet = await world.startFleet(limits);
    await using one = await world.startSidecar({ pod: 'web-0', url: fleet.url, limits });
    await using two = await world.startSidecar({ pod: 'web-1', url: fleet.url, limits });
    expect(await statusesOf([one, two], 10)).toEqual(
      new Map([
        [200, 10],
        [429, 10],
      ]),
    );
  });

  test('count what they use of a policy in the group of its values', async () => {
    const perModel = policy('RateLimitPolicy:per-model', {
      ...{ kind: 'rate', conditions: [], groupBy: [{ key: 'model' }] },
      rate: { type: 'requests', unit: 'rpd', value: 2 },
    });
    await using fleet = await world.startFleet({}, { more: [perModel] });
    await using one = await world.startSidecar({ pod: 'web-0', url: fleet.url, limits: {}, more: [perModel] });
    await using two = await world.startSidecar({ pod: 'web-1', url: fleet.url, limits: {}, more: [perModel] });
    const statuses = [
      await askSidecar(one),
      await askSidecar(two),
      await askSidecar(one),
      await askSidecar(two, '@local/other'),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429, 200]);
  });

  test('count tokens that an answer used', async () => {
    const limits = perDay(1, 'tokens');
    await using fleet = await world.startFleet(limits);
    await using one = await world.startSidecar({ pod: 'web-0', url: fleet.url, limits });
    await using two = await world.startSidecar({ pod: 'web-1', url: fleet.url, limits });
    expect((await askSidecar(one)).status).toBe(200);
    await waitFor(async () => (await askSidecar(two)).status === 429, { what: 'the tokens of the other sidecar' });
  });

  test('spend one budget', async () => {
    const limits: WorkspaceLimits = { usageLimits: [{ name: 'main', type: 'requests', limit: 10 }] };
    await using fleet = await world.startFleet(limits);
    await using one = await world.startSidecar({ pod: 'web-0', url: fleet.url, limits });
    await using two = await world.startSidecar({ pod: 'web-1', url: fleet.url, limits });
    expect(await statusesOf([one, two], 10)).toEqual(
      new Map([
        [200, 10],
        [412, 10],
      ]),
    );
    const usedInFleet = async (): Promise<unknown> => {
      const { budgets } = (await send(`${fleet.adminUrl}/internal/usage`)).json();
      return budgets[0]?.used;
    };
    await waitFor(async () => (await usedInFleet()) === 10, { what: 'the use in the report of the fleet' });
  });
});

test('a request that goes to the fleet counts once', async () => {
  const limits = perDay(2);
  await using fleet = await world.startFleet(limits);
  await using one = await world.startSidecar({ pod: 'web-0', url: fleet.url, limits });
  const answers = [
    await askSidecar(one, '@shared/mock-small'),
    await askSidecar(one),
    await askSidecar(one, '@shared/mock-small'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
});

test('a sidecar without a fleet counts alone, and says so', async () => {
  await using one = await world.startSidecar({ pod: 'web-0', url: undefined, limits: perDay(1) });
  const answers = [await askSidecar(one), await askSidecar(one)];
  expect(answers.map(({ status }) => status)).toEqual([200, 429]);
  expect(await one.metric('gatehouse_limits_shared')).toBe(0);
  expect(await one.metric('gatehouse_budgets_shared')).toBe(0);
});

describe('while the fleet is away', () => {
  test('a sidecar counts alone, and tells the fleet when it is back', async () => {
    const limits = perDay(3);
    const atPort = { env: { ...FLEET_TLS, PORT: String(await freePort()) } }; // nobody else gets it while the fleet is away
    const gone = await world.startFleet(limits, atPort);
    const { url } = gone;
    await using one = await world.startSidecar({ pod: 'web-0', url, limits });
    expect((await askSidecar(one)).status).toBe(200);
    await gone[Symbol.asyncDispose]();
    expect([(await askSidecar(one)).status, (await askSidecar(one)).status, (await askSidecar(one)).status]).toEqual([
      200, 200, 429,
    ]);
    await waitFor(async () => (await one.metric('gatehouse_limits_shared')) === 0, { what: 'limits counted alone' });
    await using back = await world.startFleet(limits, atPort); // it has forgotten the first request
    await waitFor(async () => (await one.metric('gatehouse_limits_shared')) === 1, { what: 'limits of the fleet' });
    await using two = await world.startSidecar({ pod: 'web-1', url: back.url, limits });
    expect([(await askSidecar(two)).status, (await askSidecar(two)).status]).toEqual([200, 429]);
  });

  test('a sidecar with the policy closed refuses what has a limit, and serves the rest', async () => {
    const limits = perDay(3);
    const at = { pod: 'web-0', url: `http://127.0.0.1:${await freePort()}`, policy: 'closed' } as const;
    await using limited = await world.startSidecar({ ...at, limits });
    const refused = await askSidecar(limited);
    expect([refused.status, refused.json().error.code]).toEqual([503, 'limits_unavailable']);
    await using unlimited = await world.startSidecar({ ...at, limits: {} });
    expect((await askSidecar(unlimited)).status).toBe(200);
  });
});

describe('a hostile pod', () => {
  const limits: WorkspaceLimits = {
    ...perDay(5),
    rateLimits: [...(perDay(5).rateLimits ?? []), { type: 'requests', unit: 'rpw', value: 1_000 }],
    usageLimits: [{ name: 'main', type: 'requests', limit: 10 }],
  };
  let fleet: World;
  beforeAll(async () => {
    fleet = await world.startFleet(limits, { env: {} }); // a call of our own needs no TLS on loopback
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  test('with a body that is no JSON, too large or too deep is refused', async () => {
    const headers = { 'x-gw-api-key': await world.tokenOf('evil') };
    const bodies = ['{', '['.repeat(10), 'x'.repeat(256 * 1024 + 1)];
    const answers = await Promise.all(bodies.map((body) => send(fleet.url + PATH, { method: 'POST', headers, body })));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 413]);
  });

  const call = async (body: object, token?: string): Promise<Received> =>
    send(fleet.url + PATH, {
      headers: { 'x-gw-api-key': token ?? (await world.tokenOf('evil')) },
      body: { asks: [], additions: [], budgets: [], ...body },
    });
  const counter = { subject: `workspace/${TEAM}/${TEAM}`, unit: 'requests', window: 'rpd' } as const;
  const take = { asks: [{ demands: [{ ...counter, room: 1, take: 1 }] }] };
  const sync = {
    ...{ id: `workspace/${TEAM}/${TEAM}|requests|main`, periodStartMs: 0, holder: 'evil', sequence: 1, spentIn: 0 },
    ...{ spent: 0, held: 0, more: 1, spare: false, leaseMs: 10_000, generation: '' },
  };

  test.each<{ who: string; token: () => Promise<string>; status: number }>([
    { who: 'without a pod', token: () => world.tokenOf(undefined), status: 403 },
    { who: 'of a namespace without sidecars', token: () => world.tokenOf('evil', 'elsewhere'), status: 403 },
    { who: 'with a text that is no token', token: async () => 'gwk_nothing', status: 401 },
  ])('$who counts nothing', async ({ token, status }) => {
    expect((await call(take, await token())).status).toBe(status);
  });

  test.each<{ rule: string; body: object }>([
    { rule: 'a negative amount', body: { additions: [{ ...counter, units: -1 }] } },
    { rule: 'a fraction', body: { additions: [{ ...counter, units: 0.5 }] } },
    { rule: 'more than a request uses', body: { additions: [{ ...counter, units: 10_000_001 }] } },
    { rule: 'an amount that is none', body: { asks: [{ demands: [{ ...counter, room: null, take: 1 }] }] } },
    { rule: 'many requests at once', body: { asks: [{ demands: [{ ...counter, room: 5, take: 5 }] }] } },
    { rule: 'an owner', body: { asks: [{ demands: [{ ...counter, slot: 'team-b', room: 1, take: 1 }] }] } },
    { rule: 'a limit', body: { asks: [{ demands: [{ ...counter, limit: 99, room: 1, take: 1 }] }] } },
    { rule: 'a lease for ever', body: { budgets: [{ ...sync, leaseMs: 60_001 }] } },
    { rule: 'a seed', body: { budgets: [{ ...sync, seed: { generation: 'x', periodStartMs: 0, total: 10 } }] } },
    { rule: 'more counters than a call may have', body: { additions: Array(201).fill({ ...counter, units: 1 }) } },
  ])('is refused $rule', async ({ body }) => {
    const answer = await call(body);
    expect([answer.status, answer.text.includes('team-b')]).toEqual([400, false]);
  });

  test('sees and changes nothing of another workspace', async () => {
    const other = { ...counter, subject: 'workspace/team-b/team-b' };
    const answer = await call({
      asks: [{ demands: [{ ...other, room: 1, take: 1 }] }],
      additions: [{ ...other, units: 3 }],
      budgets: [{ ...sync, id: 'workspace/team-b/team-b|requests|main' }],
    });
    expect(answer.json()).toEqual({
      asks: [{ status: 'granted', windows: [null] }],
      budgets: [{ status: 'unknown' }],
    });
    const ofB = await call(
      { asks: [{ demands: [{ ...other, room: 1, take: 1 }] }] },
      await world.tokenOf('honest', 'apps-of-b'),
    );
    expect(ofB.json().asks[0]).toMatchObject({ status: 'granted', windows: [{ remaining: 2 }] });
  });

  test('ends no part of a budget that another pod holds', async () => {
    const honest = await call({ budgets: [{ ...sync, holder: 'h', more: 6 }] }, await world.tokenOf('honest'));
    expect(honest.json().budgets[0]).toMatchObject({ status: 'done', held: 6, heldByOthers: 0 });
    const evil = await call({ budgets: [{ ...sync, holder: 'h', sequence: 99, leaseMs: 0, more: 0 }] });
    expect(evil.json().budgets[0]).toMatchObject({ status: 'done', held: 0, heldByOthers: 6 });
  });

  test('begins no period of its own choice', async () => {
    const before = await call({ budgets: [{ ...sync, holder: 'p', more: 0, spent: 1 }] });
    const answer = await call({
      budgets: [{ ...sync, holder: 'p', sequence: 2, more: 0, periodStartMs: Date.now() - 1 }],
    });
    expect(answer.json().budgets[0]).toMatchObject({ periodStartMs: 0, total: before.json().budgets[0].total });
  });

  test('that had no answer in time may tell an addition again: it counts once, and so does that of another pod', async () => {
    const week = { ...counter, window: 'rpw' } as const;
    const addition = { ...week, units: 7, id: 'process:1:0' };
    const [one, two] = [await world.tokenOf('slow'), await world.tokenOf('other')];
    for (const token of [one, one, one, two]) await call({ additions: [addition] }, token);
    await call({ additions: [{ ...addition, id: 'process:1:1' }] }, one);
    const answer = await call({ asks: [{ demands: [{ ...week, room: 1, take: 1 }] }] });
    expect(answer.json().asks[0]).toMatchObject({ status: 'granted', windows: [{ remaining: 1_000 - 3 * 7 - 1 }] });
  });

  test('has so many names for parts of budgets', async () => {
    const names = Array.from({ length: 40 }, (_, i) => i);
    const token = await world.tokenOf('many');
    const answers = await Promise.all(
      names.map((i) => call({ budgets: [{ ...sync, holder: `n${i}`, more: 0, leaseMs: 0 }] }, token)),
    );
    const refused = answers.filter((answer) => answer.json().budgets[0].status === 'failed');
    expect(refused).toHaveLength(8);
  });
});
