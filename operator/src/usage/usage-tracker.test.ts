import { KINDS, type UsageRow } from '@gatehouse/crds/kinds';
import type { BudgetRow } from '@gatehouse/crds/usage';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../runtime/index.ts';
import { createTestClock, flush } from '../runtime/time/testing.ts';
import { type BudgetAlert, createUsageTracker } from './index.ts';

const ORGANISATION = { owner: 'organisation', served: 'all' } as const;
const START = Date.UTC(2026, 0, 1);
const WEEK_MS = 7 * 86_400_000;

const WORKSPACE = { apiVersion: 'x', kind: 'Workspace', metadata: { name: 'red' }, spec: { namespace: 'team-red' } };
const key = (over: object = {}): KubeObject => ({
  apiVersion: 'x',
  kind: 'ApiKey',
  metadata: { name: 'app', namespace: 'team-red' },
  ...{ spec: { usageLimits: [{ name: 'main', creditLimit: '10' }] } },
  ...over,
});
const policy: KubeObject = {
  apiVersion: 'x',
  kind: 'UsageLimitPolicy',
  metadata: { name: 'per-user', namespace: 'team-red' },
};

const row = (over: Partial<BudgetRow> = {}): BudgetRow => ({
  id: 'key/red/app|main',
  slot: 'red',
  owner: { kind: 'key', id: 'key/red/app', slug: 'app' },
  name: 'main',
  type: 'cost',
  limit: 10_000_000_000,
  used: 0,
  periodStartMs: START,
  resetsAtMs: START + WEEK_MS,
  generation: 'g1',
  ...over,
});
const spent = (dollars: number, over: Partial<BudgetRow> = {}): BudgetRow => row({ used: dollars * 1e9, ...over });

const group = (bucket: string, dollars: number): BudgetRow =>
  spent(dollars, {
    id: `policy/red/UsageLimitPolicy:per-user|${bucket}`,
    owner: { kind: 'policy', id: 'policy/red/UsageLimitPolicy:per-user', slug: 'per-user', bucket },
    name: 'per-user',
  });

/** A tracker that leads; `writes` are the members of each status it wants written. */
async function stage(objects: readonly KubeObject[] = [WORKSPACE, key(), policy]) {
  const clock = createTestClock();
  const stop = new AbortController();
  const world = new Map(objects.map((object) => [`${object.kind}/${placeOf(object)}`, object]));
  const writes: Record<string, unknown>[] = [];
  const events: string[] = [];
  const alerts: BudgetAlert[] = [];
  const tracker = createUsageTracker({
    objects: {
      organisationNamespace: 'org',
      live: (kind, place) => world.get(`${kind}/${place}`),
      all: (kind) => [...world.values()].filter((object) => object.kind === kind),
    },
    events: { record: ({ type, reason, note }) => void events.push(`${type} ${reason}: ${note}`) },
    onChange: (verdictKey) => {
      const object = world.get(verdictKey);
      if (object === undefined) return;
      const members = tracker.membersOf(object);
      expect(KINDS.ApiKey.status.safeParse(members).error).toBeUndefined();
      writes.push({ ...members, exhausted: tracker.exhaustionOf(object)?.message });
    },
    onAlert: (alert) => void alerts.push(alert),
    clock,
  });
  const running = tracker.run(stop.signal);
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 200) {
      clock.advance(Math.min(200, left));
      await flush();
    }
  };
  return {
    ...{ tracker, world, writes, events, alerts, pass },
    report: async (...rows: BudgetRow[]) => {
      const lost = tracker.note(rows, ORGANISATION);
      await pass(200);
      return lost;
    },
    /** What the last status says was used, in percent. */
    get used() {
      return writes.at(-1)?.['used'];
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      clock.advance(1_000);
      await running;
    },
  };
}

const placeOf = ({ metadata: { namespace, name } }: KubeObject): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

const usageOf = (write: Record<string, unknown> | undefined): readonly UsageRow[] =>
  (write?.['usage'] ?? []) as UsageRow[]; // checked against the schema before

