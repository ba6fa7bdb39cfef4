/** A process that runs exports, with the arguments URL, ROWS, MS before each read; it ends when nothing is open and says what it read. */
import { setTimeout as delay } from 'node:timers/promises';
import { unwrap } from '@gatehouse/test/kit';
import {
  createDatabase,
  createLogExports,
  logTablesIn,
  postgresDialect,
  readFile,
} from '../../../operator/src/management/index.ts';
import { exportSource } from './export-source.ts';

const [url = '', rows, waitMs] = process.argv.slice(2);
const database = createDatabase({ dialect: unwrap(postgresDialect({ url })), onAway: () => undefined });
const exports = createLogExports({
  ...{ database: logTablesIn(database), now: Date.now, isEnabled: () => true },
  source: exportSource(Number(rows), () => delay(Number(waitMs)), 'x'.repeat(2_000)),
  onFailure: (error) => process.stderr.write(`${String(error)}\n`),
});
const everything = { workspaces: undefined, creator: undefined };
const first = { limit: 1, offset: 0 };
exports.look();
let done = (await exports.jobs.list(everything, first)).rows[0];
while (done?.status === 'in_progress') {
  await delay(50);
  [done] = (await exports.jobs.list(everything, first)).rows;
}
let lines = 0;
if (done !== undefined)
  for await (const text of readFile(done, exports.jobs)) lines += text.toString().split('\n').length - 1;
await exports.close();
await database.close();
process.stdout.write(JSON.stringify({ status: done?.status, lines }));
