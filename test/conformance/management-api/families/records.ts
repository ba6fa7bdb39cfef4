import { expect, test } from 'vitest';
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
}
