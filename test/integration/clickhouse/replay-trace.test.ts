/** Which request of a log in ClickHouse `gatehouse replay TRACE` makes the decision about. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClickHouseStore } from '../../../gateway/src/request-log/index.ts';
import { writeRecords } from '../../../gateway/src/request-log/testing.ts';
import { runInTest } from '../../../standalone/src/cli/testing.ts';
import { type TempFolder, tempFolder } from '../../../standalone/src/testing/index.ts';
import { type ClickHouseServer, startClickHouse } from '../../clickhouse/index.ts';
import { KEPT, RESOURCES, type Replay, testTraces, tracesWith } from '../suites/replay-trace.ts';

const ROWS = tracesWith(
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

const replay: Replay = (...args) =>
  runInTest(['replay', ...args, '--resources', folder.path], { GATEHOUSE_LOGS_CLICKHOUSE_URL: server.url });

testTraces(replay);

test.for([
  { trace: 'not-kept', wanted: true },
  { trace: 'kept', wanted: false },
])('headers and body are missing in $trace: $wanted', async ({ trace, wanted }) => {
  const ran = await replay(trace, '-o', 'json');
  expect(/headers were not kept/.test(JSON.parse(ran.out.join('\n')).notes.join('\n'))).toBe(wanted);
});
