/**
 * Fetches secrets again and again, a few at once, and keeps the last value of each while its manager is away. See
 * docs/behaviour/secret-references.md.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Result } from '@gatehouse/crds';
import type { FetchProblem, ManagedReading, ManagedValue, SecretFetch } from '../translate/index.ts';

export const FETCH_OUTCOMES = ['ok', 'failed'] as const;
export type FetchOutcome = (typeof FETCH_OUTCOMES)[number];

export interface Fetched {
  readonly outcome: FetchOutcome;
  readonly problem: FetchProblem | undefined;
  /** The problem is another one than before. */
  readonly isNews: boolean;
}

export interface SecretFetcherOptions {
  /** Never rejects. */
  readonly fetchSecret: (fetch: SecretFetch, signal: AbortSignal) => Promise<Result<ManagedValue, FetchProblem>>;
  readonly onFetched?: (fetch: SecretFetch, fetched: Fetched) => void;
  /** Runs once after a delay unless disposed before. */
  readonly schedule?: (delayMs: number, run: () => void) => Disposable;
  readonly nowMs?: () => number;
  readonly random?: () => number;
}

/** Readings by key, with the interface of a store. */
export interface SecretFetcher {
  readonly objects: ReadonlyMap<string, ManagedReading>;
  get(key: string): ManagedReading | undefined;
  subscribe(listener: (change: { readonly key: string }) => void): Disposable;
  /** What is to be fetched from now on; nothing is before `run`. */
  update(fetches: readonly SecretFetch[]): void;
  /** Fetches until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** Fetches at once, and of these those with one share. */
const MAX_AT_ONCE = 64;
const MAX_AT_ONCE_OF_SHARE = 2;
/** Shortest time between two fetches of one secret, however often it is edited, in ms. */
const PACE_MS = 2_000;
/** First wait after a failure; it doubles up to the interval of the refresh. */
const RETRY_MS = 5_000;
/** Part of an interval that is random. */
const JITTER = 0.2;

interface Item {
  fetch: SecretFetch;
  /** When to fetch next. */
  dueMs: number;
  startedMs: number;
  failures: number;
  running: AbortController | undefined;
}

const systemSchedule = (delayMs: number, run: () => void): Disposable => {
  const timer = setTimeout(run, delayMs);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
};

export function createSecretFetcher(options: SecretFetcherOptions): SecretFetcher {
  const { schedule = systemSchedule, nowMs = () => performance.now(), random = Math.random } = options;
  const readings = createReadings();
  const items = createItems(nowMs, readings.forget);
  const slots = createSlots();
  let signal: AbortSignal | undefined;
  let timer: Disposable | undefined;

  const settle = (item: Item, result: Result<ManagedValue, FetchProblem>): void => {
    const { fetch } = item;
    item.failures = result.ok ? 0 : item.failures + 1;
    item.dueMs = nowMs() + waitMs(item) * (1 - JITTER / 2 + JITTER * random());
    const problem = result.ok ? undefined : result.error;
    const isNews = readings.get(fetch.key)?.problem !== problem;
    options.onFetched?.(fetch, { outcome: result.ok ? 'ok' : 'failed', problem, isNews });
    readings.take(fetch, result);
  };
  const start = async (item: Item, ending: AbortSignal): Promise<void> => {
    const { fetch } = item;
    const running = new AbortController();
    Object.assign(item, { running, startedMs: nowMs() });
    slots.enter(fetch.share);
    const result = await options.fetchSecret(fetch, AbortSignal.any([ending, running.signal]));
    slots.leave(fetch.share);
    item.running = undefined;
    if (ending.aborted) return;
    if (items.has(item) && item.fetch === fetch) settle(item, result);
    pump();
  };

  /** Starts what is due, oldest first, and wakes up for the next one. */
  const pump = (): void => {
    timer?.[Symbol.dispose]();
    if (signal === undefined || signal.aborted) return;
    const now = nowMs();
    for (const item of items.waiting()) {
      if (item.dueMs > now) {
        timer = schedule(item.dueMs - now, pump);
        return;
      }
      if (slots.hasRoom(item.fetch.share)) void start(item, signal);
    }
  };

  return {
    ...readings.view,
    update: (fetches) => {
      if (items.replace(fetches)) pump();
    },
    run: async (until) => {
      signal = until;
      pump();
      const { promise, resolve } = Promise.withResolvers<void>();
      until.addEventListener('abort', () => resolve(), { once: true });
      if (!until.aborted) await promise;
      timer?.[Symbol.dispose]();
    },
  };
}

/** What is to be fetched, and when. */
function createItems(nowMs: () => number, forget: (key: string) => void) {
  const items = new Map<string, Item>();
  let known: readonly SecretFetch[] = [];
  const put = (fetch: SecretFetch): void => {
    const item = items.get(fetch.key);
    if (item?.fetch === fetch) return;
    if (item === undefined) {
      items.set(fetch.key, { fetch, dueMs: nowMs(), startedMs: -Infinity, failures: 0, running: undefined });
      return;
    }
    Object.assign(item, { fetch, failures: 0, dueMs: Math.max(nowMs(), item.startedMs + PACE_MS) });
    item.running?.abort();
  };
  return {
    has: (item: Item): boolean => items.get(item.fetch.key) === item,
    /** Those that are not being fetched, the first one due first. */
    waiting: (): readonly Item[] =>
      [...items.values()].filter(({ running }) => running === undefined).sort((a, b) => a.dueMs - b.dueMs),
    /** Returns whether anything is different. */
    replace: (fetches: readonly SecretFetch[]): boolean => {
      if (fetches.length === known.length && fetches.every((fetch, i) => fetch === known[i])) return false;
      known = fetches;
      const wanted = new Set(fetches.map(({ key }) => key));
      for (const [key, { running }] of [...items]) {
        if (wanted.has(key)) continue;
        items.delete(key);
        running?.abort();
        forget(key);
      }
      for (const fetch of fetches) put(fetch);
      return true;
    },
  };
}

/** The last reading of each secret, and who is told of changes. */
function createReadings() {
  const readings = new Map<string, ManagedReading>();
  const listeners = new Set<(change: { readonly key: string }) => void>();
  const get = (key: string): ManagedReading | undefined => readings.get(key);
  const tell = (key: string): void => {
    for (const listener of listeners) listener({ key });
  };
  const view: Pick<SecretFetcher, 'objects' | 'get' | 'subscribe'> = {
    objects: readings,
    get,
    subscribe: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => listeners.delete(listener) };
    },
  };
  return {
    view,
    get,
    forget: (key: string): void => {
      if (readings.delete(key)) tell(key);
    },
    /** A failure keeps the value of the same target. */
    take: ({ key, target }: SecretFetch, result: Result<ManagedValue, FetchProblem>): void => {
      const before = readings.get(key);
      const last = before?.target === target ? before.value : undefined;
      const reading: ManagedReading = result.ok
        ? { target, value: result.value, problem: undefined }
        : { target, value: last, problem: result.error };
      if (isDeepStrictEqual(before, reading)) return;
      readings.set(key, reading);
      tell(key);
    },
  };
}

/** Counts calls under way, of all and of each share. */
function createSlots() {
  const active = new Map<string, number>();
  let total = 0;
  const of = (share: string): number => active.get(share) ?? 0;
  return {
    hasRoom: (share: string): boolean => total < MAX_AT_ONCE && of(share) < MAX_AT_ONCE_OF_SHARE,
    enter: (share: string): void => {
      total += 1;
      active.set(share, of(share) + 1);
    },
    leave: (share: string): void => {
      total -= 1;
      if (of(share) <= 1) active.delete(share);
      else active.set(share, of(share) - 1);
    },
  };
}

function waitMs({ fetch, failures }: Item): number {
  const refreshMs = fetch.refreshSeconds * 1_000;
  return failures === 0 ? refreshMs : Math.min(refreshMs, RETRY_MS * 2 ** Math.min(failures - 1, 16));
}
