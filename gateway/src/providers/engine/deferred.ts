/** A value that is there already, or will be: most requests are built without waiting for anything. */
export type Deferred<T> = T | Promise<T>;

/** Goes on with a value as soon as it is there, at once when it is there already. */
export function andThen<T, U>(value: Deferred<T>, next: (value: T) => Deferred<U>): Deferred<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
