/** The database of a data folder, which all parts of a process share. It runs while one of them has it open. */
import { mkdir } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { ThreadAnswer, ThreadCall, ThreadResult } from './thread-messages.ts';

export interface PgliteEngine {
  /** Waits until no one else has it. Starts the thread where none runs. */
  acquire(): Promise<void>;
  release(): void;
  /** For whom it is acquired. Rejects with an Error that has the SQLSTATE as `code`, or with one of the thread's end. */
  query(sql: string, parameters: readonly unknown[]): Promise<ThreadResult>;
  /** One more part needs it, until it closes it. */
  open(): void;
  /** With the last part the thread ends, and what was written is on the disk. */
  close(): Promise<void>;
}

interface Thread {
  query(sql: string, parameters: readonly unknown[]): Promise<ThreadResult>;
  close(): Promise<void>;
  readonly hasEnded: boolean;
}

/** `folder` belongs to this process. Starts nothing yet. */
export function createPgliteEngine(folder: string): PgliteEngine {
  let thread: Thread | undefined;
  let parts = 0;
  let last: Promise<void> = Promise.resolve();
  let release = (): void => undefined;
  const acquire = async (): Promise<void> => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    release = resolve;
  };
  return {
    acquire: async () => {
      await acquire();
      try {
        if (thread?.hasEnded !== false) {
          await mkdir(folder, { recursive: true, mode: 0o700 });
          thread = startThread(folder);
        }
      } catch (error) {
        release();
        throw error;
      }
    },
    release: () => release(),
    query: async (sql, parameters) => {
      if (thread === undefined) throw new Error('The database is not open');
      return thread.query(sql, parameters);
    },
    open: () => {
      parts += 1;
    },
    close: async () => {
      parts -= 1;
      if (parts > 0) return;
      await acquire();
      await thread?.close();
      thread = undefined;
      release();
    },
  };
}

interface Caller {
  resolve(result: ThreadResult): void;
  reject(error: Error): void;
}

/** The file beside this one, as it is called in a bundle, too. */
const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './pglite-thread.ts' : './pglite-thread.mjs', import.meta.url);

function startThread(folder: string): Thread {
  const worker = new Worker(ENTRY, { workerData: folder, stdin: false });
  worker.unref();
  const callers = new Map<number, Caller>();
  let lastId = 0;
  let ended: Error | undefined;
  const end = (error: Error): void => {
    ended ??= error;
    for (const { reject } of callers.values()) reject(ended);
    callers.clear();
  };
  const closed = new Promise<void>((resolve) => {
    worker.on('error', (error) => end(threadEnded(error)));
    worker.on('exit', () => {
      end(threadEnded(undefined));
      resolve();
    });
  });
  worker.on('message', (answer: ThreadAnswer) => {
    const caller = callers.get(answer.id);
    callers.delete(answer.id);
    if (callers.size === 0) worker.unref();
    if (answer.ok) caller?.resolve(answer);
    else caller?.reject(Object.assign(new Error(answer.failure.message), { code: answer.failure.code }));
  });
  const send = (call: ThreadCall): void => worker.postMessage(call);
  return {
    get hasEnded() {
      return ended !== undefined;
    },
    query: (sql, parameters) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended);
        lastId += 1;
        callers.set(lastId, { resolve, reject });
        worker.ref(); // the process does not end before the answer
        send({ kind: 'query', id: lastId, sql, parameters });
      }),
    close: async () => {
      if (ended !== undefined) return;
      worker.ref();
      send({ kind: 'close' });
      await closed;
    },
  };
}

/** With a code of the system, as the end of a connection has one. */
const threadEnded = (cause: unknown): Error =>
  Object.assign(new Error('The thread of the database has ended', { cause }), { code: 'ECONNRESET' });
