/** A standalone process reads its request log where it writes it, also beside a database of people in its data folder. */
import { startPostgres } from '@gatehouse/test/kit';
import { test } from 'vitest';
import { expectOwnRow } from '../../kit/standalone-logs.ts';

test.for(['GATEHOUSE_LOGS_DATABASE_URL', 'DATABASE_URL'])('the database that %s names', async (variable) => {
  await using postgres = await startPostgres();
  await expectOwnRow({ [variable]: await postgres.database() });
});
