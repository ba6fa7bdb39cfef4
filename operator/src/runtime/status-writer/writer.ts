/** Writes statuses of all Kinds: paced by how the API server answers, deduplicated, and only where they differ. */
import type { ConditionDraft } from '@gatehouse/crds/conditions';
import {
  ApiError,
  apiVersionOf,
  type CallOptions,
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
import { createPace, type Turn } from './pace.ts';
import { createRecentWrites, type RecentWrites, type StatusWrite } from './recent.ts';
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
  /** The most writes at once; how many there are depends on how fast the API server answers. */
  readonly maxAtOnce: number;
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

/** Written statuses that the cache may not show yet. */
const MAX_RECENT = 1_000;

/** As long as the schema of the field allows. */
const MAX_ECHO = 64;

/** A status that differs from that of the object. */
interface Wanted {
  readonly kind: KindRef;
  readonly object: KubeObject;
  /** Without the times of its conditions: objects without problems share it. */
  readonly draft: StatusDraft;
  /** The status that the object has, as far as it is known. */
  readonly live: StatusWrite['status'];
}

/** One writer for all Kinds, paced so that first statuses of many objects do not flood the API server. */
export function createStatusWriter(options: StatusWriterOptions): StatusWriter {
  const { log, clock = systemClock, random, maxAtOnce, onOutcome = () => {} } = options;
  const pending = new Map<string, Wanted>();
  const recent = createRecentWrites(MAX_RECENT);
  const queue = createQueue({ clock, random });
  const pace = createPace({ maxAtOnce, clock });
  const readerOf = createReader({ ...options, clock }, recent);

  const applyIfChanged: StatusWriter['applyIfChanged'] = async (object, draft, { signal }) => {
    signal.throwIfAborted();
    const { id, wanted, lane } = readerOf(object, draft);
    if (wanted === undefined) {
      pending.delete(id);
      return onOutcome('unchanged');
    }
    pending.set(id, wanted);
    queue.add(id, { lane });
  };
  const write = async (id: string, turn: Turn, signal: AbortSignal): Promise<void> => {
    const wanted = pending.get(id);
    if (wanted === undefined) return;
    pending.delete(id);
    const { object, draft, live } = wanted;
    const status = withTransitionTimes(draft, live, clock.wallMs());
    recent.add(id, { object, status });
    const isBusy = pending.size > 0;
    const error = await paced((call) => send(options, { ...wanted, status }, { ...call, signal }), {
      turn,
      clock,
      isBusy,
    });
    if (signal.aborted) return;
    const outcome = outcomeOf(error);
    onOutcome(outcome);
    if (outcome !== 'written') recent.drop(id);
    if (outcome !== 'failed') return queue.forget(id);
    log.warn({ status: id, ...describeError(error) }, 'Could not write a status');
    if (isRefused(error)) return queue.forget(id);
    if (!pending.has(id)) pending.set(id, wanted);
    queue.retry(id);
  };
  /** One write; rejects with the reason of the signal. A key is taken last, so that the most urgent one is. */
  const writeNext = async (signal: AbortSignal): Promise<void> => {
    using turn = await pace.turn(signal);
    const { key } = await queue.take(signal);
    await write(key, turn, signal);
    queue.done(key);
  };
  const work = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await writeNext(signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  };

  return {
    applyIfChanged,
    run: async (signal) => {
      await Promise.all(Array.from({ length: maxAtOnce }, () => work(signal)));
    },
    get backlog() {
      return pending.size;
    },
  };
}

interface Reading {
  readonly id: string;
  /** Absent: the object has the status. */
  readonly wanted?: Wanted;
  readonly lane: Lane;
}

/** Compares drafts with what objects have; throws TypeError for a Kind that is not written. */
function createReader(
  { kinds, conditionTypes, requestedAtAnnotation, clock }: StatusWriterOptions & { readonly clock: Clock },
  recent: RecentWrites,
): (object: KubeObject, draft: StatusDraft) => Reading {
  const ownTypes = new Set(conditionTypes);
  const byType = new Map(kinds.map((kind) => [`${apiVersionOf(kind)}/${kind.kind}`, kind]));
  const startedMs = clock.wallMs();
  return (object, given) => {
    const kind = byType.get(`${object.apiVersion}/${object.kind}`);
    if (kind === undefined) throw new TypeError(`${object.apiVersion} ${object.kind} is not among the written Kinds`);
    const id = idOf(kind, object);
    const live = recent.find(id, object) ?? statusOf(object);
    const asked = object.metadata.annotations?.[requestedAtAnnotation]?.slice(0, MAX_ECHO);
    const echo = isSuspended(object) ? live['lastHandledReconcileAt'] : asked; // the requested run has not happened
    const draft = echo === undefined ? given : { ...given, lastHandledReconcileAt: echo };
    const isFirst = Object.keys(live).length === 0;
    const isListed = isFirst && Date.parse(object.metadata.creationTimestamp ?? '') < startedMs;
    const lane = isListed ? 'listed' : 'fresh';
    const isSame = isSameStatus(withTransitionTimes(draft, live, clock.wallMs()), live, ownTypes);
    return isSame ? { id, lane } : { id, lane, wanted: { kind, object, draft, live } };
  };
}

interface PacedOptions {
  readonly turn: Turn;
  readonly clock: Clock;
  /** More calls wait for their turn. */
  readonly isBusy: boolean;
}

/** Makes a call and reports how the server has answered; resolves with its error. */
async function paced(
  call: (options: Pick<CallOptions, 'onWait'>) => Promise<void>,
  { turn, clock, isBusy }: PacedOptions,
): Promise<unknown> {
  const startedMs = clock.monotonicMs();
  let waited = false;
  const onWait = (waitMs: number): void => {
    waited = true;
    turn.refused(waitMs);
  };
  const error = await call({ onWait }).catch((thrown: unknown) => thrown);
  if (isOverload(error)) turn.refused(error.retryAfterMs ?? 0);
  else if (isFailure(error)) turn.failed();
  else if (!waited) turn.answered(clock.monotonicMs() - startedMs, { busy: isBusy });
  return error;
}

/** Starts with the namespace, so that the queue is fair between namespaces. */
function idOf(kind: KindRef, { metadata: { namespace, name } }: KubeObject): string {
  return namespace === undefined ? `${resourceName(kind)}:${name}` : `${namespace}/${resourceName(kind)}:${name}`;
}

async function send(
  { client, fieldManager }: StatusWriterOptions,
  { kind, object, status }: Pick<Wanted, 'kind'> & StatusWrite,
  call: CallOptions,
): Promise<void> {
  const { apiVersion, kind: kindName, metadata } = object;
  const { namespace, name } = metadata; // the server does not compare a uid here; a new object gets its own status next
  const intent = { apiVersion, kind: kindName, metadata: { namespace, name }, status };
  await client.apply(kind, intent, { ...call, subresource: 'status', fieldManager, force: true });
}

function outcomeOf(error: unknown): StatusOutcome {
  if (error === undefined) return 'written';
  return hasReason(error, 'NotFound') ? 'gone' : 'failed';
}

/** The server has too much to do, cannot answer, or did not in time. */
const isOverload = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status > 500);

/** The server, or a webhook that it calls for objects like this one. */
const isFailure = (error: unknown): boolean => error instanceof ApiError && error.status === 500;

/** A status that the schema refuses would be refused again. */
const isRefused = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 400 || error.status === 422);

const describeError = (error: unknown): object =>
  error instanceof ApiError ? { code: error.status, reason: error.reason } : { err: error };
