import { expect, test } from 'vitest';
import type { StageOf } from '../world.ts';

const SELECTION = {
  conditions: [{ key: 'model', value: '@openai/*', excludes: '@openai/o1' }],
  group_by: [{ key: 'api_key' }],
};

export function testPolicies(stage: StageOf): void {
  test('rate limit policies', async () => {
    const { client, world } = stage();
    const { workspace: workspace_id } = world;
    const policy = { ...SELECTION, name: 'Slow', type: 'requests', unit: 'rpm', value: 10, workspace_id };
    const { body: made } = await client.call('POST /policies/rate-limits', { body: { ...policy, slug: 'slow' } });
    await client.call('POST /policies/rate-limits', { body: { ...policy, slug: 'slow' }, status: 409 });
    await client.call('POST /policies/rate-limits', { body: { ...policy, value: -1 }, status: 400 });
    const path = { rateLimitsPolicyId: made.id };
    const get = async () => (await client.call('GET /policies/rate-limits/{rateLimitsPolicyId}', { path })).body;
    expect(await get()).toMatchObject({ id: made.id, name: 'Slow', value: 10, unit: 'rpm', type: 'requests' });
    const list = { workspace_id, type: 'requests', unit: 'rpm', current_page: '0', page_size: '10' };
    expect((await client.call('GET /policies/rate-limits', { query: list })).body).toMatchObject({
      total: 1,
      data: [{ id: made.id }],
    });
    const change = { value: 20, unit: 'rph', description: 'Why', name: 'Slower' };
    await client.call('PUT /policies/rate-limits/{rateLimitsPolicyId}', { path, body: change });
    expect(await get()).toMatchObject({ ...change, type: 'requests' });
    await client.call('DELETE /policies/rate-limits/{rateLimitsPolicyId}', { path });
    await client.call('GET /policies/rate-limits/{rateLimitsPolicyId}', { path, status: 404 });
  });

  test('usage limit policies', async () => {
    const { client, world } = stage();
    const { workspace: workspace_id } = world;
    const limits = { type: 'cost', credit_limit: 50.5, alert_threshold: 40, periodic_reset: 'monthly' };
    const policy = { ...SELECTION, ...limits, name: 'Monthly', workspace_id, slug: 'monthly' };
    const { body: made } = await client.call('POST /policies/usage-limits', { body: policy });
    await client.call('POST /policies/usage-limits', { body: policy, status: 409 });
    const path = { policyUsageLimitsId: made.id };
    const get = async () => (await client.call('GET /policies/usage-limits/{policyUsageLimitsId}', { path })).body;
    expect(await get()).toMatchObject({ ...limits, name: 'Monthly' });
    const { body: list } = await client.call('GET /policies/usage-limits', { query: { workspace_id, type: 'cost' } });
    expect(list).toMatchObject({ total: 1, data: [{ id: made.id }] });
    const change = { credit_limit: 60, periodic_reset: null, periodic_reset_days: 10 };
    await client.call('PUT /policies/usage-limits/{policyUsageLimitsId}', { path, body: change });
    expect(await get()).toMatchObject({ ...limits, ...change });
    const alert = { alert_threshold: 61 };
    await client.call('PUT /policies/usage-limits/{policyUsageLimitsId}', { path, body: alert, status: 400 });
    await client.call('GET /policies/usage-limits/{policyUsageLimitsId}/entities', { path });
    await client.call('PUT /policies/usage-limits/{policyUsageLimitsId}/entities/{entityId}/reset', {
      path: { ...path, entityId: 'no-such-group' },
      status: 404,
      isSample: true,
    });
    await client.call('DELETE /policies/usage-limits/{policyUsageLimitsId}', { path });
    await client.call('GET /policies/usage-limits/{policyUsageLimitsId}', { path, status: 404 });
  });
}
