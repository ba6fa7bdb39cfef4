/** Events of a Converse stream as events of a messages stream. */
import { toUsage } from '../anthropic/index.ts';
import type { Frame, JsonObject, StreamDecoder, StreamItem, WireContext } from '../contract.ts';
import { numberAt, objectAt, textAt } from '../json/json.ts';
import { INCOMPLETE_STREAM, parseJsonObject, toStreamError } from '../openai/index.ts';
import { exceptionFields } from './errors.ts';
import { messageHead, toMessagesUsage, toStopReason } from './messages-answer.ts';
import { converseCounts } from './usage.ts';

type Items = readonly StreamItem[];
const NO_ITEMS: Items = [];

/** Emits the events of the messages format, then one usage item; blocks are closed before the next one opens. */
export function createConverseMessagesDecoder(ctx: WireContext): StreamDecoder {
  return new ConverseMessagesDecoder(ctx);
}

class ConverseMessagesDecoder implements StreamDecoder {
  readonly #ctx: WireContext;
  /** The open block: its index upstream and in the client's stream. */
  #open: { readonly upstream: number; readonly index: number } | undefined;
  #blocks = 0;
  #started = false;
  #stopReason: string | undefined;
  #stopped = false;
  #closed = false;

  constructor(ctx: WireContext) {
    this.#ctx = ctx;
  }

  push(frame: Frame): Items {
    if (this.#closed) return NO_ITEMS;
    const failure = exceptionFields(frame);
    if (failure !== undefined) return this.#fail(toStreamError(failure, this.#ctx));
    const event = parseJsonObject(frame.data);
    return event === undefined ? NO_ITEMS : this.#read(frame.event, event);
  }

  end(): Items {
    if (this.#closed) return NO_ITEMS;
    return this.#stopped ? this.#finish(undefined) : this.#fail(INCOMPLETE_STREAM);
  }

  #read(type: string | undefined, event: JsonObject): Items {
    const upstream = numberAt(event, 'contentBlockIndex') ?? 0;
    switch (type) {
      case 'messageStart':
        return this.#start();
      case 'contentBlockStart': {
        const use = objectAt(objectAt(event, 'start'), 'toolUse');
        return use === undefined ? NO_ITEMS : this.#openBlock(upstream, toolUseBlock(use));
      }
      case 'contentBlockDelta':
        return this.#addDelta(upstream, objectAt(event, 'delta') ?? {});
      case 'contentBlockStop':
        return this.#closeBlock();
      case 'messageStop':
        this.#stopped = true;
        this.#stopReason = textAt(event, 'stopReason');
        return NO_ITEMS;
      case 'metadata':
        return this.#finish(objectAt(event, 'usage'));
      default:
        return NO_ITEMS;
    }
  }

  #start(): Items {
    if (this.#started) return NO_ITEMS;
    this.#started = true;
    const usage = { input_tokens: 0, output_tokens: 0 };
    const message = { ...messageHead(this.#ctx), content: [], stop_reason: null, stop_sequence: null, usage };
    return [item('message_start', { message })];
  }

  #addDelta(upstream: number, raw: JsonObject): Items {
    const change = readDelta(raw);
    if (change === undefined) return NO_ITEMS;
    const opening = this.#open?.upstream === upstream ? NO_ITEMS : this.#openBlock(upstream, change.block);
    if (change.delta === undefined) return opening;
    return [...opening, item('content_block_delta', { index: this.#open?.index ?? 0, delta: change.delta })];
  }

  #openBlock(upstream: number, content_block: JsonObject): Items {
    const before = [...this.#start(), ...this.#closeBlock()];
    this.#open = { upstream, index: this.#blocks };
    this.#blocks += 1;
    return [...before, item('content_block_start', { index: this.#open.index, content_block })];
  }

  #closeBlock(): Items {
    if (this.#open === undefined) return NO_ITEMS;
    const { index } = this.#open;
    this.#open = undefined;
    return [item('content_block_stop', { index })];
  }

  #finish(usage: JsonObject | undefined): Items {
    this.#closed = true;
    const delta = { stop_reason: toStopReason(this.#stopReason), stop_sequence: null };
    return [
      ...this.#start(),
      ...this.#closeBlock(),
      item('message_delta', { delta, usage: toMessagesUsage(usage) }),
      item('message_stop', {}),
      { kind: 'usage', usage: toUsage(converseCounts(usage)) },
    ];
  }

  #fail(error: StreamItem): Items {
    this.#closed = true;
    return [error];
  }
}

const item = (event: string, members: JsonObject): StreamItem => ({
  kind: 'chunk',
  event,
  data: { type: event, ...members },
});

function toolUseBlock(use: JsonObject): JsonObject {
  return { type: 'tool_use', id: use['toolUseId'], name: use['name'], input: {} };
}

interface BlockDelta {
  /** The block that opens when the delta is the first of its block. */
  readonly block: JsonObject;
  /** Absent: the block is complete when it opens. */
  readonly delta?: JsonObject;
}

function readDelta(delta: JsonObject): BlockDelta | undefined {
  const text = textAt(delta, 'text');
  if (text !== undefined) return { block: { type: 'text', text: '' }, delta: { type: 'text_delta', text } };
  const partial_json = textAt(objectAt(delta, 'toolUse'), 'input');
  if (partial_json !== undefined) return { block: toolUseBlock({}), delta: { type: 'input_json_delta', partial_json } };
  const reasoning = objectAt(delta, 'reasoningContent');
  return reasoning === undefined ? undefined : readReasoning(reasoning);
}

function readReasoning({ text, signature, redactedContent }: JsonObject): BlockDelta | undefined {
  if (redactedContent !== undefined) return { block: { type: 'redacted_thinking', data: redactedContent } };
  const block = { type: 'thinking', thinking: '', signature: '' };
  if (text !== undefined) return { block, delta: { type: 'thinking_delta', thinking: text } };
  return signature === undefined ? undefined : { block, delta: { type: 'signature_delta', signature } };
}
