import { inspect } from 'node:util';

/** A value that may be a credential: settings are plain, credentials are not. */
export type MaybeSecret = string | Secret;

export const reveal = (value: MaybeSecret): string => (typeof value === 'string' ? value : value.reveal());

const REDACTED = '[redacted]';

/** A value that prints as `[redacted]` wherever it could leak: JSON, templates, logs, inspect. */
export class Secret<T extends string = string> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The value itself, for adapters that send it. */
  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}
