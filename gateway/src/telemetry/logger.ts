import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

export interface LoggerOptions {
  readonly level: string;
  readonly service: string;
  /** Standard output when absent. */
  readonly destination?: DestinationStream;
}

/** Members whose values never reach a log, wherever they stand (behaviour-providers-hosts 11.8). */
const SECRET_MEMBERS = ['apiKey', 'api_key', 'authorization', 'secret', 'token', 'password', 'credential', 'fields'];

export function createLogger({ level, service, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: { service },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_MEMBERS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    serializers: { err: describeError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** An error with its causes; stacks only where the fault is ours. */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  const known = Object.hasOwn(code, 'code') && !('code' in error && error.code === 'INTERNAL');
  return { ...code, message: error.message, ...(known ? {} : { stack: error.stack }), ...cause };
}
