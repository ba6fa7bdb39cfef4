/** The request log in the data folder of a standalone process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery, Kysely } from 'kysely';
import { createPostgresStore } from '../../../gateway/src/request-log/index.ts';
import { createEmbedded } from '../../../standalone/src/database/index.ts';
import { describeLogStore } from './log-stores.ts';

describeLogStore('the data folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-logs-'));
  const { dialect } = createEmbedded(folder);
  const store = createPostgresStore(dialect);
  const reader = new Kysely<unknown>({ dialect: await dialect() });
  return {
    store,
    rows: async (query) =>
      (await reader.executeQuery<Readonly<Record<string, unknown>>>(CompiledQuery.raw(query))).rows,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([store.close(), reader.destroy()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
});
