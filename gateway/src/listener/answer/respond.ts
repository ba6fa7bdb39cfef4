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
export function respond(response: ServerResponse, answer: Answer, options: RespondOptions): Promise<SentFacts> {
  const { body, headers, status, store } = answer;
  if (body.kind === 'bytes') return respondWhole(response, answer, body.bytes, options.batch);
  return new Promise((resolve) => {
    nameStatus(response, status);
    response.writeHead(status, headers);
    resolve(relay(response, body, { ...options, store }));
  });
}

function respondWhole(
  response: ServerResponse,
  { headers, status, store }: Answer,
  bytes: Buffer,
  batch: BatchWrite,
): Promise<SentFacts> {
  if (status !== 204 && status !== 304) headers['content-length'] = String(bytes.length); // RFC 9110 section 8.6
  const sent = new Promise<SentFacts>((resolve) => {
    nameStatus(response, status);
    response.writeHead(status, headers);
    batch(() => {
      resolve({ firstByteMs: performance.now(), bytes: bytes.length, error: undefined });
      response.end(bytes);
    });
  });
  if (store === undefined) return sent;
  return sent.then((facts) => {
    store.push(bytes);
    store.commit();
    return facts;
  });
}

/** The statuses that no RFC names: docs/behaviour/guardrails.md#outcomes. */
function nameStatus(response: ServerResponse, status: number): void {
  if (status === 246) response.statusMessage = 'Guardrail Failed';
  else if (status === 446) response.statusMessage = 'Guardrail Denied';
}
