/** The request log in the engine of ClickHouse, over its HTTP interface and through its official client. */
import { createClickHouseStore } from '../../../gateway/src/request-log/index.ts';
import { startClickHouse } from '../../clickhouse/index.ts';
import { describeServedLogStore } from '../../conformance/request-log/log-stores.ts';

describeServedLogStore('ClickHouse', async () => {
  const server = await startClickHouse();
  const store = createClickHouseStore({ url: server.url });
  return {
    store,
    stranger: () => createClickHouseStore({ url: server.url.replace(/:[^:@]+@/, ':wrong@') }),
    rows: server.rows,
    stop: server.stop,
    start: server.start,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await server[Symbol.asyncDispose]();
    },
  };
});
