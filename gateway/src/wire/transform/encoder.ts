/** Items to the text of a client's stream format; docs/behaviour/streams.md. */
import type { ErrorFields, StreamItem, Usage } from '../contract.ts';
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
}

/** Type of the error of a stream that ended before it was complete. */
const STREAM_ERROR = 'stream_error';
const DONE = 'data: [DONE]\n\n';

const sse = (data: unknown, event?: string): string =>
  event === undefined ? `data: ${JSON.stringify(data)}\n\n` : `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

export function createEncoder(protocol: StreamProtocol, options: EncoderOptions): StreamEncoder {
  if (protocol === 'chat' || protocol === 'completion') return createChunkEncoder(options);
  return createEventEncoder(protocol);
}

/** Chat and text completions: bare data events, usage in a chunk of its own, `[DONE]`. */
function createChunkEncoder({ provider, includeUsage }: EncoderOptions): StreamEncoder {
  let envelope: object = {};
  let usage: Usage | undefined;
  let failed: ErrorFields | undefined;
  return {
    encode: (item) => {
      if (item.kind === 'usage') usage = item.usage;
      if (item.kind === 'usage' || failed !== undefined) return '';
      if (item.kind === 'error') {
        failed = item.error;
        return sse({ error: item.error, provider });
      }
      envelope = item.data;
      return sse(includeUsage ? { ...item.data, usage: null } : item.data);
    },
    end: () => {
      if (failed?.type === STREAM_ERROR) return ''; // a broken stream has no [DONE]
      const totals =
        includeUsage && usage !== undefined && failed === undefined ? sse({ ...envelope, choices: [], usage }) : '';
      return `${totals}${DONE}`;
    },
    fail: (error) => sse({ error }),
  };
}

/** Messages and responses: named events that already carry their usage, without `[DONE]`. */
function createEventEncoder(protocol: StreamProtocol): StreamEncoder {
  let sequence = 0;
  const failure = (error: ErrorFields): string =>
    protocol === 'responses'
      ? sse(responseFailed(error, { sequence, id: undefined }), 'response.failed')
      : sse(messagesError(error), 'error');
  return {
    encode: (item) => {
      if (item.kind === 'usage') return '';
      if (item.kind === 'error') return failure(item.error);
      sequence += 1;
      return sse(item.data, item.event);
    },
    end: () => '',
    fail: failure,
  };
}

/** The Anthropic error event. Source: Anthropic API, streaming errors. */
export function messagesError({ message, type }: ErrorFields): object {
  return { type: 'error', error: { type: type ?? 'api_error', message } };
}

/** The terminal event of a failed response. Source: OpenAI Responses API, streaming events. */
export function responseFailed(
  { message, type, code }: ErrorFields,
  { sequence, id }: { readonly sequence: number; readonly id: string | undefined },
): object {
  return {
    type: 'response.failed',
    sequence_number: sequence,
    response: {
      ...(id === undefined ? {} : { id }),
      object: 'response',
      status: 'failed',
      error: { code: code ?? type ?? 'server_error', message },
      output: [],
    },
  };
}
