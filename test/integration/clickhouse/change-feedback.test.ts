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

const away: unknown[] = [];
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
  const { reader, close } = unwrap(
    openLogReader({ url, onAway: (error) => void away.push(error) }, logTablesIn(database)),
  );
  stack.defer(close);
  const reading: Caller = { ...giver('team-a'), scopes: new Set(['logs.list', 'logs.view']) };
  const callers = { owner: giver('team-a'), stranger: giver('team-b'), reader: reading };
  management = await createTestManagement(['feedback', 'logs'], {
    now: () => NOW,
    callers,
    database,
    logReader: reader,
  });
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

test('a part is left out that does not have the id', async () => {
  const plan = await clickhouse.rows(
    `explain indexes = 1 select 1 from gateway_logs.feedback where id = toUUID('${randomUUID()}')`,
  );
  expect(JSON.stringify(plan)).toContain('feedback_id');
});

test('while the server is away the answer is 503, also to questions, and the log says it once', async () => {
  const put = () => management.call('owner', 'PUT', `/feedback/${randomUUID()}`, { value: 1 });
  await clickhouse.stop();
  for (let i = 0; i < 2; i += 1) {
    const { status, body } = await put();
    expect([status, JSON.stringify(body)]).toEqual([503, expect.stringContaining('cannot be reached')]);
  }
  const { status } = await management.call('reader', 'GET', '/logs');
  expect([status, away.length]).toEqual([503, 1]);
  await clickhouse.start();
  expect((await put()).status).toBe(404);
});
