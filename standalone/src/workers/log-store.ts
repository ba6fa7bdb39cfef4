/** The request log of workers: their batches go to the parent, which has the database. */
import { type LogFeedback, type LogStore, type SealedBatch, toWaiting, type WaitingRecord } from '@gatehouse/gateway';

export type LogCall =
  | { readonly kind: 'write'; readonly batch: SealedBatch<SentRecord> }
  | { readonly kind: 'writeFeedback'; readonly batch: SealedBatch<LogFeedback> }
  | { readonly kind: 'dropBefore'; readonly ms: number };

/** A record between processes. */
interface SentRecord {
  /** A LogRow as JSON. */
  readonly row: string;
  readonly content: string | undefined;
  readonly mayRepeat: boolean;
}

/** `refused`: it never succeeds. */
export type LogResult = 'done' | 'refused' | 'failed';

export interface LogStoreClient {
  readonly store: LogStore;
  receive(id: number, result: LogResult): void;
}

class ParentFailure extends Error {
  override readonly name = 'ParentFailure';
  readonly isRefusal: boolean;

  constructor(result: LogResult) {
    super('The parent could not write the request log; its log says why');
    this.isRefusal = result === 'refused';
  }
}

/** The worker's side. The parent always answers, or the worker ends with it. */
export function createLogStoreClient(send: (id: number, call: LogCall) => void): LogStoreClient {
  const waiting = new Map<number, (result: LogResult) => void>();
  let lastId = 0;
  const call = async (one: LogCall): Promise<void> => {
    lastId += 1;
    const { promise, resolve } = Promise.withResolvers<LogResult>();
    waiting.set(lastId, resolve);
    send(lastId, one);
    const result = await promise;
    if (result !== 'done') throw new ParentFailure(result);
  };
  return {
    store: {
      name: 'parent',
      lineOf: (row) => JSON.stringify(row), // the parent makes its store's line of it
      write: ({ id, records }) => call({ kind: 'write', batch: { id, records: records.map(toSent) } }),
      writeFeedback: (batch) => call({ kind: 'writeFeedback', batch }),
      isTemporary: (error) => !(error instanceof ParentFailure && error.isRefusal),
      dropBefore: (ms) => call({ kind: 'dropBefore', ms }),
      close: async () => undefined, // the parent closes it
    },
    receive: (id, result) => {
      waiting.get(id)?.(result);
      waiting.delete(id);
    },
  };
}

/** The parent's side. Never rejects. */
export async function executeLogCall(
  store: LogStore | undefined,
  call: LogCall,
  onError: (error: unknown) => void,
): Promise<LogResult> {
  if (store === undefined) return 'failed';
  try {
    await execute(store, call);
    return 'done';
  } catch (error) {
    onError(error);
    return store.isTemporary(error) ? 'failed' : 'refused';
  }
}

async function execute(store: LogStore, call: LogCall): Promise<void> {
  switch (call.kind) {
    case 'write':
      return store.write({ id: call.batch.id, records: call.batch.records.map(toRecord(store)) });
    case 'writeFeedback':
      return store.writeFeedback(call.batch);
    case 'dropBefore':
      return store.dropBefore(call.ms);
  }
}

const toSent = ({ line, document, isTold }: WaitingRecord): SentRecord => ({
  row: line.toString(),
  content: document?.toString(),
  mayRepeat: isTold,
});

const toRecord =
  (store: LogStore) =>
  ({ row, content, mayRepeat }: SentRecord): WaitingRecord =>
    toWaiting({ row: JSON.parse(row), content, mayRepeat }, store);
