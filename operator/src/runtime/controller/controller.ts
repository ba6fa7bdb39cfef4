/** A controller of one Kind: workers take keys from a queue and reconcile their objects. */
import type { KubeObject, ObjectKey } from '../client/index.ts';
import { type AddOptions, createQueue, type Queue, type Taken } from '../queue/index.ts';
import { systemClock } from '../time/index.ts';
import type { ControllerOptions } from './options.ts';
import { RunEndedError } from './step-result.ts';
import { createWorker } from './worker.ts';

export interface Controller {
  readonly name: string;
  /** Works on keys until the signal ends, then finishes the runs that have begun; never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Adds a key although nothing in the cluster has changed; does nothing before `run`, which starts with all objects.
   */
  enqueue(key: ObjectKey, options?: AddOptions): void;
}

type Process = (taken: Taken) => Promise<void>;

const WORKERS = 4;

/**
 * Defines a controller. It collects keys only while it runs, starting with those of all existing objects: a replica that does
 * not lead would collect keys without end.
 */
export function defineController<T extends KubeObject>(options: ControllerOptions<T>): Controller {
  const { name, log, watches, clock = systemClock, random, backoff, workers = WORKERS } = options;
  let running: Queue | undefined;
  options.metrics?.observeQueue(name, {
    get depth() {
      return running?.depth ?? 0;
    },
  });

  const collect = (queue: Queue): Disposable => {
    const subscriptions = new DisposableStack();
    for (const rule of watches) {
      const subscription = rule.subscribe((keys, { initial }) => {
        for (const key of keys) queue.add(key, { lane: initial ? 'listed' : 'fresh' });
      });
      subscriptions.use(subscription);
    }
    return subscriptions;
  };
  const work = async (queue: Queue, stopped: AbortSignal, process: Process): Promise<void> => {
    for (;;) {
      const taken = await queue.take(stopped).catch(() => undefined);
      if (taken === undefined) return;
      await process(taken);
      queue.done(taken.key);
    }
  };

  return {
    name,
    enqueue: (key, request) => running?.add(key, request),
    run: async (signal) => {
      const queue = createQueue({ clock, random, backoff });
      running = queue;
      using _collecting = collect(queue);
      const life = new AbortController();
      const onStop = (): void => life.abort(new RunEndedError('stopped'));
      if (signal.aborted) onStop();
      else signal.addEventListener('abort', onStop, { once: true });
      log.info({ controller: name, workers }, 'Controller started');
      const worker = createWorker(options, queue);
      const process: Process = (taken) => worker(taken, life.signal);
      await Promise.all(Array.from({ length: workers }, () => work(queue, signal, process)));
      running = undefined;
      signal.removeEventListener('abort', onStop);
      log.info({ controller: name }, 'Controller stopped');
    },
  };
}
