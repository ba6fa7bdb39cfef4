import type { ObjectKey } from '../client/index.ts';
import { createDueHeap } from './due-heap.ts';
import { createFairLine } from './fair-line.ts';

/** New changes come before the objects of the first list after the start. */
export type Lane = 'fresh' | 'listed';

/** A key to process, not before a time; times are of one monotonic clock, in ms. */
export interface QueueRequest {
  readonly dueMs: number;
  readonly lane: Lane;
}

/** A key that a worker processes: no other worker gets it until it is done. */
export interface Taken {
  readonly key: ObjectKey;
  /** How long the key had been ready. */
  readonly waitedMs: number;
}

/** The rules of the queue, without a clock. */
export interface QueueState {
  add(key: ObjectKey, request: QueueRequest, nowMs: number): void;
  /** The next key that is ready. */
  take(nowMs: number): Taken | undefined;
  /** Must follow each take; the key waits again if it was added meanwhile. */
  done(key: ObjectKey, nowMs: number): void;
  /** When the next delayed key is due. */
  nextDueMs(): number | undefined;
  /** Keys that are ready and not being processed. */
  readonly depth: number;
}

/** Outdated entries of the heap after which it is rebuilt. */
const MAX_STALE = 1_024;

export function createQueueState(): QueueState {
  const lines = { fresh: createFairLine(), listed: createFairLine() } as const;
  const ready = new Map<ObjectKey, { readonly lane: Lane; readonly sinceMs: number }>();
  const delayed = new Map<ObjectKey, QueueRequest>();
  const held = new Map<ObjectKey, QueueRequest | undefined>();
  const due = createDueHeap<ObjectKey>();

  const makeReady = (key: ObjectKey, lane: Lane, sinceMs: number): void => {
    delayed.delete(key);
    ready.set(key, { lane, sinceMs });
    lines[lane].push(key);
  };
  const delay = (key: ObjectKey, request: QueueRequest): void => {
    delayed.set(key, request);
    due.push(request.dueMs, key);
    if (due.size < 2 * delayed.size + MAX_STALE) return;
    due.clear();
    for (const [other, { dueMs }] of delayed) due.push(dueMs, other);
  };
  const isCurrent = (key: ObjectKey, dueMs: number): boolean => delayed.get(key)?.dueMs === dueMs;
  const dropStale = (): void => {
    for (let next = due.peek(); next !== undefined && !isCurrent(next.item, next.dueMs); next = due.peek()) due.pop();
  };
  const promote = (nowMs: number): void => {
    for (let next = due.peek(); next !== undefined && next.dueMs <= nowMs; next = due.peek()) {
      due.pop();
      const request = delayed.get(next.item);
      if (request?.dueMs === next.dueMs) makeReady(next.item, request.lane, next.dueMs);
    }
  };
  const add: QueueState['add'] = (key, request, nowMs) => {
    if (held.has(key)) {
      held.set(key, earliest(held.get(key), request));
      return;
    }
    const waiting = ready.get(key);
    if (waiting !== undefined) {
      // The entry in the other line stays; take() skips it.
      if (waiting.lane === 'listed' && request.lane === 'fresh' && request.dueMs <= nowMs) {
        makeReady(key, 'fresh', waiting.sinceMs);
      }
      return;
    }
    const next = earliest(delayed.get(key), request);
    if (next.dueMs <= nowMs) makeReady(key, next.lane, nowMs);
    else if (next !== delayed.get(key)) delay(key, next);
  };
  const takeFrom = (lane: Lane): ObjectKey | undefined => {
    for (let key = lines[lane].shift(); key !== undefined; key = lines[lane].shift()) {
      if (ready.get(key)?.lane === lane) return key;
    }
    return undefined;
  };

  return {
    add,
    take: (nowMs) => {
      promote(nowMs);
      const key = takeFrom('fresh') ?? takeFrom('listed');
      const entry = key === undefined ? undefined : ready.get(key);
      if (key === undefined || entry === undefined) return undefined;
      ready.delete(key);
      held.set(key, undefined);
      return { key, waitedMs: nowMs - entry.sinceMs };
    },
    done: (key, nowMs) => {
      const request = held.get(key);
      held.delete(key);
      if (request !== undefined) add(key, request, nowMs);
    },
    nextDueMs: () => {
      dropStale();
      return due.peek()?.dueMs;
    },
    get depth() {
      return ready.size;
    },
  };
}

/** The earlier of two requests, in the better of their lanes. */
function earliest(a: QueueRequest | undefined, b: QueueRequest): QueueRequest {
  if (a === undefined) return b;
  const first = a.dueMs <= b.dueMs ? a : b;
  return first.lane === 'fresh' || (a.lane === 'listed' && b.lane === 'listed') ? first : { ...first, lane: 'fresh' };
}
