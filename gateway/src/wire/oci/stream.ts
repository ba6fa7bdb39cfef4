/** Streams of OCI Generative AI: each event is a piece of one choice. */
import type { Frame, JsonObject, StreamDecoder, StreamItem, Usage, WireContext } from '../contract.ts';
import { numberAt, objectAt, objectsAt, textAt } from '../json/json.ts';
import {
  ChatChunks,
  INCOMPLETE_STREAM,
  parseJsonObject,
  readErrorShape,
  type ToolCallDelta,
  toStreamError,
} from '../openai/index.ts';
import { ociFinishReason, textOfContent } from './answer.ts';
import { ociUsage } from './usage.ts';

type Items = readonly StreamItem[];

/** More choices than a request may ask for; those beyond are left out. */
const MAX_CHOICES = 128;

/** A stream without any finish reason ends with an error item. */
export function createOciDecoder(ctx: WireContext): StreamDecoder {
  return new OciDecoder(ctx);
}

class OciDecoder implements StreamDecoder {
  readonly #ctx: WireContext;
  readonly #chunks: ChatChunks;
  /** The tool calls of each choice that has begun. */
  readonly #choices = new Map<number, ToolCalls>();
  #usage: Usage | undefined;
  /** Thoughts are a content block before the text. */
  #thought = false;
  #finished = false;
  #closed = false;

  constructor(ctx: WireContext) {
    this.#ctx = ctx;
    this.#chunks = new ChatChunks(ctx);
  }

  push({ data }: Frame): Items {
    const event = parseJsonObject(data);
    if (event === undefined || this.#closed) return [];
    const fields = objectAt(event, 'message') === undefined ? readErrorShape(event) : undefined;
    if (fields !== undefined) return this.#close([toStreamError(fields, this.#ctx)]);
    this.#usage = ociUsage(objectAt(event, 'usage')) ?? this.#usage;
    const index = numberAt(event, 'index') ?? 0;
    return this.#read(event, index).map((item) => at(item, index));
  }

  end(): Items {
    if (this.#closed) return [];
    if (!this.#finished) return this.#close([INCOMPLETE_STREAM]);
    return this.#close(this.#usage === undefined ? [] : [{ kind: 'usage', usage: this.#usage }]);
  }

  #read(event: JsonObject, index: number): Items {
    const message = objectAt(event, 'message');
    const ended = textAt(event, 'finishReason') !== undefined;
    if (message === undefined && !ended) return [];
    const known = this.#choices.get(index);
    if (known === undefined && this.#choices.size === MAX_CHOICES) return [];
    const calls = known ?? new ToolCalls();
    this.#choices.set(index, calls);
    this.#finished ||= ended;
    return [
      ...(known === undefined ? [this.#chunks.delta({ role: 'assistant', content: '' })] : []),
      ...this.#said(message),
      ...objectsAt(message, 'toolCalls').map((call) => this.#chunks.delta({ tool_calls: [calls.next(call)] })),
      ...(ended ? [this.#chunks.finish(ociFinishReason(event, this.#ctx))] : []),
    ];
  }

  #said(message: JsonObject | undefined): Items {
    const thinking = textAt(message, 'reasoningContent') ?? '';
    const text = textOfContent(message);
    this.#thought ||= thinking !== '';
    return [
      ...(thinking === '' ? [] : this.#chunks.blocks([{ index: 0, delta: { thinking } }])),
      ...(text === '' ? [] : [this.#chunks.text(text, this.#thought ? 1 : 0)]),
    ];
  }

  #close(last: Items): Items {
    this.#closed = true;
    return last;
  }
}

/** Numbers the tool calls of a choice: only the first piece of one has an id. */
class ToolCalls {
  #index = -1;
  #id: string | undefined;

  next(call: JsonObject): ToolCallDelta {
    const id = textAt(call, 'id') ?? '';
    const text = textAt(call, 'arguments') ?? '';
    const begins = this.#index < 0 || (id !== '' && id !== this.#id);
    if (!begins) return { index: this.#index, function: { arguments: text } };
    this.#index += 1;
    this.#id = id;
    return {
      index: this.#index,
      id,
      type: 'function',
      function: { name: textAt(call, 'name') ?? '', arguments: text },
    };
  }
}

/** The item for a choice other than the first. */
function at(item: StreamItem, index: number): StreamItem {
  const choices = item.kind === 'chunk' && index > 0 ? objectsAt({ ...item.data }, 'choices') : [];
  if (item.kind !== 'chunk' || choices.length === 0) return item;
  return { ...item, data: { ...item.data, choices: choices.map((choice) => ({ ...choice, index })) } };
}
