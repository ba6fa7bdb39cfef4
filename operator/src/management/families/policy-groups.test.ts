import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { GroupCounter, PolicyPlace } from '../index.ts';
import { createTestManagement, type TestManagement } from '../testing.ts';

const START = Date.UTC(2027, 0, 15);
const DAY_MS = 86_400_000;
const PERIOD = { periodStartMs: Date.UTC(2027, 0, 1), resetsAtMs: Date.UTC(2027, 1, 1) };

let management: TestManagement;
let counters: readonly GroupCounter[] | undefined;
let asked: PolicyPlace | undefined;
let nowMs = START;
let id: string;
beforeAll(async () => {
  const usage = {
    countersOf: async (policy: PolicyPlace) => {
      asked = policy;
      return counters;
    },
  };
  management = await createTestManagement(['policies'], { usage, now: () => nowMs });
});
afterAll(() => management.close());
beforeEach(async () => {
  nowMs = START;
  counters = [spent('metadata.team:red', 40), spent('metadata.team:blue', 100), spent('metadata.team:green', 7)];
  id = await make({ periodic_reset: 'monthly' });
});

const spent = (group: string, used: number, over: Partial<GroupCounter> = {}): GroupCounter => ({
  ...{ group, used, type: 'requests', ...PERIOD },
  ...over,
});
const call: TestManagement['call'] = (...args) => management.call(...args);
async function make(body: object): Promise<string> {
  const policy = {
    ...{ name: 'Teams', type: 'requests', credit_limit: 100 },
    ...{ conditions: [{ key: 'model', value: '*' }], group_by: [{ key: 'metadata.team' }] },
  };
  const answer = await call('a', 'POST', '/policies/usage-limits', { ...policy, ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return String(answer.body['id']);
}
const entities = async (query = '') => (await call('a', 'GET', `/policies/usage-limits/${id}/entities${query}`)).body;
const rows = async (query = '') =>
  ((await entities(query))['data'] as { value_key: string; current_usage: number }[]).map(
    ({ value_key, current_usage }) => `${value_key.split(':')[1]} ${current_usage}`,
  );
const put = (body: object) => call('a', 'PUT', `/policies/usage-limits/${id}`, body);
const specOf = async () => (await management.store.find('UsageLimitPolicy', id))?.spec;

describe('the groups of a policy', () => {
  test('are listed with what they have used, the nearest to their end first, in pages', async () => {
    const all = await entities();
    expect(all).toMatchObject({
      object: 'list',
      total: 3,
      data: [
        { value_key: 'metadata.team:blue', current_usage: 100, status: 'exhausted' },
        { value_key: 'metadata.team:red', current_usage: 40, status: 'active' },
        { value_key: 'metadata.team:green', current_usage: 7, status: 'active' },
      ],
    });
    expect(await rows('?page_size=1&current_page=1')).toEqual(['red 40']);
    expect(await rows('?status=exhausted')).toEqual(['blue 100']);
    expect(await rows('?search=gre')).toEqual(['green 7']);
    expect(asked).toMatchObject({ namespace: 'team-a', workspace: 'team-a' });
    expect(await entities()).toEqual(all);
  });

  test('are those of the current period and of what is counted', async () => {
    counters = [spent('metadata.team:old', 1, { resetsAtMs: START }), spent('metadata.team:cost', 1, { type: 'cost' })];
    expect(await entities()).toMatchObject({ total: 0, data: [] });
  });

  test('have their costs in US dollars', async () => {
    id = await make({ type: 'cost' });
    counters = [spent('metadata.team:red', 1_250_000_000, { type: 'cost' })];
    expect(await rows()).toEqual(['red 1.25']);
  });

  test('are a map of the policy with include_usage', async () => {
    const policy = async (query: string) => (await call('a', 'GET', `/policies/usage-limits/${id}${query}`)).body;
    expect((await policy('?include_usage=true'))['value_key_usage_map']).toEqual({
      'metadata.team:blue': 100,
      'metadata.team:green': 7,
      'metadata.team:red': 40,
    });
    expect(await policy('?include_usage=false')).not.toHaveProperty('value_key_usage_map');
  });

  test('are unknown while nobody says what was used: 503', async () => {
    counters = undefined;
    expect(await call('a', 'GET', `/policies/usage-limits/${id}/entities`)).toMatchObject({ status: 503 });
  });

  test('of another workspace are not there', async () => {
    expect((await call('b', 'GET', `/policies/usage-limits/${id}/entities`)).status).toBe(404);
    const reset = `/policies/usage-limits/${id}/entities/metadata.team:blue/reset`;
    expect((await call('b', 'PUT', reset)).status).toBe(404);
    expect((await call('reader', 'PUT', reset)).status).toBe(403);
    expect((await specOf())?.groupResets).toBeUndefined();
  });
});

describe('a reset of a group', () => {
  const at = new Date(START).toISOString();

  test('by its id leaves the others, and shows nothing used until something is', async () => {
    const [{ id: blue = '' } = {}] = (await entities())['data'] as { id: string }[];
    const reset = await call('a', 'PUT', `/policies/usage-limits/${id}/entities/${blue}/reset`);
    expect(reset).toEqual({ status: 200, body: {} });
    expect((await specOf())?.groupResets).toEqual([{ group: 'metadata.team:blue', at }]);
    expect(await rows()).toEqual(['red 40', 'green 7', 'blue 0']);
    expect(await rows('?status=exhausted')).toEqual([]);
    counters = [spent('metadata.team:blue', 3, { periodStartMs: START })];
    expect(await rows()).toEqual(['blue 3']);
  });

  test('by its values, in the path or with reset_usage_for_value', async () => {
    await call('a', 'PUT', `/policies/usage-limits/${id}/entities/metadata.team:red/reset`);
    expect((await put({ reset_usage_for_value: 'metadata.team:blue', credit_limit: 120 })).status).toBe(200);
    expect(await specOf()).toMatchObject({
      creditLimit: '120',
      groupResets: [
        { group: 'metadata.team:red', at },
        { group: 'metadata.team:blue', at },
      ],
    });
  });

  test('of a group that nobody knows is 404 in the path, and 400 with values of another key', async () => {
    const reset = (entity: string) => call('a', 'PUT', `/policies/usage-limits/${id}/entities/${entity}/reset`);
    for (const entity of ['nobody', '00000000-0000-4000-8000-000000000001']) {
      expect((await reset(entity)).status).toBe(404);
    }
    const answer = await put({ reset_usage_for_value: 'api_key:team-a/app' });
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param: 'reset_usage_for_value' } }]);
    expect((await put({ reset_usage_for_value: `metadata.team:${'x'.repeat(200)}` })).status).toBe(400);
    expect((await put({ reset_usage_for_value: 'overflow' })).status).toBe(200);
  });

  test('replaces its last one, and those of periods that are over go', async () => {
    await put({ reset_usage_for_value: 'metadata.team:red' });
    nowMs += DAY_MS;
    await put({ reset_usage_for_value: 'metadata.team:blue' });
    await put({ reset_usage_for_value: 'metadata.team:red' });
    expect((await specOf())?.groupResets?.map(({ group }) => group)).toEqual([
      'metadata.team:blue',
      'metadata.team:red',
    ]);
    nowMs += 31 * DAY_MS;
    await put({ reset_usage_for_value: 'metadata.team:green' });
    expect((await specOf())?.groupResets).toEqual([
      { group: 'metadata.team:green', at: new Date(nowMs).toISOString() },
    ]);
  });

  test('is refused when too many groups have one in a period that never ends', async () => {
    id = await make({});
    const found = await management.store.find('UsageLimitPolicy', id);
    const groupResets = Array.from({ length: 500 }, (_, i) => ({ group: `metadata.team:${i}`, at }));
    const place = { kind: 'UsageLimitPolicy', namespace: 'team-a', name: found?.meta.name ?? '' } as const;
    await management.store.update(place, ({ spec }) => ({ spec: { ...spec, groupResets } }), { force: false });
    expect(await put({ reset_usage_for_value: 'metadata.team:more' })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('resetUsageAt') },
    });
    expect((await put({ reset_usage_for_value: 'metadata.team:7' })).status).toBe(200);
  });
});
