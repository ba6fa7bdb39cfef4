import type { Sink, TraceContext } from '../record/index.ts';
import { createLineWriter } from './line-writer.ts';
import type { Logger } from './logger.ts';
import { maskHeaders } from './mask.ts';
import { attemptsText, requestLine } from './request-line.ts';

export interface LogSinkOptions {
  readonly logger: Logger;
  /** Header names, lower case, that this deployment masks in every log. */
  readonly headersToMask: readonly string[];
}

/** Writes one line per finished request; at level debug the request's headers too, and each attempt. */
export function createLogSink({ logger, headersToMask }: LogSinkOptions): Sink {
  const writeFinished = createLineWriter(logger, 'Request finished');
  return {
    name: 'log',
    readsUsage: true,
    record: (record) => {
      const { request, answer } = record;
      const isDebug = logger.isLevelEnabled('debug');
      if (isDebug) {
        const names = new Set([...headersToMask, ...request.sensitiveHeaders()]);
        logger.debug({ ...idsOf(request.trace), headers: maskHeaders(request.headers(), names) }, 'Request received');
      }
      if (logger.isLevelEnabled('info'))
        writeFinished(isDebug ? requestLine(record) + attemptsText(record.attempts) : requestLine(record));
      const { error } = answer;
      if (error !== undefined && error.row.log !== 'info')
        logger[error.row.log]({ err: error, ...idsOf(request.trace) }, 'Request failed');
    },
  };
}

const idsOf = ({ traceId, spanId }: TraceContext): object => ({
  traceId,
  ...(spanId === undefined ? {} : { spanId }),
});
