import { LOG_GROUP_COLUMNS, LOG_GROUPS } from '@gatehouse/crds/rest';
import { expect, test } from 'vitest';
import { CONTRACT_CALLS } from '../contract.ts';
import type { StageOf } from '../world.ts';

export function testRecords(stage: StageOf): void {
  test('feedback', async () => {
    const { client, world } = stage();
    const query = { workspace_id: world.workspace };
    const body = { trace_id: 'trace-1', value: 5, weight: 0.5, metadata: { by: 'a tester' } };
    const list = { query, body: [body, { trace_id: 'trace-1', value: -10 }] };
    expect((await client.call('POST /feedback', list)).body).toMatchObject({ status: 'success' });
    const { body: made } = await client.call('POST /feedback', { query, body });
    await client.call('POST /feedback', { query, body: { ...body, value: 11 }, status: 400 });
    const [id = ''] = made.feedback_ids;
    const change = { value: -1, weight: 1, metadata: {} };
    const { body: changed } = await client.call('PUT /feedback/{id}', { path: { id }, body: change });
    expect(changed).toMatchObject({ status: 'success', feedback_ids: [id] });
  });

  test('logs', async () => {
    const { client, world } = stage();
    const path = { logId: '00000000-0000-4000-8000-000000000000' };
    await client.call('GET /logs', { query: { workspace_id: world.workspace } });
    await client.call('GET /logs/{logId}', { path, status: 404, isSample: true });
    await client.call('GET /logs/{logId}', { path, query: { path_format: 'v2' }, status: 400 });
  });

  test('analytics', async () => {
    const { client, world } = stage();
    const query = {
      time_of_generation_min: '2027-01-01T00:00:00Z',
      time_of_generation_max: '2027-01-02T00:00:00Z',
      workspace_slug: world.workspace,
    };
    const graphs = CONTRACT_CALLS.filter((call) => call.startsWith('GET /analytics/') && !call.includes('{'));
    expect(graphs.length).toBeGreaterThanOrEqual(20);
    for (const call of graphs) {
      const { body } = await client.call(call, { query });
      expect(body, call).toMatchObject(call.includes('/groups/') ? { total: 0, data: [] } : { summary: {} });
      await client.call(call, { query: { ...query, status_code: 'teapot' }, status: 400 });
    }
    const path = { metadataKey: 'team' };
    await client.call('GET /analytics/groups/metadata/{metadataKey}', { path, query });
    for (const call of ['GET /analytics/groups/{groupBy}', 'GET /logs/groups/{groupBy}'] as const) {
      const columns = { columns: LOG_GROUP_COLUMNS.join(',') };
      for (const groupBy of LOG_GROUPS) {
        const of = call.startsWith('GET /logs') ? {} : query;
        await client.call(call, { path: { groupBy }, query: { ...columns, ...of } });
      }
      await client.call(call, { path: { groupBy: 'colour' }, status: 400 });
      await client.call(call, { path: { groupBy: 'model' }, query: { columns: 'colour' }, status: 400 });
    }
  });
}
