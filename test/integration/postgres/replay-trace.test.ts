/** Which request of a log in PostgreSQL `gatehouse replay TRACE` makes the decision about. */
import { join } from 'node:path';
import type { LogRow } from '@gatehouse/crds/logs';
import { startPostgres } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostgresStore } from '../../../gateway/src/request-log/index.ts';
import { writeRecords } from '../../../gateway/src/request-log/testing.ts';
import { postgresDialect } from '../../../gateway/src/store/index.ts';
import { runInTest } from '../../../standalone/src/cli/testing.ts';
import { type TempFolder, tempFolder } from '../../../standalone/src/testing/index.ts';
import { logRow } from '../../kit/log-row.ts';

const START = Date.UTC(2026, 0, 31, 12);

const API = 'apiVersion: gatehouse.dev/v1alpha1';
const RESOURCES = `
${API}
kind: Workspace
metadata: { name: team-a }
spec: { namespace: team-a }
---
apiVersion: v1
kind: Secret
metadata: { name: app-key, namespace: team-a }
stringData: { key: gwk_app_0123456789abcdef0123456789 }
---
${API}
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
  { trace_id: 'twice', api_key: 'key-of-the-first' },
  { trace_id: 'twice', api_key: 'key-of-the-second', source: 'realtime' },
  { trace_id: 'stored', api_key: 'key/team-a/app', document: 'day/stored.json' },
  { trace_id: 'gone', api_key: 'key/team-a/app', document: 'day/gone.json' },
  { trace_id: 'outside', api_key: 'key/team-a/app', document: '../outside.json' },
);

let url: string;
let folder: TempFolder;
let documents: TempFolder;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  const server = await startPostgres();
  closing.push(() => server[Symbol.asyncDispose]());
  url = await server.database();
  folder = tempFolder({ 'team.yaml': RESOURCES });
  closing.push(() => folder[Symbol.dispose]());
  const stored = ROWS.find(({ trace_id }) => trace_id === 'stored');
  const document = { id: stored?.id, workspace: stored?.workspace, content: { request: KEPT } };
  documents = tempFolder({ 'store/day/stored.json': JSON.stringify(document), 'outside.json': '{}' });
  closing.push(() => documents[Symbol.dispose]());
  const store = createPostgresStore(postgresDialect({ url }));
  await writeRecords(
    store,
    ROWS.map((row) => ({ row, content: undefined })),
  );
  await store.close();
});
afterAll(async () => {
  for (const close of closing) await close();
});

const replay = (...args: readonly string[]) =>
  runInTest(['replay', ...args, '--resources', folder.path], { GATEHOUSE_LOGS_DATABASE_URL: url });

test.for([
  { rule: 'the one that the gateway has served', args: ['both'], wanted: 'key-of-the-request' },
  { rule: 'the newest one', args: ['twice'], wanted: 'key-of-the-second' },
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
  { args: ['shared'], says: 'workspaces have the trace shared; --workspace takes one of team-a, team-b' },
  { args: ['clients'], says: 'did not go through the gateway' },
  { args: ['shared', '-w', 'team-c'], says: 'in the workspace team-c did not go through the gateway' },
  { args: ['both', '-w', 'team-b'], says: 'no trace both in the workspace team-b' },
])('exit status 2: $args', async ({ args, says }) => {
  expect(await replay(...args)).toEqual({ status: 2, out: [], err: expect.stringContaining(says) });
});

describe('a document in a store of objects', () => {
  const notesOf = async (trace: string, variables: Readonly<Record<string, string>>) => {
    const args = ['replay', trace, '--resources', folder.path, '-o', 'json'];
    const ran = await runInTest(args, { GATEHOUSE_LOGS_DATABASE_URL: url, ...variables });
    expect(ran.err).toBe('');
    return JSON.parse(ran.out.join('\n')).notes.join('\n');
  };
  const inStore = () => ({ LOG_STORE: 'folder', GATEHOUSE_LOGS_DIR: join(documents.path, 'store') });

  test('is read from there', async () => {
    expect(await notesOf('stored', inStore())).not.toMatch(/document|headers|body/);
  });

  test.for([
    { rule: 'that is gone', trace: 'gone', says: /^Its document is no longer.*\nheaders were not kept/ },
    {
      rule: 'that no gateway has named',
      trace: 'outside',
      says: /^Its document is no longer.*\nheaders were not kept/,
    },
  ])('$rule is said', async ({ trace, says }) => {
    expect(await notesOf(trace, inStore())).toMatch(says);
  });

  test('that is not named is said', async () => {
    expect(await notesOf('stored', {})).toMatch(/^its document is in a store.*LOG_STORE.*\nheaders were not kept/);
  });

  test('whose settings are wrong: exit status 2', async () => {
    const variables = { GATEHOUSE_LOGS_DATABASE_URL: url, LOG_STORE: 's3' };
    const ran = await runInTest(['replay', 'stored', '--resources', folder.path], variables);
    expect([ran.status, ran.err]).toEqual([2, expect.stringContaining('LOG_STORE')]);
  });
});
