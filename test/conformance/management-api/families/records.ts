import { LOG_GROUP_COLUMNS, LOG_GROUPS } from '@gatehouse/crds/rest';
import { waitFor } from '@gatehouse/test/kit';
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

  test('exports of logs', async () => {
    const { client, world } = stage();
    const { workspace: workspace_id } = world;
    const query = { workspace_id };
    const draft = { workspace_id, filters: { page_size: 10 }, requested_data: ['id', 'trace_id'] };
    const create = async () => (await client.call('POST /logs/exports', { body: draft })).body;
    const [{ id: exportId }, { id: other }] = [await create(), await create()];
    await client.call('POST /logs/exports', { body: { ...draft, requested_data: [] }, status: 400 });
    const path = { exportId };
    const body = { filters: { status_code: '200' } };
    await client.call('PUT /logs/exports/{exportId}', { path, body });
    await client.call('GET /logs/exports/{exportId}/download', { path, status: 409 });
    await client.call('POST /logs/exports/{exportId}/start', { path });
    const get = async () => (await client.call('GET /logs/exports/{exportId}', { path })).body;
    await waitFor(async () => (await get()).status === 'success', { what: 'the end of the export' });
    const { signed_url } = (await client.call('GET /logs/exports/{exportId}/download', { path })).body;
    const file = await (world.fetch ?? fetch)(signed_url, {});
    expect([file.status, await file.text()]).toEqual([200, '']);
    await client.call('POST /logs/exports/{exportId}/cancel', { path: { exportId: other } });
    expect((await client.call('GET /logs/exports', { query })).body).toMatchObject({ total: 2 });
    const denied = await client.call('GET /logs/exports/field-restrictions', { query });
    expect(denied.body).toEqual({ denied_fields: [] });
  });
}
