type Write = (fields: object, message: string) => void;

/** The part of a logger that the runtime uses; pino has it. Fields never hold object data. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}
