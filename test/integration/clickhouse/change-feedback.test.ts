/** PUT /v1/feedback/{id} of what guardrails gave, beside rows in ClickHouse. */
import { randomUUID } from 'node:crypto';
import { startPostgres, unwrap } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClickHouseStore } from '../../../gateway/src/request-log/index.ts';
import {
  type Caller,
  createDatabase,
  logTablesIn,
  openLogReader,
  postgresDialect,
} from '../../../operator/src/management/index.ts';
import { createTestManagement, type TestManagement } from '../../../operator/src/management/testing.ts';
import { type ClickHouseServer, startClickHouse } from '../../clickhouse/index.ts';
import { logFeedback } from '../../kit/log-row.ts';

const giver = (workspace: string): Caller => ({
  ...{ keyId: `key/${workspace}/app`, keyName: 'app', type: 'workspace-service', workspace, user: undefined },
  ...{ scopes: new Set(['feedbacks.write']), expiresAtMs: Number.POSITIVE_INFINITY },
});
const NOW = Date.UTC(2026, 2, 3, 4, 5, 6);
const GIVEN = logFeedback({
  ...{ workspace: 'team-a', trace_id: 'judged', value: -5, weight: 0.5, guardrail: 'polite' },
  // As a gateway whose clock is ahead.
  ...{ metadata: { failedChecks: 'default.contains' }, created_at: NOW + 60_000 },
});

let clickhouse: ClickHouseServer;
let management: TestManagement;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  const postgres = stack.use(await startPostgres());
  clickhouse = stack.use(await startClickHouse());
  const { url } = clickhouse;
  const store = createClickHouseStore({ url });
  await store.writeFeedback({ id: randomUUID(), records: [GIVEN, { ...GIVEN, id: randomUUID(), trace_id: 'other' }] });
  await store.close();
  const dialect = unwrap(postgresDialect({ url: await postgres.database() }));
  const database = createDatabase({ dialect, onAway: () => undefined });
  stack.defer(() => database.close());
  const { reader, close } = unwrap(openLogReader({ url }, logTablesIn(database)));
  stack.defer(close);
  const callers = { owner: giver('team-a'), stranger: giver('team-b') };
  management = await createTestManagement(['feedback'], { now: () => NOW, callers, database, logReader: reader });
  stack.defer(() => management.close());
});

afterAll(() => stack.disposeAsync());

const kept = () =>
  clickhouse.rows(`select trace_id, value, weight, metadata, guardrail, updated_at > created_at as is_changed
    from gateway_logs.feedback final order by trace_id`);
const { trace_id, value, weight, metadata, guardrail } = GIVEN;
const UNCHANGED = { trace_id, value, weight, metadata, guardrail, is_changed: 0 };

test('nobody changes what another workspace has, and no id is found that is none', async () => {
  const put = (caller: 'owner' | 'stranger', id: string) =>
    management.call(caller, 'PUT', `/feedback/${id}`, { value: 1 });
  for (const answer of [
    await put('stranger', GIVEN.id),
    await put('owner', randomUUID()),
    await put('owner', "' or 1"),
  ])
    expect(answer.status).toBe(404);
  expect(await kept()).toEqual([UNCHANGED, { ...UNCHANGED, trace_id: 'other' }]);
});

test('what is named changes, and all else stays, each time', async () => {
  const put = (body: object) => management.call('owner', 'PUT', `/feedback/${GIVEN.id.toUpperCase()}`, body);
  expect((await put({ value: 7 })).body).toMatchObject({ status: 'success', feedback_ids: [GIVEN.id] });
  const others = { ...UNCHANGED, trace_id: 'other' };
  expect(await kept()).toEqual([{ ...UNCHANGED, value: 7, is_changed: 1 }, others]);
  expect((await put({ value: 3, weight: 1, metadata: { by: "o'clock \ud83d\ude00" } })).status).toBe(200);
  const changed = { value: 3, weight: 1, metadata: { by: "o'clock \ud83d\ude00" }, is_changed: 1 };
  expect(await kept()).toEqual([{ ...UNCHANGED, ...changed }, others]);
  expect((await put({ value: 4 })).status).toBe(200);
  expect(await kept()).toEqual([{ ...UNCHANGED, ...changed, value: 4 }, others]);
});
