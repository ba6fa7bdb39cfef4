/** Which request of a log in PostgreSQL `gatehouse replay TRACE` makes the decision about. */
import { randomUUID } from 'node:crypto';
import type { LogRow } from '@gatehouse/crds/logs';
import { startPostgres } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPostgresStore } from '../../../gateway/src/request-log/index.ts';
import { postgresDialect } from '../../../gateway/src/store/index.ts';
import { runInTest } from '../../../standalone/src/cli/testing.ts';
import { type TempFolder, tempFolder } from '../../../standalone/src/testing/index.ts';
import { logRow } from '../../kit/log-row.ts';

const START = Date.UTC(2026, 0, 31, 12);

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
);

let url: string;
let folder: TempFolder;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  const server = await startPostgres();
  closing.push(() => server[Symbol.asyncDispose]());
  url = await server.database();
  folder = tempFolder({ 'none.yaml': '' });
  closing.push(() => folder[Symbol.dispose]());
  const store = createPostgresStore(postgresDialect({ url }));
  await store.write({ id: randomUUID(), records: ROWS.map((row) => ({ row, content: undefined })) });
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
