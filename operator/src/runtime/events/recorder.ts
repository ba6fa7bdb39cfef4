import { randomUUID } from 'node:crypto';
import {
  ApiError,
  apiVersionOf,
  EVENTS,
  hasReason,
  type KubeClient,
  type KubeEvent,
  type KubeObject,
  toMicroTime,
} from '../client/index.ts';
import type { Log } from '../log.ts';
import { createQueue } from '../queue/index.ts';
import { type Clock, systemClock } from '../time/index.ts';

/** Something that happened to an object, for users. */
export interface EventDraft {
  readonly regarding: KubeObject;
  readonly type: 'Normal' | 'Warning';
  /** The reason of the condition. */
  readonly reason: string;
  /** What was being done, in UpperCamelCase. */
  readonly action: string;
  /** No secrets; cut to 256 characters. */
  readonly note: string;
}

export const EVENT_OUTCOMES = ['written', 'dropped'] as const;
export type EventOutcome = (typeof EVENT_OUTCOMES)[number];

export interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'create' | 'mergePatch'>;
  /** E.g. `gatehouse.dev/operator`. */
  readonly reportingController: string;
  /** The name of the pod. */
  readonly reportingInstance: string;
  readonly log: Log;
  readonly onOutcome?: ((outcome: EventOutcome) => void) | undefined;
  readonly clock?: Clock;
}

/** Best effort: an event may get lost, and recording never waits. */
export interface EventRecorder {
  record(draft: EventDraft): void;
  /** The action had no problem with the object: warnings of it that have not been written are moot. */
  settle(about: Pick<EventDraft, 'regarding' | 'action'>): void;
  /** Writes until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** Series that are counted at the same time; the least recently used one is dropped first. */
const MAX_SERIES = 1_000;
/** A repeat that comes later is a new event (as client-go). */
const SERIES_MS = 6 * 60_000;
/** How often the count of a series is written. */
const COUNT_MS = 10_000;
/** The limit of the API server is 1,024 bytes; a character may have four. */
const MAX_NOTE_CHARACTERS = 256;
const MAX_NAME_CHARACTERS = 200;
/** The namespace of events about cluster-scoped objects. */
const CLUSTER_NAMESPACE = 'default';

interface Series {
  readonly draft: EventDraft;
  readonly firstMs: number;
  lastMs: number;
  count: number;
  /** The name of the event, once it is written. */
  event: string | undefined;
}

/** Writes events of `events.k8s.io/v1`; repeated ones become a series of one event. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { log, clock = systemClock, onOutcome = () => {} } = options;
  const all = new Map<string, Series>();
  const queue = createQueue({ clock });

  const forget = (id: string): void => {
    if (all.get(id)?.event === undefined) onOutcome('dropped');
    all.delete(id);
  };
  const begin = (id: string, draft: EventDraft, nowMs: number): void => {
    all.delete(id);
    all.set(id, { draft, firstMs: nowMs, lastMs: nowMs, count: 1, event: undefined });
    const [oldest] = all.keys();
    if (all.size > MAX_SERIES && oldest !== undefined) forget(oldest);
    queue.add(id);
  };
  const repeat = (id: string, series: Series, nowMs: number): void => {
    all.delete(id);
    all.set(id, series);
    series.count += 1;
    series.lastMs = nowMs;
    queue.add(id, { afterMs: COUNT_MS });
  };
  const write = async (id: string, signal: AbortSignal): Promise<void> => {
    const series = all.get(id);
    if (series === undefined) return;
    try {
      series.event = await send(options, series, signal);
      onOutcome('written');
    } catch (error) {
      if (signal.aborted) return;
      log.debug({ reason: error instanceof ApiError ? error.reason : 'Other' }, 'Could not write an event');
      series.event = undefined;
      forget(id);
    }
  };

  return {
    record: (draft) => {
      const nowMs = clock.wallMs();
      const id = idOf(draft);
      const series = all.get(id);
      if (series === undefined || nowMs - series.lastMs > SERIES_MS) begin(id, draft, nowMs);
      else repeat(id, series, nowMs);
    },
    settle: () => {},
    run: async (signal) => {
      for (;;) {
        const taken = await queue.take(signal).catch(() => undefined);
        if (taken === undefined) return;
        await write(taken.key, signal);
        queue.done(taken.key);
      }
    },
  };
}

const namespaceFor = ({ regarding }: EventDraft): string => regarding.metadata.namespace ?? CLUSTER_NAMESPACE;

/** Starts with the namespace, so that the queue is fair between namespaces. */
function idOf(draft: EventDraft): string {
  const { regarding, type, reason, action, note } = draft;
  return `${namespaceFor(draft)}/${JSON.stringify([regarding.metadata.uid, type, reason, action, note])}`;
}

/** Creates the event, or updates the count of its series; returns the name of the event. */
async function send(options: EventRecorderOptions, series: Series, signal: AbortSignal): Promise<string> {
  const { client } = options;
  const { draft, event } = series;
  if (event === undefined) return (await client.create(EVENTS, toEvent(options, series), { signal })).metadata.name;
  const name = { namespace: namespaceFor(draft), name: event };
  try {
    await client.mergePatch(EVENTS, name, { series: toSeries(series) }, { signal });
    return event;
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error; // the server deletes events after an hour
    return (await client.create(EVENTS, toEvent(options, series), { signal })).metadata.name;
  }
}

function toEvent({ reportingController, reportingInstance }: EventRecorderOptions, series: Series): KubeEvent {
  const { draft, firstMs, count } = series;
  const { regarding, type, reason, action, note } = draft;
  const { namespace, name, uid } = regarding.metadata;
  return {
    apiVersion: apiVersionOf(EVENTS),
    kind: EVENTS.kind,
    metadata: {
      name: `${name.slice(0, MAX_NAME_CHARACTERS)}.${randomUUID()}`,
      namespace: namespaceFor(draft),
    },
    eventTime: toMicroTime(firstMs),
    ...{ reportingController, reportingInstance, action, reason, type },
    note: note.slice(0, MAX_NOTE_CHARACTERS),
    regarding: { apiVersion: regarding.apiVersion, kind: regarding.kind, namespace, name, uid },
    ...(count > 1 ? { series: toSeries(series) } : {}),
  };
}

const toSeries = ({ count, lastMs }: Series) => ({ count, lastObservedTime: toMicroTime(lastMs) });
