import type { KubeObject, ObjectKey } from '../client/index.ts';
import type { Queue, Taken } from '../queue/index.ts';
import { conditionOf, isSuspended } from '../status-writer/index.ts';
import { startDeadline, systemClock } from '../time/index.ts';
import { addFinalizer, hasFinalizer, type Run, removeFinalizer } from './finalizer.ts';
import type { ControllerOptions } from './options.ts';
import { createScheduler, failureReason, logRun, type RunResult, resultOfError, resultOfHalt } from './run-result.ts';
import { type Halt, RunEndedError } from './step-result.ts';

const DEADLINE_MS = 60_000;
const ACTION = 'Reconcile';

/** Processes one key: runs the controller, reports, and schedules the next run. Never rejects. */
export function createWorker<T extends KubeObject>(
  options: ControllerOptions<T>,
  queue: Pick<Queue, 'add' | 'retry' | 'forget'>,
): (taken: Taken, life: AbortSignal) => Promise<void> {
  const { name, store, log, metrics, clock = systemClock, deadlineMs: timeoutMs = DEADLINE_MS } = options;
  const schedule = createScheduler(queue);
  const lastReasons = new Map<ObjectKey, string | undefined>();

  /**
   * Whether neither the status at the start of the run nor the previous run had this reason: the cache may lag, and memory is
   * lost with a restart.
   */
  const isEntered = (object: T, key: ObjectKey, outcome: RunResult): boolean => {
    const before = lastReasons.get(key);
    lastReasons.set(key, outcome.halt?.reason);
    return before !== outcome.halt?.reason && differsFromStatus(object, outcome);
  };

  return async ({ key, waitedMs }, life) => {
    const object = store.get(key);
    if (object === undefined) {
      lastReasons.delete(key);
      schedule(key, { kind: 'done' });
      return;
    }
    const startedMs = clock.monotonicMs();
    const onTimeout = (): Error => new RunEndedError('deadline');
    using deadline = startDeadline({ signal: life, timeoutMs, onTimeout, clock });
    const outcome = await attempt(options, { object, signal: deadline.signal });
    const entered = isEntered(object, key, outcome);
    if (entered) announce(options, object, outcome);
    else if (outcome.kind === 'done') options.events?.settle({ regarding: object, action: ACTION });
    logRun(log, { controller: name, key }, { outcome, entered });
    metrics?.reconciled({
      controller: name,
      outcome: outcome.kind,
      failure: failureReason(outcome),
      seconds: (clock.monotonicMs() - startedMs) / 1000,
      waitedSeconds: waitedMs / 1000,
    });
    schedule(key, outcome);
  };
}

async function attempt<T extends KubeObject>(options: ControllerOptions<T>, run: Run<T>): Promise<RunResult> {
  try {
    const suspended = isSuspended(run.object) && !isDeleting(run.object);
    const halt = await (suspended ? options.whileSuspended?.(run) : pursue(options, run));
    if (halt !== undefined) return resultOfHalt(halt);
    return { kind: suspended ? 'suspended' : 'done' };
  } catch (error) {
    return resultOfError(error);
  }
}

async function pursue<T extends KubeObject>(options: ControllerOptions<T>, run: Run<T>): Promise<Halt | undefined> {
  const { finalizer } = options;
  const held = finalizer !== undefined && hasFinalizer(run.object, finalizer.name);
  if (isDeleting(run.object)) {
    if (!held) return undefined;
    const halt = await finalizer.cleanUp(run);
    if (halt === undefined) await removeFinalizer(options, run, finalizer.name);
    return halt;
  }
  if (finalizer === undefined || held) return options.reconcile(run);
  await addFinalizer(options, run, finalizer.name);
  return undefined; // the change of the object triggers the next run
}

const isDeleting = ({ metadata }: KubeObject): boolean => typeof metadata.deletionTimestamp === 'string';

function differsFromStatus(object: KubeObject, { kind, halt }: RunResult): boolean {
  if (kind === 'done') return conditionOf(object, 'Stalled')?.status === 'True';
  return halt !== undefined && conditionOf(object, 'Ready')?.reason !== halt.reason;
}

function announce<T extends KubeObject>(
  { events }: ControllerOptions<T>,
  regarding: T,
  { kind, halt }: RunResult,
): void {
  if (kind === 'done') {
    events?.record({
      regarding,
      type: 'Normal',
      reason: 'Succeeded',
      action: ACTION,
      note: 'All steps succeeded',
    });
  } else if (halt !== undefined && (kind === 'wait' || kind === 'stall')) {
    const type = kind === 'stall' ? 'Warning' : 'Normal';
    events?.record({ regarding, type, reason: halt.reason, action: ACTION, note: halt.message });
  }
}
