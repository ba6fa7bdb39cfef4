/** Which request of a log in ClickHouse `gatehouse replay TRACE` makes the decision about. */
import type { LogRow } from '@gatehouse/crds/logs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClickHouseStore } from '../../../gateway/src/request-log/index.ts';
import { writeRecords } from '../../../gateway/src/request-log/testing.ts';
import { runInTest } from '../../../standalone/src/cli/testing.ts';
import { type TempFolder, tempFolder } from '../../../standalone/src/testing/index.ts';
import { type ClickHouseServer, startClickHouse } from '../../clickhouse/index.ts';
import { logRow } from '../../kit/log-row.ts';

const START = Date.UTC(2026, 0, 31, 12);
const RESOURCES = `
apiVersion: gatehouse.dev/v1alpha1
kind: Workspace
metadata: { name: team-a }
spec: { namespace: team-a }
---
apiVersion: v1
kind: Secret
metadata: { name: app-key, namespace: team-a }
stringData: { key: gwk_app_0123456789abcdef0123456789 }
---
apiVersion: gatehouse.dev/v1alpha1
kind: ApiKey
metadata: { name: app, namespace: team-a }
spec:
  displayName: App
  type: workspace-service
  scopes: [completions.write]
  secretRef: { name: app-key, key: key }
`;
const KEPT = { url: '/v1/chat/completions', method: 'POST', gwHeaders: {}, body: { model: 'gpt-4o', messages: [] } };

/** Later with each row. */
const rows = (...given: readonly Partial<LogRow>[]): readonly LogRow[] =>
  given.map((over, at) => logRow({ created_at: START + at * 1_000, ...over }));

const ROWS = rows(
  { trace_id: 'both', api_key: 'key-of-the-request' },
  { trace_id: 'both', api_key: 'key-of-the-client', source: 'log' },
  { trace_id: 'clients', api_key: 'key-of-the-client', source: 'log' },
  { trace_id: 'shared', api_key: 'key-of-a', workspace: 'team-a' },
  { trace_id: 'shared', api_key: 'key-of-b', workspace: 'team-b' },
  { trace_id: 'shared', api_key: 'key-of-c', workspace: 'team-c', source: 'log' },
  { trace_id: "it's twice", api_key: 'key-of-the-first' },
  { trace_id: "it's twice", api_key: 'key-of-the-second', source: 'realtime' },
  { trace_id: 'kept', api_key: 'key/team-a/app', document: 'database' },
  { trace_id: 'not-kept', api_key: 'key/team-a/app' },
);

let server: ClickHouseServer;
let folder: TempFolder;
beforeAll(async () => {
  server = await startClickHouse();
  folder = tempFolder({ 'team.yaml': RESOURCES });
  const store = createClickHouseStore({ url: server.url });
  const records = ROWS.map((row) => ({
    row,
    content: row.document === 'database' ? JSON.stringify({ request: KEPT }) : undefined,
  }));
  await writeRecords(store, records);
  await store.close();
});
afterAll(async () => {
  folder?.[Symbol.dispose]();
  await server?.[Symbol.asyncDispose]();
});

const replay = (...args: readonly string[]) =>
  runInTest(['replay', ...args, '--resources', folder.path], { GATEHOUSE_LOGS_CLICKHOUSE_URL: server.url });

test.for([
  { rule: 'the one that the gateway has served', args: ['both'], wanted: 'key-of-the-request' },
  { rule: 'the newest one', args: ["it's twice"], wanted: 'key-of-the-second' },
  { rule: 'that of the workspace', args: ['shared', '--workspace', 'team-a'], wanted: 'key-of-a' },
  { rule: 'that of another one', args: ['shared', '-w', 'team-b'], wanted: 'key-of-b' },
])('$rule', async ({ args, wanted }) => {
  const ran = await replay(...args, '-o', 'json');
  expect([ran.err, JSON.parse(ran.out.join('\n')).rows]).toEqual([
    '',
    [expect.objectContaining({ what: 'key', recorded: wanted })],
  ]);
});

test.for([
  { trace: 'not-kept', wanted: true },
  { trace: 'kept', wanted: false },
])('headers and body are missing in $trace: $wanted', async ({ trace, wanted }) => {
  const ran = await replay(trace, '-o', 'json');
  expect(/headers were not kept/.test(JSON.parse(ran.out.join('\n')).notes.join('\n'))).toBe(wanted);
});

test.for([
  { args: ['shared'], says: 'workspaces have the trace shared; --workspace takes one of team-a, team-b' },
  { args: ['clients'], says: 'did not go through the gateway' },
  { args: ['shared', '-w', 'team-c'], says: 'in the workspace team-c did not go through the gateway' },
  { args: ['both', '-w', 'team-b'], says: 'no trace both in the workspace team-b' },
])('exit status 2: $args', async ({ args, says }) => {
  expect(await replay(...args)).toEqual({ status: 2, out: [], err: expect.stringContaining(says) });
});
