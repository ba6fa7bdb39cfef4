/** From a provider's answer to the format of the operation: docs/behaviour/errors.md, docs/behaviour/streams.md. */
import { isObject } from '@gatehouse/crds';
import { AppError, messagesTypeOf } from '../../../errors/index.ts';
import { type JsonLimits, readJson } from '../../../lib/json/index.ts';
import type { Scrubber } from '../../../lib/scrub.ts';
import type { JsonObject, StreamDecoder } from '../../../providers/contract.ts';
import { openStream, providerErrorBody, readAnswer, readErrorFields } from '../../../providers/engine/index.ts';
import type { UpstreamResponse } from '../../../upstream/index.ts';
import { createFrameReader } from '../../../wire/framing/index.ts';
import { wantsUsageChunk } from '../../../wire/openai/index.ts';
import {
  type ByteTransform,
  createDecodeTransform,
  createEncoder,
  createRelayTransform,
} from '../../../wire/transform/index.ts';
import type { StreamAdapter } from '../../adapters/index.ts';
import { isEncoded, isServerSent, passedHeaders, relayedHeaders, type UnaryAnswer } from '../../attempt/map/index.ts';
import type { ClientAnswer, ClientStream, ServedCall } from '../handler.ts';
import { observed } from '../observed.ts';
import { callOf, errorFormatOf } from '../operation.ts';

/** Statuses that are never mapped: the vendor's own 408 and 412 are relayed. */
const RELAYED: ReadonlySet<number> = new Set([408, 412]);
const JSON_TYPE = 'application/json';

/** A good answer that is whole. Throws UPSTREAM_INVALID_RESPONSE. */
export function successAnswer(served: ServedCall, answer: UnaryAnswer, json: JsonLimits): ClientAnswer {
  const { provider, endpoint, call, adaptation } = served;
  const headers = passedHeaders(answer.headers);
  if (endpoint === undefined) return { headers, bytes: answer.bytes };
  const read = readAnswer(provider, endpoint, call, { bytes: answer.bytes, head: answer, json });
  if (adaptation !== undefined) {
    headers['content-type'] = JSON_TYPE;
    const adapted = adaptation.toClient(parsed(read, served, json));
    return { headers, bytes: Buffer.from(JSON.stringify(adapted)), counted: read };
  }
  if (read !== answer.bytes) headers['content-type'] = JSON_TYPE;
  return { headers, bytes: read };
}

function parsed(bytes: Buffer, { provider }: ServedCall, json: JsonLimits): JsonObject {
  const invalid = (): AppError => new AppError('UPSTREAM_INVALID_RESPONSE', { provider: provider.id });
  let value: unknown;
  try {
    value = readJson(bytes, json);
  } catch {
    throw invalid(); // what the parser says quotes the body
  }
  if (!isObject(value)) throw invalid();
  return value;
}

/** A vendor error in the error format of the operation; empty bodies are relayed as they are. */
export function errorAnswer({ provider, operation, call }: ServedCall, answer: UnaryAnswer): ClientAnswer {
  const headers = passedHeaders(answer.headers);
  if (answer.bytes.length === 0 || RELAYED.has(answer.status)) return { headers, bytes: answer.bytes };
  const fields = readErrorFields(provider, answer, answer.bytes);
  const plain = providerErrorBody(provider.id, fields);
  const isMessages =
    errorFormatOf(operation, { path: `/v1${call.path}`, header: (name) => call.header(name) }) === 'messages';
  const body = isMessages ? inMessagesShape(plain, answer.status) : plain;
  headers['content-type'] = JSON_TYPE;
  return { headers, bytes: Buffer.from(JSON.stringify(body)) };
}

function inMessagesShape(plain: ReturnType<typeof providerErrorBody>, status: number): object {
  return {
    ...plain,
    type: 'error',
    error: { ...plain.error, type: messagesTypeOf(plain.error.type, status) },
  };
}

/** A good answer that is relayed while it arrives. */
export function streamAnswer(served: ServedCall, response: UpstreamResponse, scrub: Scrubber): ClientStream {
  const { endpoint } = served;
  // A client may ask for events in a way of its own, such as the field of a form.
  if (endpoint?.answer.kind === 'binary' && (!isServerSent(response) || isEncoded(response))) {
    return { headers: relayedHeaders(response.headers), transform: undefined, ...observed(response, served.operation) };
  }
  const headers = passedHeaders(response.headers);
  if (endpoint?.stream?.kind === 'decode') headers['content-type'] = 'text/event-stream; charset=utf-8';
  return { headers, transform: streamTransform(served, scrub) };
}

function streamTransform(
  { provider, endpoint, call, params, operation, adaptation }: ServedCall,
  scrub: Scrubber,
): ByteTransform {
  const format = operation.streamFormat;
  const includeUsage = wantsUsageChunk(params);
  // Providers that relay bytes send the usage chunk as the contract wants it; look-alikes spread it in their own ways.
  const items = adaptation !== undefined || (includeUsage && endpoint?.stream?.kind === 'tag');
  const opened = endpoint === undefined ? undefined : openStream(provider, endpoint, call, { items });
  if (adaptation !== undefined && opened?.kind !== 'decode') {
    throw new AppError('OPERATION_UNSUPPORTED', {
      detail: `Streams of ${callOf(operation)} are not offered by ${provider.id}`,
      provider: provider.id,
    });
  }
  if (opened === undefined) return createRelayTransform(format, { scrub: scrub.bytes });
  if (opened.kind === 'relay') return createRelayTransform(format, { relay: opened.relay, scrub: scrub.bytes });
  const adapter = adaptation?.openStream();
  const encoder = createEncoder(format, {
    provider: provider.id,
    includeUsage,
    hidesUsage: call.hidesUsage === true,
    partial: () => adapter?.partial?.(),
  });
  const reader = createFrameReader(opened.framing);
  const decoder = adapter === undefined ? opened.decoder : adapted(opened.decoder, adapter);
  return createDecodeTransform({ reader, decoder, encoder, scrub: scrub.text });
}

/** A decoder whose items are in the format of the operation. */
function adapted(decoder: StreamDecoder, adapter: StreamAdapter): StreamDecoder {
  return {
    push: (frame) => decoder.push(frame).flatMap((item) => adapter.push(item)),
    end: () => [...decoder.end().flatMap((item) => adapter.push(item)), ...adapter.end()],
  };
}
