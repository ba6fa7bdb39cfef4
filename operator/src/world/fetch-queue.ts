/** Fetches contents of resources that were dropped and are needed again. */
import type { KindName } from '@gatehouse/crds/kinds';
import { createBackoff, type Log, type ObjectKey, sleep, systemClock } from '../runtime/index.ts';

const FETCHES = 4;
const RETRY = { minMs: 500, maxMs: 30_000 };

export const idOf = (kind: KindName, key: ObjectKey): string => `${kind}/${key}`;

export interface Wanting {
  readonly kind: KindName;
  readonly key: ObjectKey;
}

type Fetch = (wanting: Wanting, signal: AbortSignal) => Promise<void>;

export interface FetchQueue {
  has(id: string): boolean;
  add(wanting: Wanting): void;
  /** The content is not needed any more. */
  drop(id: string): void;
  /** Fetches until the signal ends; never rejects. */
  run(fetch: Fetch, signal: AbortSignal): Promise<void>;
}

export function createFetchQueue(log: Log): FetchQueue {
  const queue = createQueue();
  const fetchOne = async (wanting: Wanting, fetch: Fetch, signal: AbortSignal): Promise<boolean> => {
    try {
      await fetch(wanting, signal);
      queue.drop(idOf(wanting.kind, wanting.key));
      return true;
    } catch (error) {
      if (!signal.aborted) {
        log.warn({ kind: wanting.kind, object: wanting.key, err: error }, 'Could not read a resource');
      }
      return false;
    }
  };
  const work = async (fetch: Fetch, signal: AbortSignal): Promise<void> => {
    const backoff = createBackoff(RETRY, Math.random);
    for (let next = await queue.next(signal); next !== undefined; next = await queue.next(signal)) {
      if (await fetchOne(next, fetch, signal)) backoff.reset();
      else {
        await sleep(backoff.next(), { signal, clock: systemClock }).catch(() => undefined);
        queue.retry(next);
      }
    }
  };
  return {
    has: queue.has,
    add: queue.add,
    drop: queue.drop,
    run: async (fetch, signal) => {
      await Promise.all(Array.from({ length: FETCHES }, () => work(fetch, signal)));
    },
  };
}

/** Objects whose content is to be fetched, in order, each at most once at a time. */
function createQueue() {
  const all = new Map<string, Wanting>();
  const open: Wanting[] = [];
  let wake = Promise.withResolvers<void>();
  const push = (wanting: Wanting): void => {
    open.push(wanting);
    wake.resolve();
    wake = Promise.withResolvers();
  };
  return {
    has: (id: string): boolean => all.has(id),
    add: (wanting: Wanting): void => {
      const id = idOf(wanting.kind, wanting.key);
      if (all.has(id)) return;
      all.set(id, wanting);
      push(wanting);
    },
    drop: (id: string): void => {
      all.delete(id);
    },
    retry: (wanting: Wanting): void => {
      if (all.has(idOf(wanting.kind, wanting.key))) push(wanting);
    },
    /** Undefined when the signal has ended. */
    next: async (signal: AbortSignal): Promise<Wanting | undefined> => {
      const ended = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => ended.resolve(), { once: true });
      while (!signal.aborted) {
        const wanting = open.shift();
        if (wanting === undefined) await Promise.race([wake.promise, ended.promise]);
        else if (all.has(idOf(wanting.kind, wanting.key))) return wanting;
      }
      return undefined;
    },
  };
}
