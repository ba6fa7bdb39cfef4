/** Who sees which rows of a log in PostgreSQL. */
import { describeVisibleRows } from '../suites/visible-rows/index.ts';
import { startRequestLogWorld } from './request-log-world.ts';

describeVisibleRows(async (options) => {
  const world = await startRequestLogWorld(options);
  return { ...world, write: (rows) => world.write(...rows.map((row) => ({ row, content: undefined }))) };
});
