/** Files and batches in a real PostgreSQL: the suite of all stores, and what happens while it is away. */
import { startPostgres } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { createPostgresJobs } from '../../../gateway/src/batches/index.ts';
import { StoreFailure } from '../../../gateway/src/object-storage/index.ts';
import { describeFollowedStore } from '../../conformance/batches/followed-stores.ts';
import { describeJobStore } from '../../conformance/batches/job-stores.ts';

for (const describeStore of [describeJobStore, describeFollowedStore]) {
  describeStore('PostgreSQL', async () => {
    const server = await startPostgres();
    const url = await server.database();
    const close = () => server[Symbol.asyncDispose]();
    return { open: async () => createPostgresJobs({ url }), [Symbol.asyncDispose]: close };
  });
}

test('a database that is away is a failure of the store, until it is back', async () => {
  await using server = await startPostgres();
  const jobs = createPostgresJobs({ url: await server.database() });
  expect(await jobs.files('team', { limit: 1 })).toEqual({ items: [], hasMore: false });
  await server.stop();
  await expect(jobs.files('team', { limit: 1 })).rejects.toBeInstanceOf(StoreFailure);
  await server.start();
  expect(await jobs.files('team', { limit: 1 })).toEqual({ items: [], hasMore: false });
  await jobs.close();
});

test.for(['mysql://ada:hidden@host/db', 'postgres://hidden', 'postgres://ada:hidden@host/db?x=1'])(
  '%s is no URL',
  (url) => {
    let message = '';
    try {
      createPostgresJobs({ url });
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('The URL of PostgreSQL');
    expect(message).not.toContain('hidden');
  },
);
