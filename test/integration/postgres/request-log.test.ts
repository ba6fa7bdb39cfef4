/** The request log in a real PostgreSQL. */
import { startPostgres } from '@gatehouse/test/kit';
import { createPostgresStore, postgresDialect } from '../../../gateway/src/request-log/index.ts';
import { describeLogStore } from '../../conformance/request-log/log-stores.ts';

describeLogStore('PostgreSQL', async () => {
  const server = await startPostgres();
  const url = await server.database();
  const name = new URL(url).pathname.slice(1);
  const store = createPostgresStore(postgresDialect({ url }));
  return {
    store,
    stranger: () => createPostgresStore(postgresDialect({ url: url.replace(/:[^:@]+@/, ':wrong@') })),
    rows: async (query) => JSON.parse(await server.sql(query, name)),
    stop: server.stop,
    start: server.start,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await server[Symbol.asyncDispose]();
    },
  };
});
