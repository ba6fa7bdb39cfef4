import {
  ApiError,
  hasReason,
  type KindRef,
  type KubeClient,
  type KubeObject,
  resourceName,
  type Selection,
} from '../client/index.ts';
import type { Log } from '../log.ts';
import type { StoreWriter } from '../store/index.ts';
import { type Clock, createBackoff, sleep, systemClock } from '../time/index.ts';
import { type ConcurrencyLimit, unlimited } from './concurrency-limit.ts';
import { canResume, createFeed, type InitialRead } from './feed.ts';
import { FEED_TIMING, type FeedTiming } from './timing.ts';

/** Why reading fails. Messages are left out, since they may quote objects. */
export interface ReadFailure {
  readonly status: number;
  readonly reason: string;
}

export interface FollowerHealth {
  readonly resource: string;
  /** Absent: all namespaces, or a cluster-scoped Kind. */
  readonly namespace: string | undefined;
  readonly synced: boolean;
  /** Time since the last successful read; undefined before the first. A watch gets a bookmark about once a minute. */
  readonly ageMs: number | undefined;
  /** Absent while reading works. */
  readonly failure: ReadFailure | undefined;
}

export interface Follower {
  /** Keeps the store up to date until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the store has had the state of the cluster for the first time. */
  readonly synced: Promise<void>;
  health(): FollowerHealth;
}

export interface FollowerOptions<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'watch'>;
  readonly kind: KindRef<T>;
  readonly selection: Selection;
  readonly store: StoreWriter<T>;
  readonly toInitialRead: (onRead: () => void) => InitialRead;
  /** Called instead of failing when the server does not know the Kind. */
  readonly onAbsent?: (() => void) | undefined;
  /** Called instead of retrying when the right to read is missing; the follower ends. */
  readonly onDenied?: (() => void) | undefined;
  readonly gate?: ConcurrencyLimit;
  readonly log: Log;
  readonly timing?: FeedTiming | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

/** Status of an ApiError without an answer. */
const NO_ANSWER = 0;

/** Runs a feed until the signal ends: resumes, starts over or waits, depending on the error. */
export function createFollower<T extends KubeObject>(options: FollowerOptions<T>): Follower {
  const { kind, selection, log, onAbsent, onDenied } = options;
  const { timing = FEED_TIMING, clock = systemClock, random = Math.random } = options;
  const place = { resource: resourceName(kind), namespace: selection.namespace };
  const backoff = createBackoff(timing.backoff, random);
  const awayBackoff = createBackoff(timing.awayBackoff, random);
  const firstSync = Promise.withResolvers<void>();
  let synced = false;
  let lastReadMs: number | undefined;
  let failure: ReadFailure | undefined;

  const onRead = (): void => {
    if (failure !== undefined) log.info(place, 'Reading works again');
    failure = undefined;
    lastReadMs = clock.monotonicMs();
    backoff.reset();
    awayBackoff.reset();
  };
  const onInitialRead = (): void => {
    synced = true;
    firstSync.resolve();
  };
  const feed = createFeed({
    ...options,
    initialRead: options.toInitialRead(onRead),
    gate: options.gate ?? unlimited,
    timing,
    random,
    onRead,
    onInitialRead,
  });

  /** When to retry; undefined: never. */
  const onError = (error: unknown): number | undefined => {
    if (onDenied !== undefined && hasReason(error, 'Forbidden')) {
      onDenied();
      return undefined;
    }
    if (!canResume(error)) feed.restart();
    if (onAbsent !== undefined && isAbsent(error)) {
      onAbsent();
      onRead();
      onInitialRead();
      return timing.absentMs;
    }
    const next = toFailure(error);
    // One line per kind of failure: an outage of the API server would fill the log.
    if (next.reason !== failure?.reason || next.status !== failure.status) report(error, next);
    failure = next;
    return next.status === NO_ANSWER && error instanceof ApiError ? awayBackoff.next() : backoff.next();
  };
  const report = (error: unknown, fields: ReadFailure): void => {
    if (error instanceof ApiError) log.warn({ ...place, ...fields }, 'Could not read from the API server');
    else log.error({ ...place, err: error }, 'Could not take over what was read');
  };

  /** One watch to its end. */
  const turn = async (signal: AbortSignal): Promise<number | undefined> => {
    try {
      const { complete } = await feed.next(signal);
      return complete ? 0 : backoff.next();
    } catch (error) {
      return signal.aborted ? undefined : onError(error);
    }
  };

  return {
    synced: firstSync.promise,
    health: () => {
      const ageMs = lastReadMs === undefined ? undefined : clock.monotonicMs() - lastReadMs;
      return { ...place, synced, ageMs, failure };
    },
    run: async (signal) => {
      for (let delayMs: number | undefined = 0; delayMs !== undefined && !signal.aborted; ) {
        delayMs = await turn(signal);
        if (delayMs !== undefined && delayMs > 0) await sleep(delayMs, { signal, clock }).catch(() => {});
      }
    },
  };
}

const isAbsent = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

const toFailure = (error: unknown): ReadFailure =>
  error instanceof ApiError ? { status: error.status, reason: error.reason } : { status: 0, reason: 'Internal' };
