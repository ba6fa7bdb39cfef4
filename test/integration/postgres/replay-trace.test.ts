/** Which request of a log in PostgreSQL `gatehouse replay TRACE` makes the decision about. */
import { join } from 'node:path';
import { startPostgres } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostgresStore } from '../../../gateway/src/request-log/index.ts';
import { writeRecords } from '../../../gateway/src/request-log/testing.ts';
import { postgresDialect } from '../../../gateway/src/store/index.ts';
import { runInTest } from '../../../standalone/src/cli/testing.ts';
import { type TempFolder, tempFolder } from '../../../standalone/src/testing/index.ts';
import { KEPT, RESOURCES, type Replay, testTraces, tracesWith } from '../suites/replay-trace.ts';

const ROWS = tracesWith(
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

const replay: Replay = (...args) =>
  runInTest(['replay', ...args, '--resources', folder.path], { GATEHOUSE_LOGS_DATABASE_URL: url });

testTraces(replay);

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
