import { type DestinationStream, type Logger, pino } from 'pino';

export interface LogOptions {
  readonly level: string;
  /** Standard output when absent. */
  readonly destination?: DestinationStream;
}

/** Members whose values never reach a log, wherever they stand. */
const SECRET_MEMBERS = [
  'data',
  'stringData',
  'key',
  'token',
  'secret',
  'password',
  'authorization',
  'credential',
  'fields',
];

/** Lines of JSON; of an error its name and code, and a stack only where the fault is ours. */
export function createLog({ level, destination }: LogOptions): Logger {
  const options = {
    level,
    base: { service: 'gatehouse-operator' },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_MEMBERS.flatMap((name) => [`*.${name}`]), censor: '[redacted]' },
    serializers: { err: describeError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { name: 'Unknown' };
  // An answer of the API server may quote the object it is about.
  if ('reason' in error && 'status' in error) return { name: error.name, reason: error.reason, status: error.status };
  return { name: error.name, message: error.message, stack: error.stack };
}
