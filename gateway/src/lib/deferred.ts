/** A value or its promise: most requests are built, checked and answered without waiting for anything but the network. */
export type Deferred<T> = T | Promise<T>;

/** Calls `next` with the value, synchronously unless it is a promise. */
export function andThen<T, U>(value: Deferred<T>, next: (value: T) => Deferred<U>): Deferred<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** All values in their order; those themselves where none is a promise. */
export function allOf<T>(values: readonly Deferred<T>[]): Deferred<readonly T[]> {
  return values.every(isKnown) ? values : Promise.all(values);
}

const isKnown = <T>(value: Deferred<T>): value is T => !(value instanceof Promise);

/** Calls `end` when the work is done or has failed. */
export function lastly<T>(work: () => Deferred<T>, end: () => void): Deferred<T> {
  let done: Deferred<T>;
  try {
    done = work();
  } catch (error) {
    end();
    throw error;
  }
  if (done instanceof Promise) return done.finally(end);
  end();
  return done;
}
