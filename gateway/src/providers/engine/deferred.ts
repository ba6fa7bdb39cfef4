/** A value or its promise: most requests are built without waiting for anything. */
export type Deferred<T> = T | Promise<T>;

/** Calls `next` with the value, synchronously unless it is a promise. */
export function andThen<T, U>(value: Deferred<T>, next: (value: T) => Deferred<U>): Deferred<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
