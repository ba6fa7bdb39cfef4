/** From an upstream answer to the client's bytes; spec/providers.md 1.7 and 1.8, behaviour-errors 18.3. */
import { messagesErrorType } from '../../../errors/index.ts';
import type { JsonLimits } from '../../../lib/json/index.ts';
import type { Scrubber } from '../../../lib/scrub.ts';
import type { Call, Endpoint, Provider } from '../../../providers/contract.ts';
import { openStream, providerErrorBody, readAnswer, readErrorFields } from '../../../providers/engine/index.ts';
import type { UpstreamResponse } from '../../../upstream/index.ts';
import { createFrameReader } from '../../../wire/framing/index.ts';
import { wantsUsageChunk } from '../../../wire/openai/index.ts';
import {
  type ByteTransform,
  createDecode,
  createEncoder,
  createRelay,
  type StreamProtocol,
} from '../../../wire/transform/index.ts';
import type { HeaderMap } from '../../exchange.ts';
import type { Operation, Protocol } from '../../operations/index.ts';
import { passedHeaders } from './passed-headers.ts';
import type { UnaryAnswer } from './unpack.ts';

export interface ClientAnswer {
  readonly headers: HeaderMap;
  readonly bytes: Buffer;
}

/** Statuses that are never mapped: the vendor's own 408 and 412 are relayed (behaviour-errors 18.3). */
const RELAYED: ReadonlySet<number> = new Set([408, 412]);
const JSON_TYPE = 'application/json';

/** A successful unary answer in the client's format. Throws UPSTREAM_INVALID_RESPONSE. */
export function successAnswer(
  provider: Provider,
  endpoint: Endpoint,
  call: Call,
  answer: UnaryAnswer & { readonly json?: JsonLimits },
): ClientAnswer {
  const headers = passedHeaders(answer.headers);
  const bytes = readAnswer(provider, endpoint, call, { ...answer, head: answer });
  if (bytes !== answer.bytes) headers['content-type'] = JSON_TYPE;
  return { headers, bytes };
}

/** A vendor error in the error normal form of the client's protocol; empty bodies are relayed as they are. */
export function errorAnswer(provider: Provider, { protocol }: Operation, answer: UnaryAnswer): ClientAnswer {
  const headers = passedHeaders(answer.headers);
  if (answer.bytes.length === 0 || RELAYED.has(answer.status)) return { headers, bytes: answer.bytes };
  const fields = readErrorFields(provider, answer, answer.bytes);
  const plain = providerErrorBody(provider.id, fields);
  const body = protocol === 'messages' ? inMessagesShape(plain, answer.status) : plain;
  headers['content-type'] = JSON_TYPE;
  return { headers, bytes: Buffer.from(JSON.stringify(body)) };
}

function inMessagesShape(plain: ReturnType<typeof providerErrorBody>, status: number): object {
  return {
    ...plain,
    type: 'error',
    error: { ...plain.error, type: plain.error.type ?? messagesErrorType({ status }) },
  };
}

const STREAM_PROTOCOLS: Readonly<Record<Protocol, StreamProtocol>> = {
  chat: 'chat',
  completion: 'completion',
  messages: 'messages',
  responses: 'responses',
  embedding: 'events',
  models: 'events',
  proxy: 'events',
};

/** How a stream's bytes reach the client; undefined: as they are, with nothing to say when they break. */
export function streamTransform(
  provider: Provider,
  endpoint: Endpoint | undefined,
  call: Call,
  { operation: { protocol }, scrub }: { readonly operation: Operation; readonly scrub: Scrubber },
): ByteTransform {
  const format = STREAM_PROTOCOLS[protocol];
  const includeUsage = call.hidesUsage !== true && wantsUsageChunk(call.params);
  // Providers that relay bytes send the usage chunk as the contract wants it; look-alikes spread it in their own ways.
  const opened =
    endpoint === undefined
      ? undefined
      : openStream(provider, endpoint, call, { items: includeUsage && endpoint.stream?.kind === 'tag' });
  if (opened === undefined) return createRelay(format, { scrub: scrub.bytes });
  if (opened.kind === 'relay') return createRelay(format, { relay: opened.relay, scrub: scrub.bytes });
  const encoder = createEncoder(format, { provider: provider.id, includeUsage });
  const reader = createFrameReader(opened.framing);
  return createDecode({ reader, decoder: opened.decoder, encoder, scrub: scrub.text });
}

/** Media types of event streams, whatever the vendor frames them in. */
const STREAM_TYPES = [
  'text/event-stream',
  'application/vnd.amazon.eventstream',
  'application/x-ndjson',
  'application/stream+json',
];

export function isEventStream(response: Pick<UpstreamResponse, 'headers'>): boolean {
  return STREAM_TYPES.some((known) => hasType(response, known));
}

/** Whether an error event can be said at the end of the stream. */
export const isServerSent = (response: Pick<UpstreamResponse, 'headers'>): boolean =>
  hasType(response, 'text/event-stream');

function hasType({ headers }: Pick<UpstreamResponse, 'headers'>, wanted: string): boolean {
  const type = headers['content-type'];
  return typeof type === 'string' && type.toLowerCase().startsWith(wanted);
}
