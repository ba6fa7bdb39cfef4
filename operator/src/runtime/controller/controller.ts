import type { KubeObject, ObjectKey } from '../client/index.ts';
import { type AddOptions, createQueue } from '../queue/index.ts';
import { systemClock } from '../time/index.ts';
import { createAttendant } from './attend.ts';
import type { ControllerOptions } from './options.ts';
import { RunEndedError } from './step-result.ts';

export interface Controller {
  readonly name: string;
  /** Works on keys until the signal ends, then finishes the runs that have begun; never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Has a key looked at although nothing in the cluster has changed. */
  enqueue(key: ObjectKey, options?: AddOptions): void;
}

const WORKERS = 4;

/** A controller of one Kind. It collects keys from now on and works on them while it runs (engineering 8.14). */
export function defineController<T extends KubeObject>(options: ControllerOptions<T>): Controller {
  const { name, log, watches, clock = systemClock, random, backoff, workers = WORKERS } = options;
  const queue = createQueue({ clock, random, backoff });
  const attend = createAttendant(options, queue);
  options.metrics?.observeQueue(name, queue);
  for (const rule of watches) {
    rule.subscribe((keys, { initial }) => {
      for (const key of keys) queue.add(key, { lane: initial ? 'listed' : 'fresh' });
    });
  }

  const work = async (stopped: AbortSignal, life: AbortSignal): Promise<void> => {
    for (;;) {
      const taken = await queue.take(stopped).catch(() => undefined);
      if (taken === undefined) return;
      await attend(taken, life);
      queue.done(taken.key);
    }
  };

  return {
    name,
    enqueue: queue.add,
    run: async (signal) => {
      const life = new AbortController();
      const onStop = (): void => life.abort(new RunEndedError('stopped'));
      if (signal.aborted) onStop();
      else signal.addEventListener('abort', onStop, { once: true });
      log.info({ controller: name, workers }, 'Controller started');
      await Promise.all(Array.from({ length: workers }, () => work(signal, life.signal)));
      signal.removeEventListener('abort', onStop);
      log.info({ controller: name }, 'Controller stopped');
    },
  };
}
