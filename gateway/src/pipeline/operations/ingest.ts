/** Calls that bring records for the request log: docs/behaviour/request-logs.md#records-of-clients. */
import type { IngestCall, Operation } from './operation.ts';
import { PROXY_HANDLER } from './proxy/handler.ts';

const ingestOperation = (
  call: IngestCall,
  { id, path, errors }: Pick<Operation, 'id' | 'errors'> & { readonly path: string },
): Operation => ({
  id,
  routes: [{ method: 'POST', path }],
  scopes: ['logs.write', 'completions.write'],
  bodies: ['binary'], // the ingest reads it, within limits of its own
  cacheable: false,
  errors,
  streamFormat: 'events',
  handler: PROXY_HANDLER, // never called: every request is answered here, or by a fleet
  bringsRecords: true,
  answerLocally: (request, { ingest }) => ingest.answer(call, request),
});

export const ingestLogs = ingestOperation('logs', { id: 'ingestLogs', path: '/v1/logs', errors: 'openai' });

export const ingestSpans = ingestOperation('spans', {
  id: 'ingestSpans',
  path: '/v1/otel/v1/traces',
  errors: (request) => (isProtobuf(request.header('content-type')) ? 'otlp_protobuf' : 'otlp'),
});

const isProtobuf = (type = ''): boolean => /^\s*application\/x-protobuf\s*(?:;|$)/i.test(type);
