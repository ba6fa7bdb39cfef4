/** A standalone process reads its request log where it writes it. */
import { test } from 'vitest';
import { startClickHouse } from '../../clickhouse/index.ts';
import { expectOwnRow } from '../../kit/standalone-logs.ts';

test('ClickHouse, beside a database of people in the data folder', async () => {
  await using clickhouse = await startClickHouse();
  await expectOwnRow({ GATEHOUSE_LOGS_CLICKHOUSE_URL: clickhouse.url });
});