describe('the use of a budget', () => {
  test('is shown with its period, its limit and what was used', async () => {
    await using world = await stage();
    await world.report(spent(2.5));
    expect(world.writes).toEqual([
      {
        usage: [
          {
            ...{ name: 'main', type: 'cost', limit: '10', used: '2.5', usedPercent: 25 },
            ...{ periodStartTime: '2026-01-01T00:00:00Z', nextResetTime: '2026-01-08T00:00:00Z' },
          },
        ],
        used: '25%',
        exhausted: undefined,
      },
    ]);
  });

  test('that is never reset has no period', async () => {
    await using world = await stage();
    await world.report(spent(10, { periodStartMs: 0, resetsAtMs: undefined }));
    expect(usageOf(world.writes[0])[0]).not.toHaveProperty('periodStartTime');
    await world.report(spent(11, { periodStartMs: 0, resetsAtMs: undefined }));
    expect(world.events).toEqual(['Warning Exhausted: Used up: main (10 US dollars, never reset)']);
  });

  test('is brought up to date with every tenth, and once a minute at most', async () => {
    await using world = await stage();
    await world.report(spent(1));
    await world.report(spent(1.5));
    await world.report(spent(2));
    await world.report(spent(4));
    expect(world.writes.length).toBe(1);
    await world.pass(60_000);
    expect(world.used).toBe('40%');
    await world.pass(600_000);
    await world.report(spent(4.9));
    expect(world.writes.length).toBe(2);
  });

  test('that is up is shown at once, with an event', async () => {
    await using world = await stage();
    await world.report(spent(9));
    await world.report(spent(10.25));
    expect(world.writes.at(-1)).toMatchObject({
      used: '100%',
      exhausted: 'Used up: main (10 US dollars, until 2026-01-08T00:00:00Z)',
    });
    expect(world.events).toEqual(['Warning Exhausted: Used up: main (10 US dollars, until 2026-01-08T00:00:00Z)']);
    await world.report(spent(11));
    await world.pass(600_000);
    expect(world.events.length).toBe(1);
  });

  test('that was up begins anew when its period ends, without a report', async () => {
    await using world = await stage();
    await world.report(spent(10, { periodStartMs: START - WEEK_MS, resetsAtMs: START + 30_000 }));
    expect(world.used).toBe('100%');
    await world.pass(30_000);
    expect(world.writes.at(-1)).toEqual({ exhausted: undefined });
  });

  test('of a larger budget is no longer up', async () => {
    await using world = await stage();
    await world.pass(11_000);
    await world.report(spent(10));
    await world.report(spent(10, { limit: 20_000_000_000 }));
    expect(world.writes.at(-1)).toMatchObject({ used: '50%', exhausted: undefined });
  });

  test('is the largest that any pod knows, in the newest period', async () => {
    await using world = await stage();
    await world.report(spent(5));
    await world.report(spent(3));
    await world.report(spent(9, { periodStartMs: START - WEEK_MS }));
    await world.pass(60_000);
    expect(world.writes.length).toBe(1);
    expect(world.used).toBe('50%');
  });

  test('at its alert is shown and announced once in a period', async () => {
    await using world = await stage();
    const alertAt = 8_000_000_000;
    await world.report(spent(7, { alertAt }));
    await world.report(spent(8, { alertAt }));
    await world.report(spent(8.5, { alertAt }));
    await world.pass(60_000);
    expect(world.events).toEqual([
      'Warning AlertReached: The budget main has reached its alert threshold: 8 of 10 are used',
    ]);
    expect(world.alerts.map(({ kind }) => kind)).toEqual(['alert']);
    expect(usageOf(world.writes.at(-1))[0]).toHaveProperty('alertTime');
  });

  test('by group is that of the nearest to its end, with the names of those that are there', async () => {
    await using world = await stage();
    await world.report(group('ada', 10), group('eve', 12), group('bob', 1));
    expect(usageOf(world.writes[0])).toMatchObject([
      { name: 'per-user', usedPercent: 100, counters: 3, exhaustedCounters: 2, exhausted: ['ada', 'eve'] },
    ]);
  });

  test('by group is there for each group, until the period ends', async () => {
    await using world = await stage();
    await world.report(group('ada', 10), group('bob', 1), spent(3));
    const known = () =>
      world.tracker.countersOf('UsageLimitPolicy/team-red/per-user').map(({ owner, used }) => [owner.bucket, used]);
    expect(known()).toEqual([
      ['ada', 10e9],
      ['bob', 1e9],
    ]);
    expect(world.tracker.countersOf('UsageLimitPolicy/team-red/other')).toEqual([]);
    const end = { resetsAtMs: START + 5_000 };
    await world.report({ ...group('ada', 10), ...end }, { ...group('bob', 2), ...end });
    expect(known()).toContainEqual(['bob', 2e9]);
    await world.pass(6_000);
    expect(known()).toEqual([]);
  });

  test.for<{ rule: string; given: BudgetRow }>([
    { rule: 'of an object that is gone', given: spent(10, { owner: { kind: 'key', id: 'key/red/old', slug: 'old' } }) },
    { rule: 'of a budget that has left the spec', given: spent(10, { name: 'old' }) },
    { rule: 'whose counter is not of its owner', given: spent(10, { id: 'key/blue/app|main' }) },
    { rule: 'of another workspace than its owner', given: spent(10, { slot: 'blue' }) },
    { rule: 'of a period that has ended', given: spent(10, { resetsAtMs: START - 1 }) },
    { rule: 'of a period that is far from having begun', given: spent(10, { periodStartMs: START + WEEK_MS }) },
  ])('is not taken from a row $rule', async ({ given }) => {
    await using world = await stage();
    await world.report(given);
    expect(world.writes).toEqual([]);
  });
});

