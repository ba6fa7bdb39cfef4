/** What sidecars ask of this gateway beside requests: docs/behaviour/sidecars.md. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CALL_JSON, COUNTERS_PATH, type CountersServer, MAX_BYTES, type Pod } from '../fleet-counters/index.ts';
import { MAX_CALL_BYTES, RECORDS_JSON, RECORDS_PATH, type RecordsServer } from '../fleet-records/index.ts';
import type { ByteBudget } from '../lib/byte-budget.ts';
import type { JsonLimits } from '../lib/json/index.ts';
import type { HeaderMap } from '../pipeline/index.ts';
import type { ProgressRule } from './body/body-progress.ts';
import { checkLength, readBytes } from './body/read-bytes.ts';
import { parseBody } from './body/read-json.ts';

interface CallPorts {
  readonly progress: ProgressRule;
  readonly budget: ByteBudget;
  /** What every answer has. */
  headersOf(request: FastifyRequest): HeaderMap;
}

export interface SidecarCallPorts extends CallPorts {
  readonly counters: CountersServer | undefined;
  readonly records: RecordsServer | undefined;
}

interface Call {
  readonly path: string;
  readonly maxBytes: number;
  readonly json: JsonLimits;
  readonly server: {
    identify(token: string | undefined, bytes: number | undefined): Promise<Pod>;
    answer(pod: Pod, body: unknown): Promise<object>;
  };
}

/** A path that nobody serves here answers 404. */
export function addSidecarCalls(app: FastifyInstance, { counters, records, ...ports }: SidecarCallPorts): void {
  if (counters !== undefined)
    addCall(app, { path: COUNTERS_PATH, maxBytes: MAX_BYTES, json: CALL_JSON, server: counters }, ports);
  if (records !== undefined)
    addCall(app, { path: RECORDS_PATH, maxBytes: MAX_CALL_BYTES, json: RECORDS_JSON, server: records }, ports);
}

/** The body is read once the pod is known. */
function addCall(
  app: FastifyInstance,
  { path, maxBytes, json, server }: Call,
  { progress, budget, headersOf }: CallPorts,
): void {
  app.post(path, async (request, reply) => {
    const message = request.raw as IncomingMessage; // HTTP/2 requests have the same members
    const token = request.headers['x-gw-api-key'];
    checkLength(message, maxBytes);
    const length = request.headers['content-length'];
    const bytes = length === undefined ? undefined : Number(length);
    const pod = await server.identify(typeof token === 'string' ? token : undefined, bytes);
    const memory = budget.open();
    try {
      const body = await readBytes(message, { maxBytes: bytes ?? maxBytes, progress, memory });
      const answer = await server.answer(pod, parseBody(body, json));
      return reply.headers(headersOf(request)).send(answer);
    } finally {
      memory.close();
    }
  });
}
