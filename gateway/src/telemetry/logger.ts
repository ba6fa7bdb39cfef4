import { type DestinationStream, type Logger, pino } from 'pino';
import { isoTime } from '../lib/clock.ts';
import { batchLines } from './line-batch.ts';
import { withoutSecrets } from './redact.ts';

export type { Logger } from 'pino';

export interface LoggerOptions {
  readonly level: string;
  readonly service: string;
  /** Standard output when absent. */
  readonly destination?: DestinationStream;
}

export function createLogger({ level, service, destination = createStandardOutput() }: LoggerOptions): Logger {
  const options = {
    level,
    base: { service },
    timestamp: createTimestamp(),
    formatters: { level: (label: string) => ({ level: label }), log: withoutSecrets },
    serializers: { err: describeError },
  };
  return pino(options, destination);
}

/** Standard output; lines of one turn of the event loop are written together. */
export function createStandardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true });
  const lines = batchLines((text) => output.write(text));
  process.once('exit', lines.flush);
  return lines;
}

/** The time of a line, made once per ms. */
function createTimestamp(): () => string {
  let madeMs = 0;
  let text = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== madeMs) {
      madeMs = nowMs;
      text = `,"time":"${isoTime(nowMs)}"`;
    }
    return text;
  };
}

/** An error with its causes; with a stack only where the code has no code of the table or is INTERNAL. */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  const known = Object.hasOwn(code, 'code') && !('code' in error && error.code === 'INTERNAL');
  return { ...code, message: error.message, ...(known ? {} : { stack: error.stack }), ...cause };
}
