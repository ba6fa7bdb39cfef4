/** Records that clients bring are found by the management API, as those of requests are. */
import { startPostgres, unwrap } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { type Caller, createDatabase, postgresDialect } from '../../../operator/src/management/index.ts';
import { createTestManagement } from '../../../operator/src/management/testing.ts';
import { startGateway } from '../../kit/gateway.ts';
import { KEY, key, TEAM, workspace } from '../../kit/snapshot.ts';
import { waitFor } from '../../kit/wait-for.ts';

const caller: Caller = {
  ...{ keyId: `key/${TEAM}/main`, keyName: 'main', type: 'workspace-service', workspace: TEAM, user: undefined },
  scopes: new Set(['logs.view', 'logs.list']),
  expiresAtMs: Number.POSITIVE_INFINITY,
};

test('a record is seen by GET /v1/logs, with what was said', async () => {
  await using server = await startPostgres();
  const url = await server.database();
  await using gateway = await startGateway({
    env: { GATEHOUSE_LOGS_DATABASE_URL: url },
    entries: [workspace(), key({ scopes: ['logs.write'] })],
  });
  const createdAt = new Date(Date.now() - 3 * 86_400_000).toISOString();
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] };
  const told = await gateway.send('/v1/logs', {
    body: [
      { request: { url: '/v1/chat/completions', provider: 'openai', body }, createdAt, trace_id: 'told' },
      { request: { url: '/v1/embeddings' }, metadata: { trace_id: 'also\u0000 told' } },
    ],
    headers: { 'x-gw-api-key': KEY },
  });
  expect([told.status, told.text]).toEqual([200, 'ok']);
  const database = createDatabase({ dialect: unwrap(postgresDialect({ url })), onAway: () => undefined });
  const management = await createTestManagement(['logs'], { now: Date.now, database, callers: { main: caller } });
  try {
    const list = await waitFor(
      async () => {
        const { status, body: answer } = await management.call('main', 'GET', '/logs');
        const rows = status === 200 ? (answer['data'] as { id: string; trace_id: string }[]) : [];
        return rows.length === 2 ? rows : undefined; // they are counted in a statement of its own
      },
      { what: 'two rows' },
    );
    expect(list.map(({ trace_id }) => trace_id)).toEqual(['also told', 'told']);
    const shown = await management.call('main', 'GET', `/logs/${list[1]?.id}`);
    expect(shown.body).toMatchObject({ request: { url: '/v1/chat/completions', body }, created_at: expect.anything() });
  } finally {
    await management.close();
    await database.close();
  }
});
