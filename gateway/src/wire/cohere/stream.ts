/** Events of Cohere's v2 chat as chat chunks. */
import type { Frame, JsonObject, StreamDecoder, StreamItem, WireContext } from '../contract.ts';
import { numberAt, objectAt, objectsAt, textAt } from '../json/json.ts';
import {
  ChatChunks,
  finishReasonOf,
  INCOMPLETE_STREAM,
  parseJsonObject,
  readErrorShape,
  toStreamError,
} from '../openai/index.ts';
import { logprobsOf } from './logprobs.ts';
import { cohereUsage } from './usage.ts';

type Items = readonly StreamItem[];

const NO_ITEMS: Items = [];

/** A stream that ends before its `message-end` ends with an error item. */
export function createCohereDecoder(ctx: WireContext): StreamDecoder {
  return new CohereDecoder(ctx);
}

class CohereDecoder implements StreamDecoder {
  readonly #ctx: WireContext;
  readonly #chunks: ChatChunks;
  /** The tool plan becomes a content block before the upstream's own. */
  #planBlocks = 0;
  #closed = false;

  constructor(ctx: WireContext) {
    this.#ctx = ctx;
    this.#chunks = new ChatChunks(ctx);
  }

  push(frame: Frame): Items {
    const event = parseJsonObject(frame.data);
    if (event === undefined || this.#closed) return NO_ITEMS;
    const type = textAt(event, 'type') ?? frame.event;
    return type === undefined || type === 'error' ? this.#readError(event) : this.#read(type, event);
  }

  end(): Items {
    return this.#closed ? NO_ITEMS : this.#close([INCOMPLETE_STREAM]);
  }

  #read(type: string, event: JsonObject): Items {
    const message = objectAt(objectAt(event, 'delta'), 'message');
    const index = numberAt(event, 'index') ?? 0;
    switch (type) {
      case 'message-start':
        this.#chunks.name(textAt(event, 'id'), undefined);
        return [this.#chunks.delta({ role: 'assistant', content: '' })];
      case 'content-start':
      case 'content-delta':
        return this.#content(objectAt(message, 'content'), index + this.#planBlocks, objectAt(event, 'logprobs'));
      case 'tool-plan-delta':
        return this.#plan(textAt(message, 'tool_plan') ?? '');
      case 'tool-call-start':
      case 'tool-call-delta':
        return this.#toolCall(objectAt(message, 'tool_calls'), index);
      case 'citation-start':
        return this.#citation(objectAt(message, 'citations'));
      case 'message-end':
        return this.#finish(objectAt(event, 'delta'));
      default:
        return NO_ITEMS;
    }
  }

  #content(content: JsonObject | undefined, block: number, probabilities: JsonObject | undefined): Items {
    const text = textAt(content, 'text') ?? '';
    const thinking = textAt(content, 'thinking') ?? '';
    if (thinking !== '') return this.#chunks.blocks([{ index: block, delta: { thinking } }]);
    if (text === '') return NO_ITEMS;
    const item = this.#chunks.text(text, block);
    const logprobs = probabilities && logprobsOf([probabilities], this.#ctx.strict);
    return [logprobs ? withLogprobs(item, logprobs) : item];
  }

  #plan(thinking: string): Items {
    this.#planBlocks = 1;
    return thinking === '' ? NO_ITEMS : this.#chunks.blocks([{ index: 0, delta: { tool_plan: true, thinking } }]);
  }

  /** Only the first event of a call has an id. */
  #toolCall(call: JsonObject | undefined, index: number): Items {
    const id = textAt(call, 'id');
    const called = objectAt(call, 'function');
    const text = textAt(called, 'arguments') ?? '';
    if (id === undefined) return [this.#chunks.delta({ tool_calls: [{ index, function: { arguments: text } }] })];
    const name = textAt(called, 'name') ?? '';
    return [this.#chunks.delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }] })];
  }

  #citation(citation: JsonObject | undefined): Items {
    const item = this.#chunks.delta({});
    if (this.#ctx.strict || citation === undefined || item.kind !== 'chunk') return NO_ITEMS;
    return [{ ...item, data: { ...item.data, citations: [citation] } }];
  }

  #finish(delta: JsonObject | undefined): Items {
    const error = textAt(delta, 'error');
    if (error !== undefined && error !== '') return this.#readError({ message: error });
    const usage = cohereUsage(objectAt(delta, 'usage'), this.#ctx.strict);
    const finish = this.#chunks.finish(finishReasonOf(textAt(delta, 'finish_reason'), this.#ctx.strict));
    return this.#close(usage === undefined ? [finish] : [finish, { kind: 'usage', usage }]);
  }

  /** An event without type is an error body in the middle of the stream, or unknown. */
  #readError(event: JsonObject): Items {
    const fields = readErrorShape(event);
    if (fields === undefined && event['type'] !== 'error') return NO_ITEMS;
    return this.#close([toStreamError(fields, this.#ctx)]);
  }

  #close(last: Items): Items {
    this.#closed = true;
    return last;
  }
}

function withLogprobs(item: StreamItem, logprobs: JsonObject): StreamItem {
  if (item.kind !== 'chunk') return item;
  const choices = objectsAt({ ...item.data }, 'choices').map((choice) => ({ ...choice, logprobs }));
  return { ...item, data: { ...item.data, choices } };
}
