/** A store of the request log within a number of bytes: docs/behaviour/request-logs.md#writing */
import type { LogStore, SealedBatch } from './log-store.ts';

export interface StoreBound {
  /** Of rows, documents and feedback with their indexes; undefined: there is none. */
  readonly maxBytes: number | undefined;
  /** Feedback above its bound could not be deleted; it is tried again. Must not throw. */
  onFeedbackKept(error: unknown): void;
  /** Unix time in ms. */
  now(): number;
}

/** How much one process writes before it measures again, and after how long it does so in any case. */
const STEP_BYTES = 16 * 1024 * 1024;
const STEP_MS = 60_000;
/** Of the bytes, for feedback: it does not go with days, so that it must not take the room of rows. */
const FEEDBACK_SHARE = 1 / 8;

/** Nothing is written until there is room, or the next day makes one that may be dropped. */
export class StoreFull extends Error {
  constructor(bytes: number, maxBytes: number) {
    super(`The request log has ${bytes} bytes, and may have ${maxBytes}`);
    this.name = 'StoreFull';
  }
}

/**
 * Drops the oldest days above their share of the bound, and rejects writes of rows with StoreFull while the present day alone is above it. The
 * oldest feedback above its share is deleted beside the writes, which never wait for it.
 */
export function boundStore(store: LogStore, { maxBytes: allBytes, now, onFeedbackKept }: StoreBound): LogStore {
  const { space } = store;
  if (allBytes === undefined || space === undefined) return store;
  const maxBytes = Math.floor(allBytes * (1 - FEEDBACK_SHARE));
  const feedback = createFeedbackBound(() => space.boundFeedback(allBytes * FEEDBACK_SHARE), { now, onFeedbackKept });
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
      feedback.hold();
      await makeRoom();
      writtenBytes += bytesOf(batch);
      await store.write(batch);
    },
    writeFeedback: async (batch) => {
      feedback.hold();
      await store.writeFeedback(batch);
    },
    isTemporary: (error) => error instanceof StoreFull || store.isTemporary(error),
    close: async () => {
      feedback.stop();
      await store.close();
    },
  };
}

/** `bound` runs at most once in STEP_MS, and never twice at once. */
function createFeedbackBound(
  bound: () => Promise<void>,
  { now, onFeedbackKept }: Pick<StoreBound, 'now' | 'onFeedbackKept'>,
): { hold(): void; stop(): void } {
  let state: 'idle' | 'running' | 'stopped' = 'idle';
  let startedAt = Number.NEGATIVE_INFINITY;
  const run = async (): Promise<void> => {
    try {
      await bound();
    } catch (error) {
      if (state !== 'stopped') onFeedbackKept(error);
    }
    if (state !== 'stopped') state = 'idle';
  };
  return {
    hold: () => {
      const at = now();
      if (state !== 'idle' || at < startedAt + STEP_MS) return;
      state = 'running';
      startedAt = at;
      void run();
    },
    stop: () => {
      state = 'stopped';
    },
  };
}

const bytesOf = ({ records }: SealedBatch): number =>
  records.reduce((sum, { line, document }) => sum + line.length + (document?.length ?? 0), 0);