test('fleets of a workspace are believed about their own workspace only', async () => {
  await using world = await stage();
  const fleet = (workspace: string) => ({ owner: 'workspace', served: new Set([workspace]) }) as const;
  world.tracker.note([spent(10)], fleet('blue'));
  await world.pass(1_000);
  expect(world.writes).toEqual([]);
  expect(world.tracker.totals(fleet('blue'))).toEqual([]);
  world.tracker.note([spent(10)], fleet('red'));
  await world.pass(1_000);
  expect(world.used).toBe('100%');
  expect(world.tracker.totals(fleet('red')).length).toBe(1);
});

describe('a store that came back empty', () => {
  test('is told the totals of the lives before', async () => {
    await using world = await stage();
    await world.report(spent(6));
    expect(await world.report(spent(1, { generation: 'g2' }))).toEqual([
      { id: 'key/red/app|main', slot: 'red', periodStartMs: START, generation: 'g1', used: 6_000_000_000 },
    ]);
    expect(await world.report(spent(7, { generation: 'g2' }))).toEqual([]);
    expect(await world.report(spent(6.5, { generation: 'g2' }))).toEqual([]);
  });

  test('is told nothing of a period that has ended', async () => {
    await using world = await stage();
    await world.report(spent(6, { resetsAtMs: START + 1_000 }));
    await world.pass(2_000);
    expect(world.tracker.totals(ORGANISATION)).toEqual([]);
  });
});

describe('a new leader', () => {
  const usage = [
    {
      ...{ name: 'main', type: 'cost', limit: '10', used: '10', usedPercent: 100 },
      ...{ periodStartTime: '2026-01-01T00:00:00Z', nextResetTime: '2026-01-08T00:00:00Z' },
      exhaustedTime: '2026-01-01T00:00:00Z',
    },
  ];
  const seen = key({ status: { usage } });

  test('writes nothing and announces nothing that the last one has', async () => {
    await using world = await stage([WORKSPACE, seen]);
    await world.report(spent(10));
    await world.pass(60_000);
    expect([world.writes, world.events]).toEqual([[], []]);
    expect(world.tracker.exhaustionOf(seen)?.reason).toBe('Exhausted');
  });

  test('waits for all pods before it shows less than the last one has', async () => {
    await using world = await stage([WORKSPACE, seen]);
    await world.report(spent(9));
    expect(world.writes).toEqual([]);
    await world.pass(11_000);
    expect(world.writes).toMatchObject([{ used: '90%', exhausted: undefined }]);
  });

  test('ends what is over although no pod reports it', async () => {
    await using world = await stage([
      WORKSPACE,
      key({ status: { usage: [{ ...usage[0], nextResetTime: '2026-01-01T00:00:05Z' }] } }),
    ]);
    await world.pass(5_200);
    expect(world.writes).toEqual([{ exhausted: undefined }]);
  });

  test('sends the alerts that the last one has not sent', async () => {
    await using world = await stage([WORKSPACE, seen]);
    await world.pass(200);
    expect(world.alerts.map(({ kind, row: { name } }) => [kind, name])).toEqual([['exhausted', 'main']]);
    await using other = await stage([
      WORKSPACE,
      key({ status: { usage: [{ ...usage[0], exhaustedSentTime: '2026-01-01T00:00:00Z' }] } }),
    ]);
    await other.pass(200);
    expect(other.alerts).toEqual([]);
  });
});

test('statuses of a thousand objects are written at fifty a second, those that are up first', async () => {
  const names = Array.from({ length: 1_000 }, (_, i) => `k${i}`);
  const keys = names.map((name) => key({ metadata: { name, namespace: 'team-red' } }));
  await using world = await stage([WORKSPACE, ...keys]);
  const rows = names.map((name, i) =>
    spent(i === 999 ? 10 : 5, {
      id: `key/red/${name}|main`,
      owner: { kind: 'key', id: `key/red/${name}`, slug: name },
    }),
  );
  await world.report(...rows);
  expect(world.writes[0]).toMatchObject({ used: '100%' });
  await world.pass(800);
  expect(world.writes.length).toBe(50);
});
