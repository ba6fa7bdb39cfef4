/**
 * How work learns that nobody needs its result any longer. Every request has one, and few are ever cancelled: without a timer or
 * an event target it costs next to nothing until then.
 */

/** Runs inside `cancel`, synchronously. What it throws is an uncaught error of the process, and the other tasks still run. */
export type CancelTask = () => void;

/** A cancellation as the work sees it. */
export interface CancelSignal {
  readonly cancelled: boolean;
  /** What `cancel` was called with; undefined before. */
  readonly reason: unknown;
  /** Runs the task once, inside `cancel`, or at once when that was before. Tasks run in the order they were added. */
  onCancel(task: CancelTask): void;
  /** Forgets the task: whoever waits no longer lets go of what it holds. */
  offCancel(task: CancelTask): void;
}

export class Cancellation implements CancelSignal {
  #cancelled = false;
  #reason: unknown;
  #tasks: CancelTask[] | undefined;

  get cancelled(): boolean {
    return this.#cancelled;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** The first reason counts. */
  cancel(reason: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#reason = reason;
    const tasks = this.#tasks ?? [];
    // One by one: a task may take back those behind it.
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) run(task);
  }

  onCancel(task: CancelTask): void {
    if (this.#cancelled) task();
    else if (this.#tasks === undefined) this.#tasks = [task];
    else this.#tasks.push(task);
  }

  offCancel(task: CancelTask): void {
    const at = this.#tasks?.indexOf(task) ?? -1;
    if (at >= 0) this.#tasks?.splice(at, 1);
  }
}

/** As an EventTarget calls its listeners: the failure of one is not the failure of the others. */
function run(task: CancelTask): void {
  try {
    task();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** For work that belongs to no request: it is cancelled after the time. */
export function cancelAfter(ms: number): CancelSignal {
  const cancellation = new Cancellation();
  setTimeout(() => cancellation.cancel(new Error(`It took longer than ${ms} ms`)), ms).unref();
  return cancellation;
}

/** Others may wait for the same work, so a caller that is cancelled stops waiting but does not stop the work. */
export function untilCancelled<T>(work: Promise<T>, signal: CancelSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = (): void => reject(signal.reason);
    signal.onCancel(give);
    work.then(resolve, reject).finally(() => signal.offCancel(give));
  });
}
