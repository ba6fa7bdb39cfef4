/** PGlite in a thread of its own: starting it and each of its queries would block everything else. */
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import type { ThreadAnswer, ThreadCall, ThreadFailure } from './thread-messages.ts';

const port = parentPort;
if (port === null) throw new Error('This file is started as a thread');
const answer = (message: ThreadAnswer): void => port.postMessage(message);

const database: Promise<PGlite> = PGlite.create(String(workerData));
let isBroken = false;
database.catch(() => {
  isBroken = true;
});

port.on('message', async (call: ThreadCall) => {
  try {
    const pglite = await database;
    if (call.kind === 'query') {
      const { rows, affectedRows } = await pglite.query<object>(call.sql, [...call.parameters]);
      answer({ id: call.id, ok: true, rows, affectedRows });
    } else {
      await pglite.close();
      port.close();
    }
  } catch (error) {
    if (call.kind === 'query') answer({ id: call.id, ok: false, failure: toFailure(error) });
    if (isBroken || call.kind === 'close') port.close(); // the next query is one of a new thread
  }
});

function toFailure(error: unknown): ThreadFailure {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return { message, code };
}
