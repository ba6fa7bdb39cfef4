/** Who sees which rows of a log in ClickHouse, with exports and feedback of people in PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { startPostgres, unwrap } from '@gatehouse/test/kit';
import { createClickHouseStore } from '../../../gateway/src/request-log/index.ts';
import { writeRecords } from '../../../gateway/src/request-log/testing.ts';
import { createDatabase, logTablesIn, openLogReader, postgresDialect } from '../../../operator/src/management/index.ts';
import { createTestManagement } from '../../../operator/src/management/testing.ts';
import { startClickHouse } from '../../clickhouse/index.ts';
import { describeVisibleRows, ONE_OF_EACH } from '../suites/visible-rows/index.ts';

const fail = (error: unknown): never => {
  throw error;
};

describeVisibleRows(async (options) => {
  const stack = new AsyncDisposableStack();
  const postgres = stack.use(await startPostgres());
  const { url } = stack.use(await startClickHouse());
  const dialect = unwrap(postgresDialect({ url: await postgres.database() }));
  const database = createDatabase({ dialect, onAway: fail });
  stack.defer(() => database.close());
  const { reader, close } = unwrap(openLogReader({ url, onAway: fail }, logTablesIn(database)));
  stack.defer(close);
  const store = createClickHouseStore({ url });
  stack.defer(() => store.close());
  const management = await createTestManagement(['logs'], { ...options, database, logReader: reader });
  stack.defer(() => management.close());
  return {
    management,
    write: (rows) =>
      writeRecords(
        store,
        rows.map((row) => ({ row, content: undefined })),
      ),
    judge: (records) => store.writeFeedback({ id: randomUUID(), records }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}, ONE_OF_EACH);
