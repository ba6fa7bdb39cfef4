import type { KindRef, KubeClient, KubeObject } from '../client/index.ts';
import type { EventRecorder } from '../events/index.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/index.ts';
import type { BackoffBounds, Clock } from '../time/index.ts';
import type { Finalizer, Run } from './finalizer.ts';
import type { RunOutcome } from './run-result.ts';
import type { Halt } from './step-result.ts';
import type { WatchRule } from './watch-rules.ts';

export interface ControllerOptions<T extends KubeObject> {
  /** Used in logs and metrics. */
  readonly name: string;
  readonly kind: KindRef<T>;
  readonly store: Pick<Store<T>, 'get'>;
  readonly watches: readonly WatchRule[];
  /** Reconciles the object and writes its status; returns why it stopped, if it did. */
  readonly reconcile: (run: Run<T>) => Promise<Halt | undefined>;
  /**
   * Runs instead of `reconcile` while `spec.suspend` is true; writes only the status, and may remove what must not stay.
   */
  readonly whileSuspended?: (run: Run<T>) => Promise<Halt | undefined>;
  readonly finalizer?: Finalizer<T>;
  readonly client: Pick<KubeClient, 'mergePatch'>;
  readonly fieldManager: string;
  readonly log: Log;
  readonly events?: Pick<EventRecorder, 'record' | 'settle'> | undefined;
  readonly metrics?: ControllerMetrics | undefined;
  /** Keys processed at the same time. Default 4. */
  readonly workers?: number;
  /** Of one run. Default 60 s. */
  readonly deadlineMs?: number;
  readonly backoff?: BackoffBounds;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** One finished run. */
export interface RunReport {
  readonly controller: string;
  readonly outcome: RunOutcome;
  /** The reason of the failure; undefined when there was none. */
  readonly failure: string | undefined;
  readonly seconds: number;
  /** How long the key was ready before a worker took it. */
  readonly waitedSeconds: number;
}

export interface ControllerMetrics {
  /** Called once per controller, before its first run. */
  observeQueue(controller: string, queue: { readonly depth: number }): void;
  reconciled(report: RunReport): void;
}
