/** Events of a messages stream as chat chunks. */
import { scalarText } from '../../lib/scalar-text.ts';
import type { Frame, JsonObject, StreamDecoder, StreamItem, WireContext } from '../contract.ts';
import { numberAt, objectAt, orAbsent, textAt } from '../json/json.ts';
import { ChatChunks, finishReasonOf, INCOMPLETE_STREAM, parseJsonObject, toStreamError } from '../openai/index.ts';
import { anthropicErrorFields } from './errors.ts';
import { countsOf, NO_TOKENS, type TokenCounts, toUsage } from './usage.ts';

type Items = readonly StreamItem[];
const NO_ITEMS: Items = [];

/**
 * Turns the events of a messages stream into chat chunks, then one usage item. A stream that ends before its
 * `message_delta` ends with an error item.
 */
export function createAnthropicDecoder(ctx: WireContext): StreamDecoder {
  return new AnthropicDecoder(ctx);
}

class AnthropicDecoder implements StreamDecoder {
  readonly #ctx: WireContext;
  readonly #chunks: ChatChunks;
  #counts: TokenCounts = NO_TOKENS;
  /** The current tool call: its block index upstream and its index in the client's stream. */
  #openTool: { readonly block: number; readonly index: number } | undefined;
  #tools = 0;
  #phase: 'open' | 'finished' | 'closed' = 'open';

  constructor(ctx: WireContext) {
    this.#ctx = ctx;
    this.#chunks = new ChatChunks(ctx);
  }

  push(frame: Frame): Items {
    const event = parseJsonObject(frame.data);
    if (event === undefined || this.#phase === 'closed') return NO_ITEMS;
    return this.#read(textAt(event, 'type') ?? frame.event, event);
  }

  end(): Items {
    if (this.#phase === 'open') return this.#fail(INCOMPLETE_STREAM);
    return this.#close();
  }

  #read(type: string | undefined, event: JsonObject): Items {
    switch (type) {
      case 'message_start':
        return this.#start(objectAt(event, 'message'));
      case 'content_block_start':
        return this.#openBlock(numberAt(event, 'index') ?? 0, objectAt(event, 'content_block') ?? {});
      case 'content_block_delta':
        return this.#addDelta(numberAt(event, 'index') ?? 0, objectAt(event, 'delta') ?? {});
      case 'message_delta':
        return this.#finish(event);
      case 'message_stop':
        return this.#phase === 'finished' ? this.#close() : NO_ITEMS;
      case 'error':
        return this.#fail(toStreamError(anthropicErrorFields(event), this.#ctx));
      default:
        return NO_ITEMS;
    }
  }

  #start(message: JsonObject | undefined): Items {
    this.#chunks.name(textAt(message, 'id'), textAt(message, 'model'));
    this.#counts = countsOf(objectAt(message, 'usage'), this.#counts);
    return [this.#chunks.delta({ role: 'assistant', content: '' })];
  }

  #openBlock(index: number, block: JsonObject): Items {
    switch (block['type']) {
      case 'tool_use':
        return this.#openToolCall(index, block);
      case 'text':
        return this.#openText(index, textAt(block, 'text') ?? '');
      case 'thinking': {
        const delta = { thinking: textAt(block, 'thinking') ?? '', signature: textAt(block, 'signature') ?? '' };
        return this.#chunks.blocks([{ index, delta }]);
      }
      case 'redacted_thinking':
        return this.#chunks.blocks([{ index, delta: { data: block['data'] } }]);
      default:
        return this.#chunks.blocks([{ index, delta: block }]);
    }
  }

  #openText(index: number, text: string): Items {
    return text === '' ? this.#chunks.blocks([{ index, delta: { text } }]) : [this.#chunks.text(text, index)];
  }

  #openToolCall(block: number, { id, name, input }: JsonObject): Items {
    const index = this.#tools;
    this.#tools += 1;
    this.#openTool = { block, index };
    // Usually empty and followed by deltas; some upstreams send the whole input at once.
    const whole = orAbsent(objectAt({ input }, 'input') ?? {});
    const call = { name: scalarText(name), arguments: whole === undefined ? '' : JSON.stringify(whole) };
    return [this.#chunks.delta({ tool_calls: [{ index, id: scalarText(id), type: 'function', function: call }] })];
  }

  #addDelta(index: number, delta: JsonObject): Items {
    switch (delta['type']) {
      case 'text_delta':
        return [this.#chunks.text(textAt(delta, 'text') ?? '', index)];
      case 'input_json_delta':
        return this.#addInput(index, textAt(delta, 'partial_json') ?? '');
      case 'thinking_delta':
        return this.#chunks.blocks([{ index, delta: { thinking: delta['thinking'] } }]);
      case 'signature_delta':
        return this.#chunks.blocks([{ index, delta: { signature: delta['signature'] } }]);
      case 'citations_delta':
        return this.#chunks.blocks([{ index, delta: { citation: delta['citation'] } }]);
      default:
        return NO_ITEMS;
    }
  }

  /** Inputs of server tools are not calls of the client's tools. */
  #addInput(block: number, json: string): Items {
    if (this.#openTool?.block !== block) return this.#chunks.blocks([{ index: block, delta: { partial_json: json } }]);
    return [this.#chunks.delta({ tool_calls: [{ index: this.#openTool.index, function: { arguments: json } }] })];
  }

  #finish(event: JsonObject): Items {
    this.#counts = countsOf(objectAt(event, 'usage'), this.#counts);
    const reason = textAt(objectAt(event, 'delta'), 'stop_reason');
    if (reason === undefined || this.#phase === 'finished') return NO_ITEMS;
    this.#phase = 'finished';
    return [this.#chunks.finish(finishReasonOf(reason, this.#ctx.strict))];
  }

  #close(): Items {
    if (this.#phase === 'closed') return NO_ITEMS;
    this.#phase = 'closed';
    return [{ kind: 'usage', usage: toUsage(this.#counts) }];
  }

  #fail(error: StreamItem): Items {
    this.#phase = 'closed';
    return [error];
  }
}
