/** Followed batches of a fleet with PostgreSQL, whose pod is killed. */
import { startPostgres } from '@gatehouse/test/kit';
import { startS3 } from '../../conformance/batches/s3-server.ts';
import { describeFollowedKills } from '../suites/followed-kills.ts';
import { storesOf } from './batch-stores.ts';

describeFollowedKills(async () => {
  const server = await startPostgres();
  const bucket = await startS3();
  return {
    env: storesOf(await server.database(), bucket),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await bucket[Symbol.asyncDispose]();
    },
  };
});
