/** Writes an answer to the client: whole, or while it arrives with backpressure. */
import type { ServerResponse } from 'node:http';
import type { CancelSignal } from '../../lib/cancellation.ts';
import type { Answer } from '../../pipeline/index.ts';
import type { SentFacts } from '../../record/index.ts';
import { relay } from './relay.ts';
import type { BatchWrite } from './write-batch.ts';

export interface RespondOptions {
  /** Joins the writes of many requests in one turn of the event loop. */
  readonly batch: BatchWrite;
  /** The request's signal: cancelled when the client is gone. */
  readonly signal: CancelSignal;
  /** Comments are sent into event streams silent for so long; 0: never. */
  readonly keepAliveMs: number;
}

/** Resolves once the last byte is handed to the socket or the client is gone. Rejects when a header cannot be written. */
export async function respond(response: ServerResponse, answer: Answer, options: RespondOptions): Promise<SentFacts> {
  const { body, headers, status, store } = answer;
  if (body.kind === 'stream') {
    response.writeHead(status, headers);
    return relay(response, body, { ...options, store });
  }
  if (status !== 204 && status !== 304) headers['content-length'] = String(body.bytes.length); // RFC 9110 section 8.6
  response.writeHead(status, headers);
  const firstByteMs = await new Promise<number>((resolve) => {
    options.batch(() => {
      resolve(performance.now());
      response.end(body.bytes);
    });
  });
  store?.push(body.bytes);
  store?.commit();
  return { firstByteMs, bytes: body.bytes.length, error: undefined };
}
