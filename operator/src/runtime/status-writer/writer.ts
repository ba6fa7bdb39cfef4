/** Writes statuses of all Kinds: paced, deduplicated, and only where they differ. */
import type { ConditionDraft } from '@gatehouse/crds/conditions';
import {
  ApiError,
  apiVersionOf,
  hasReason,
  type KindRef,
  type KubeClient,
  type KubeObject,
  resourceName,
} from '../client/index.ts';
import type { Log } from '../log.ts';
import { createQueue, type Lane } from '../queue/index.ts';
import { type Clock, systemClock } from '../time/index.ts';
import { isSameStatus, withTransitionTimes } from './compare.ts';
import { statusOf } from './conditions.ts';
import { createRate } from './rate.ts';
import { createRecentWrites, type StatusWrite } from './recent.ts';
import { isSuspended } from './suspended.ts';

/** A status without the times of its conditions. */
export interface StatusDraft {
  readonly conditions?: readonly ConditionDraft[] | undefined;
  readonly observedGeneration?: number | undefined;
}

export const STATUS_OUTCOMES = ['written', 'unchanged', 'gone', 'failed'] as const;
export type StatusOutcome = (typeof STATUS_OUTCOMES)[number];

export interface StatusWriterOptions {
  readonly client: Pick<KubeClient, 'apply'>;
  /** It never changes, and differs from that of the applier. */
  readonly fieldManager: string;
  readonly kinds: readonly KindRef[];
  /** The condition types that the operator writes and removes. */
  readonly conditionTypes: Iterable<string>;
  /** The annotation that requests a run; its value is copied to `status.lastHandledReconcileAt`. */
  readonly requestedAtAnnotation: string;
  readonly log: Log;
  readonly onOutcome?: ((outcome: StatusOutcome) => void) | undefined;
  /** Writes per second in the long run. Default 100, so that 10,000 first statuses take 100 s. */
  readonly perSecond?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export interface StatusWriter {
  /**
   * Queues a status unless the object has it already. Resolves at once; the last of several statuses of an object wins. Failed
   * writes are retried, and dropped when the object is deleted.
   */
  applyIfChanged<S extends StatusDraft>(
    object: KubeObject,
    status: S,
    options: { readonly signal: AbortSignal },
  ): Promise<void>;
  /** Writes until the signal ends; the next leader writes what is left. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Statuses that are queued. */
  readonly backlog: number;
}

const PER_SECOND = 100;
const WRITES_AT_ONCE = 8;
/** Written statuses that the cache may not show yet. */
const MAX_RECENT = 1_000;

/** As long as the schema of the field allows. */
const MAX_ECHO = 64;

interface Write extends StatusWrite {
  readonly kind: KindRef;
}

/** One writer for all Kinds, paced so that first statuses of many objects do not flood the API server. */
export function createStatusWriter(options: StatusWriterOptions): StatusWriter {
  const { log, clock = systemClock, random, perSecond = PER_SECOND, onOutcome = () => {} } = options;
  const ownTypes = new Set(options.conditionTypes);
  const byType = new Map(options.kinds.map((kind) => [`${apiVersionOf(kind)}/${kind.kind}`, kind]));
  const pending = new Map<string, Write>();
  const recent = createRecentWrites(MAX_RECENT);
  const queue = createQueue({ clock, random });
  const rate = createRate({ perSecond, burst: perSecond, clock });
  const startedMs = clock.wallMs();

  const laneOf = ({ metadata }: KubeObject, live: object): Lane => {
    const isFirst = Object.keys(live).length === 0;
    return isFirst && Date.parse(metadata.creationTimestamp ?? '') < startedMs ? 'listed' : 'fresh';
  };
  const applyIfChanged: StatusWriter['applyIfChanged'] = async (object, draft, { signal }) => {
    signal.throwIfAborted();
    const kind = byType.get(`${object.apiVersion}/${object.kind}`);
    if (kind === undefined) throw new TypeError(`${object.apiVersion} ${object.kind} is not among the written Kinds`);
    const id = idOf(kind, object);
    const waiting = pending.get(id);
    const isWaiting = waiting?.object.metadata.uid === object.metadata.uid;
    const live = (isWaiting ? waiting?.status : recent.find(id, object)) ?? statusOf(object);
    const asked = object.metadata.annotations?.[options.requestedAtAnnotation]?.slice(0, MAX_ECHO);
    const echo = isSuspended(object) ? live['lastHandledReconcileAt'] : asked; // the requested run has not happened
    const wanted = { ...draft, ...(echo === undefined ? {} : { lastHandledReconcileAt: echo }) };
    const status = withTransitionTimes(wanted, live, clock.wallMs());
    if (isSameStatus(status, live, ownTypes)) return onOutcome('unchanged');
    pending.set(id, { kind, object, status });
    queue.add(id, { lane: laneOf(object, live) });
  };
  const write = async (id: string, signal: AbortSignal): Promise<void> => {
    const given = pending.get(id);
    if (given === undefined) return;
    pending.delete(id);
    recent.add(id, given);
    const error = await send(options, given, signal).catch((thrown: unknown) => thrown);
    if (signal.aborted) return;
    const outcome = outcomeOf(error);
    onOutcome(outcome);
    if (outcome !== 'written') recent.drop(id);
    if (outcome !== 'failed') return queue.forget(id);
    log.warn({ status: id, ...describeError(error) }, 'Could not write a status');
    if (isRefused(error)) return queue.forget(id);
    if (!pending.has(id)) pending.set(id, given);
    queue.retry(id);
  };
  const work = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const taken = await queue.take(signal).catch(() => undefined);
      if (taken === undefined) return;
      await rate.turn(signal).then(
        () => write(taken.key, signal),
        () => {}, // the writer ends; the status stays queued
      );
      queue.done(taken.key);
    }
  };

  return {
    applyIfChanged,
    run: async (signal) => {
      await Promise.all(Array.from({ length: WRITES_AT_ONCE }, () => work(signal)));
    },
    get backlog() {
      return pending.size;
    },
  };
}

/** Starts with the namespace, so that the queue is fair between namespaces. */
function idOf(kind: KindRef, { metadata: { namespace, name } }: KubeObject): string {
  return namespace === undefined ? `${resourceName(kind)}:${name}` : `${namespace}/${resourceName(kind)}:${name}`;
}

async function send(
  { client, fieldManager }: StatusWriterOptions,
  { kind, object, status }: Write,
  signal: AbortSignal,
): Promise<void> {
  const { apiVersion, kind: kindName, metadata } = object;
  const { namespace, name } = metadata; // the server does not compare a uid here; a new object gets its own status next
  const intent = { apiVersion, kind: kindName, metadata: { namespace, name }, status };
  await client.apply(kind, intent, { subresource: 'status', fieldManager, force: true, signal });
}

function outcomeOf(error: unknown): StatusOutcome {
  if (error === undefined) return 'written';
  return hasReason(error, 'NotFound') ? 'gone' : 'failed';
}

/** A status that the schema refuses would be refused again. */
const isRefused = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 400 || error.status === 422);

const describeError = (error: unknown): object =>
  error instanceof ApiError ? { code: error.status, reason: error.reason } : { err: error };
