/** `POST /sidecars/v1/counters`: what sidecars count in this gateway; docs/behaviour/sidecars.md#limits-and-budgets. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CALL_JSON, COUNTERS_PATH, type CountersServer, MAX_BYTES } from '../fleet-counters/index.ts';
import type { ByteBudget } from '../lib/byte-budget.ts';
import type { HeaderMap } from '../pipeline/index.ts';
import type { ProgressRule } from './body/body-progress.ts';
import { checkLength, readBytes } from './body/read-bytes.ts';
import { parseBody } from './body/read-json.ts';

export interface CountersPorts {
  readonly counters: CountersServer;
  readonly progress: ProgressRule;
  readonly budget: ByteBudget;
  /** What every answer has. */
  headersOf(request: FastifyRequest): HeaderMap;
}

/** The body is read once the pod is known. */
export function addSidecarCounters(
  app: FastifyInstance,
  { counters, progress, budget, headersOf }: CountersPorts,
): void {
  app.post(COUNTERS_PATH, async (request, reply) => {
    const message = request.raw as IncomingMessage; // HTTP/2 requests have the same members
    const token = request.headers['x-gw-api-key'];
    checkLength(message, MAX_BYTES);
    const length = request.headers['content-length'];
    const bytes = length === undefined ? undefined : Number(length);
    const pod = await counters.identify(typeof token === 'string' ? token : undefined, bytes);
    const memory = budget.open();
    try {
      const body = await readBytes(message, { maxBytes: bytes ?? MAX_BYTES, progress, memory });
      const answer = await counters.answer(pod, parseBody(body, CALL_JSON));
      return reply.headers(headersOf(request)).send(answer);
    } finally {
      memory.close();
    }
  });
}
