type Write = (fields: object, message: string) => void;

/** What the runtime needs of a logger; pino's fits. Fields never hold object data. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}
