/** Events of a Converse stream as chat chunks. */
import { toUsage } from '../anthropic/index.ts';
import type { Frame, JsonObject, StreamDecoder, StreamItem, WireContext } from '../contract.ts';
import { numberAt, objectAt, textAt } from '../json/json.ts';
import { ChatChunks, finishReasonOf, INCOMPLETE_STREAM, parseJsonObject, toStreamError } from '../openai/index.ts';
import { exceptionFields } from './errors.ts';
import { converseCounts } from './usage.ts';

type Items = readonly StreamItem[];
const NO_ITEMS: Items = [];

/** Turns Converse events into chat chunks, then one usage item; an exception is an error item and the end. */
export function createConverseDecoder(ctx: WireContext): StreamDecoder {
  return new ConverseDecoder(ctx);
}

class ConverseDecoder implements StreamDecoder {
  readonly #ctx: WireContext;
  readonly #chunks: ChatChunks;
  #stopReason: string | undefined;
  #stopped = false;
  #toolIndex = -1;
  #closed = false;

  constructor(ctx: WireContext) {
    this.#ctx = ctx;
    this.#chunks = new ChatChunks(ctx);
  }

  push(frame: Frame): Items {
    if (this.#closed) return NO_ITEMS;
    const failure = exceptionFields(frame);
    if (failure !== undefined) return this.#close([toStreamError(failure, this.#ctx)]);
    const event = parseJsonObject(frame.data);
    return event === undefined ? NO_ITEMS : this.#read(frame.event, event);
  }

  end(): Items {
    if (this.#closed) return NO_ITEMS;
    return this.#close(this.#stopped ? [this.#finish()] : [INCOMPLETE_STREAM]);
  }

  #read(type: string | undefined, event: JsonObject): Items {
    const block = numberAt(event, 'contentBlockIndex') ?? 0;
    switch (type) {
      case 'messageStart':
        return [this.#chunks.delta({ role: 'assistant', content: '' })];
      case 'contentBlockStart':
        return this.#openTool(objectAt(objectAt(event, 'start'), 'toolUse'));
      case 'contentBlockDelta':
        return this.#addDelta(block, objectAt(event, 'delta') ?? {});
      case 'messageStop':
        this.#stopped = true;
        this.#stopReason = textAt(event, 'stopReason');
        return NO_ITEMS;
      case 'metadata':
        return this.#close([
          this.#finish(),
          { kind: 'usage', usage: toUsage(converseCounts(objectAt(event, 'usage'))) },
        ]);
      default:
        return NO_ITEMS;
    }
  }

  #openTool(use: JsonObject | undefined): Items {
    if (use === undefined) return NO_ITEMS;
    this.#toolIndex += 1;
    const call = { name: textAt(use, 'name') ?? '', arguments: '' };
    const id = textAt(use, 'toolUseId') ?? '';
    return [this.#chunks.delta({ tool_calls: [{ index: this.#toolIndex, id, type: 'function', function: call }] })];
  }

  #addDelta(block: number, delta: JsonObject): Items {
    const text = textAt(delta, 'text');
    if (text !== undefined) return [this.#chunks.text(text, block)];
    const input = textAt(objectAt(delta, 'toolUse'), 'input');
    if (input !== undefined) {
      const index = Math.max(this.#toolIndex, 0);
      return [this.#chunks.delta({ tool_calls: [{ index, function: { arguments: input } }] })];
    }
    const extra = reasoningDelta(delta);
    return extra === undefined ? NO_ITEMS : this.#chunks.blocks([{ index: block, delta: extra }]);
  }

  #finish(): StreamItem {
    return this.#chunks.finish(finishReasonOf(this.#stopReason, this.#ctx.strict));
  }

  #close(items: Items): Items {
    this.#closed = true;
    return items;
  }
}

/** Reasoning and citations, for answers that are not strict. */
function reasoningDelta(delta: JsonObject): JsonObject | undefined {
  if (delta['citation'] !== undefined) return { citation: delta['citation'] };
  const reasoning = objectAt(delta, 'reasoningContent');
  if (reasoning === undefined) return undefined;
  if (reasoning['text'] !== undefined) return { thinking: reasoning['text'] };
  if (reasoning['signature'] !== undefined) return { signature: reasoning['signature'] };
  return reasoning['redactedContent'] === undefined ? undefined : { data: reasoning['redactedContent'] };
}
