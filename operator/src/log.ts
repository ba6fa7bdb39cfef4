import { type DestinationStream, type Logger, pino } from 'pino';

export interface LogOptions {
  readonly level: string;
  /** The program: `gatehouse-operator` by default. */
  readonly service?: string;
  /** Standard output by default. */
  readonly destination?: DestinationStream;
}

/** Members whose values are redacted at any depth. */
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

/** Logs JSON lines. An error is logged with name and code, and with its stack only where the operator is at fault. */
export function createLog({ level, service = 'gatehouse-operator', destination }: LogOptions): Logger {
  const options = {
    level,
    base: { service },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_MEMBERS.flatMap((name) => [`*.${name}`]), censor: '[redacted]' },
    serializers: { err: describeError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { name: 'Unknown' };
  // An answer of the API server may quote the object.
  if ('reason' in error && 'status' in error) return { name: error.name, reason: error.reason, status: error.status };
  return { name: error.name, message: error.message, stack: error.stack };
}
