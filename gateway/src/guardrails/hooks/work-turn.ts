/** Checks work at once, one after another, until other requests are due: many short ones together are a long one. */
import { allOf, type Deferred } from '../../lib/deferred.ts';
import type { CheckTools } from '../contract.ts';

/** Work without a pause, in ms; the check that runs then goes on to its own end or pause. */
const TURN_MS = 5;

/** The time that the checks of one phase have taken since other requests were served. */
export class WorkTurn {
  #endsMs = performance.now() + TURN_MS;

  /** Undefined: work may go on. Otherwise it may when the promise resolves, which never rejects. */
  pause({ nextSlice }: Pick<CheckTools, 'nextSlice'>): Promise<void> | undefined {
    if (performance.now() < this.#endsMs) return undefined;
    return nextSlice().then(() => {
      this.#endsMs = performance.now() + TURN_MS;
    });
  }
}

interface Starting<I, T> {
  readonly turn: WorkTurn;
  readonly tools: Pick<CheckTools, 'nextSlice'>;
  /** Never rejects. */
  start(item: I): Deferred<T>;
}

/** Starts all of them in their order, with pauses between them; what waits for others does not hold up those behind it. */
export function startAll<I, T>(items: readonly I[], starting: Starting<I, T>): Deferred<readonly T[]> {
  const { turn, tools, start } = starting;
  const started: Deferred<T>[] = [];
  const goOn = (isRested: boolean): Deferred<readonly T[]> => {
    let rested = isRested;
    for (let i = started.length; i < items.length; i += 1) {
      const pause = rested ? undefined : turn.pause(tools);
      if (pause !== undefined) return pause.then(() => goOn(true));
      rested = false;
      started.push(start(items[i] as I)); // below the length
    }
    return allOf(started);
  };
  return goOn(false);
}
