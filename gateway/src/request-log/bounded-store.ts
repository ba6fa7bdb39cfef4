/** A store of the request log within a number of bytes: docs/behaviour/request-logs.md#writing */
import type { LogStore, SealedBatch } from './log-store.ts';

export interface StoreBound {
  /** Of all tables of the log with their indexes; undefined: there is none. */
  readonly maxBytes: number | undefined;
  /** Unix time in ms. */
  now(): number;
}

/** How much one process writes before it measures again, and after how long it does so in any case. */
const STEP_BYTES = 16 * 1024 * 1024;
const STEP_MS = 60_000;

/** Nothing is written until there is room, or the next day makes one that may be dropped. */
export class StoreFull extends Error {
  constructor(bytes: number, maxBytes: number) {
    super(`The request log has ${bytes} bytes, and may have ${maxBytes}`);
    this.name = 'StoreFull';
  }
}

/** Drops the oldest days above the bound, and rejects writes with StoreFull while the present day alone is above it. */
export function boundStore(store: LogStore, { maxBytes, now }: StoreBound): LogStore {
  const { space } = store;
  if (maxBytes === undefined || space === undefined) return store;
  let writtenBytes = 0;
  let measuredAt = Number.NEGATIVE_INFINITY;
  const makeRoom = async (): Promise<void> => {
    const at = now();
    if (writtenBytes < STEP_BYTES && at < measuredAt + STEP_MS) return;
    let bytes = await space.bytes();
    while (bytes > maxBytes && (await space.dropOldestDay(at))) bytes = await space.bytes();
    if (bytes > maxBytes) throw new StoreFull(bytes, maxBytes);
    writtenBytes = 0;
    measuredAt = at;
  };
  return {
    ...store,
    write: async (batch) => {
      await makeRoom();
      writtenBytes += bytesOf(batch);
      await store.write(batch);
    },
    writeFeedback: async (batch) => {
      await makeRoom();
      await store.writeFeedback(batch);
    },
    isTemporary: (error) => error instanceof StoreFull || store.isTemporary(error),
  };
}

const bytesOf = ({ records }: SealedBatch): number =>
  records.reduce((sum, { line, document }) => sum + line.length + (document?.length ?? 0), 0);
