/** Items to the text of a client's stream format; docs/behaviour/streams.md. */
import { isObject } from '@gatehouse/crds';
import { messagesTypeOf } from '../../errors/index.ts';
import type { ErrorFields, JsonObject, StreamItem, Usage } from '../contract.ts';
import type { StreamProtocol } from './transform.ts';

export interface StreamEncoder {
  encode(item: StreamItem): string;
  /** After the last item of a stream that ended properly. */
  end(): string;
  /** The stream broke: an error event, and nothing after it. */
  fail(error: ErrorFields): string;
}

export interface EncoderOptions {
  readonly provider: string;
  /** The client asked for a usage chunk. */
  readonly includeUsage: boolean;
  /** Only the gateway asked for usage: the client gets none. */
  readonly hidesUsage?: boolean;
  /** The response as far as it was made, for a stream of responses that fails; undefined: as its first event has it. */
  partial?(): JsonObject | undefined;
}

/** Type of the error of a stream that ended before it was complete. */
const STREAM_ERROR = 'stream_error';
const DONE = 'data: [DONE]\n\n';

const sse = (data: unknown, event?: string): string =>
  event === undefined ? `data: ${JSON.stringify(data)}\n\n` : `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

export function createEncoder(protocol: StreamProtocol, options: EncoderOptions): StreamEncoder {
  if (protocol === 'chat' || protocol === 'completion') return createChunkEncoder(options);
  return createEventEncoder(protocol, options);
}

/** Chat and text completions: bare data events, then `[DONE]`. */
function createChunkEncoder(options: EncoderOptions): StreamEncoder {
  return new ChunkEncoder(options, options.includeUsage ? new UsageChunk() : new FinishingChunk(options));
}

/** Where the usage of a stream is written. */
interface UsagePlace {
  /** The text of what precedes a chunk, and of the chunk, as far as it can be written. */
  write(chunk: object): string;
  /** What is left to write of a stream without error. */
  end(usage: Usage | undefined): string;
  /** What is left to write before an error. */
  rest(usage: Usage | undefined): string;
}

class ChunkEncoder implements StreamEncoder {
  readonly #provider: string;
  readonly #place: UsagePlace;
  #usage: Usage | undefined;
  #failed: ErrorFields | undefined;

  constructor({ provider }: EncoderOptions, place: UsagePlace) {
    this.#provider = provider;
    this.#place = place;
  }

  encode(item: StreamItem): string {
    if (item.kind === 'usage') this.#usage = item.usage;
    if (item.kind === 'usage' || this.#failed !== undefined) return '';
    if (item.kind === 'chunk') return this.#place.write(item.data);
    this.#failed = item.error;
    return this.#place.rest(this.#usage) + sse({ error: item.error, provider: this.#provider });
  }

  end(): string {
    if (this.#failed === undefined) return this.#place.end(this.#usage) + DONE;
    return this.#failed.type === STREAM_ERROR ? '' : DONE; // a broken stream has no [DONE]
  }

  fail(error: ErrorFields): string {
    return (this.#failed === undefined ? this.#place.rest(this.#usage) : '') + sse({ error });
  }
}

/** A chunk of its own at the end, on request; every other has `usage: null`. */
class UsageChunk implements UsagePlace {
  #last: object = {};

  write(chunk: object): string {
    this.#last = chunk;
    return sse({ ...chunk, usage: null });
  }

  end(usage: Usage | undefined): string {
    return usage === undefined ? '' : sse({ ...this.#last, choices: [], usage });
  }

  rest(): string {
    return '';
  }
}

/** The chunk that ends the last choice: it is held until something follows, for the usage may come after it. */
class FinishingChunk implements UsagePlace {
  readonly #hidesUsage: boolean;
  #held: object | undefined;

  constructor({ hidesUsage = false }: EncoderOptions) {
    this.#hidesUsage = hidesUsage;
  }

  write(chunk: object): string {
    const before = this.rest(undefined);
    if (!isFinishing(chunk)) return before + sse(chunk);
    this.#held = chunk;
    return before;
  }

  end(usage: Usage | undefined): string {
    return this.rest(usage);
  }

  rest(usage: Usage | undefined): string {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return '';
    return sse(usage === undefined || this.#hidesUsage ? held : { ...held, usage });
  }
}

function isFinishing(chunk: object): boolean {
  const choices: unknown = 'choices' in chunk ? chunk.choices : undefined;
  return (
    Array.isArray(choices) && choices.some((choice) => isObject(choice) && typeof choice['finish_reason'] === 'string')
  );
}

/** Messages and responses: named events that already carry their usage, without `[DONE]`. */
function createEventEncoder(protocol: StreamProtocol, { partial }: EncoderOptions): StreamEncoder {
  let sequence = 0;
  /** As its first event has it. */
  let response: JsonObject | undefined;
  const failure = (error: ErrorFields): string =>
    protocol === 'responses'
      ? sse(responseFailed(error, { sequence, response: partial?.() ?? response }), 'response.failed')
      : sse(messagesError(error), 'error');
  return {
    encode: (item) => {
      if (item.kind === 'usage') return '';
      if (item.kind === 'error') return failure(item.error);
      sequence += 1;
      if (response === undefined && 'response' in item.data && isObject(item.data.response))
        response = item.data.response;
      return sse(item.data, item.event);
    },
    end: () => '',
    fail: failure,
  };
}

/** The Anthropic error event. Source: Anthropic API, streaming errors. */
export function messagesError({ message, type }: ErrorFields): object {
  return { type: 'error', error: { type: messagesTypeOf(type), message } };
}

/** The terminal event of a failed response. Source: OpenAI Responses API, streaming events. */
export function responseFailed(
  { message, type, code }: ErrorFields,
  { sequence, response }: { readonly sequence: number; readonly response: JsonObject | undefined },
): object {
  return {
    type: 'response.failed',
    sequence_number: sequence,
    response: {
      object: 'response',
      output: [],
      ...response,
      status: 'failed',
      error: { code: code ?? type ?? 'server_error', message },
    },
  };
}
