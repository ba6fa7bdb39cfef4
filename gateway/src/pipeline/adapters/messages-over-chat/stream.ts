/** Chunks of a chat as the events of a message. */

import { isObject } from '@gatehouse/crds';
import { ID_CHARS } from '../../../lib/random.ts';
import { scalarText } from '../../../lib/scalar-text.ts';
import type { StreamItem } from '../../../providers/contract.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, objectAt, objectsAt, textAt } from '../../../wire/json/json.ts';
import { INCOMPLETE_STREAM, reasoningOf } from '../../../wire/openai/index.ts';
import type { AdapterContext, StreamAdapter } from '../adapter.ts';
import { textOf } from './answer.ts';
import { type Block, redactedBlock, ToolBlock, textBlock, thinkingBlock } from './block.ts';
import { type BlockEvent, BlockQueue } from './block-queue.ts';
import { toStopReason } from './stop-reason.ts';
import { NOTHING_USED, toMessagesUsage } from './usage.ts';

type Items = readonly StreamItem[];
const NO_ITEMS: Items = [];
const NO_BLOCKS: readonly JsonObject[] = [];

const OVERFULL: StreamItem = {
  kind: 'error',
  error: {
    message: 'The stream of the provider mixes more blocks than can be put in order',
    type: 'stream_error',
    param: null,
    code: null,
  },
};

/** A stream that neither finishes an answer nor counts it ends with an error item. */
export const createMessageEvents = (context: AdapterContext): StreamAdapter => new MessageEvents(context);

class MessageEvents implements StreamAdapter {
  readonly #context: AdapterContext;
  readonly #blocks = new BlockQueue();
  /** The latest tool call at each position. */
  readonly #tools = new Map<number, ToolBlock>();
  #phase: 'new' | 'open' | 'closed' = 'new';
  #usage: JsonObject | undefined;
  #reason: string | undefined;
  #refused = false;

  constructor(context: AdapterContext) {
    this.#context = context;
  }

  push(item: StreamItem): Items {
    if (this.#phase === 'closed') return NO_ITEMS;
    switch (item.kind) {
      case 'usage':
        this.#usage = item.usage;
        return [item];
      case 'error':
        this.#phase = 'closed';
        return [item];
      case 'chunk':
        return isObject(item.data) ? this.#read(item.data) : NO_ITEMS;
    }
  }

  end(): Items {
    if (this.#phase === 'closed') return NO_ITEMS;
    const isComplete = this.#phase === 'open' && (this.#reason !== undefined || this.#usage !== undefined);
    this.#phase = 'closed';
    if (!isComplete) return [INCOMPLETE_STREAM];
    const stop_reason = toStopReason({
      reason: this.#reason,
      calledTools: this.#tools.size > 0,
      refused: this.#refused,
    });
    return [
      ...this.#blocks.end(),
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: toMessagesUsage(this.#usage) },
      { type: 'message_stop' },
    ].map(toItem);
  }

  #read(chunk: JsonObject): Items {
    const start = this.#phase === 'new' ? [this.#start(chunk)] : [];
    this.#phase = 'open';
    const choice = firstChoice(chunk['choices']);
    this.#reason = textAt(choice, 'finish_reason') ?? this.#reason;
    const delta = objectAt(choice, 'delta');
    if (delta !== undefined) this.#addDelta(delta);
    if (this.#blocks.isOverfull) {
      this.#phase = 'closed';
      return [OVERFULL];
    }
    return [...start, ...this.#blocks.advance()].map(toItem);
  }

  #start(chunk: JsonObject): BlockEvent {
    return {
      type: 'message_start',
      message: {
        id: textAt(chunk, 'id') ?? this.#context.newId('msg_', ID_CHARS),
        type: 'message',
        role: 'assistant',
        model: textAt(chunk, 'model') ?? this.#context.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: NOTHING_USED,
      },
    };
  }

  #addDelta(delta: JsonObject): void {
    const blocks = delta['content_blocks'] === undefined ? NO_BLOCKS : objectsAt(delta, 'content_blocks');
    if (blocks.length > 0) for (const block of blocks) this.#addThought(block);
    else this.#addThinking('thinking', { thinking: reasoningOf(delta) });
    this.#addText(textOf(delta['content']));
    const refusal = textAt(delta, 'refusal') ?? '';
    this.#refused ||= refusal !== '';
    this.#addText(refusal);
    if (delta['tool_calls'] === undefined) return;
    for (const [at, call] of objectsAt(delta, 'tool_calls').entries())
      this.#addCall(call, numberAt(call, 'index') ?? at);
  }

  #addText(text: string): void {
    if (text === '') return;
    this.#blocks.push(this.#current('text', textBlock), { type: 'text_delta', text }, text.length);
  }

  #addThought({ index, delta }: JsonObject): void {
    if (!isObject(delta)) return;
    const key = `thinking ${scalarText(index)}`;
    const data = textAt(delta, 'data');
    if (data !== undefined) this.#current(key, () => redactedBlock(key, data));
    else this.#addThinking(key, { thinking: textAt(delta, 'thinking'), signature: textAt(delta, 'signature') });
  }

  #addThinking(
    key: string,
    {
      thinking = '',
      signature = '',
    }: { readonly thinking?: string | undefined; readonly signature?: string | undefined },
  ): void {
    if (thinking === '' && signature === '') return;
    const block = this.#current(key, () => thinkingBlock(key));
    if (thinking !== '') this.#blocks.push(block, { type: 'thinking_delta', thinking }, thinking.length);
    if (signature !== '') this.#blocks.push(block, { type: 'signature_delta', signature }, signature.length);
  }

  /** The block that was added last where it has the key, else a new one. */
  #current(key: string, create: () => Block): Block {
    const { last } = this.#blocks;
    if (last?.key === key) return last;
    const block = create();
    this.#blocks.add(block);
    return block;
  }

  /** A position that is used again with another id is another call. */
  #addCall(call: JsonObject, at: number): void {
    const called = objectAt(call, 'function');
    const id = textAt(call, 'id') ?? '';
    const known = this.#tools.get(at);
    const block = known !== undefined && (id === '' || id === known.id) ? known : this.#newCall(at, id);
    block.name(textAt(called, 'name') ?? '');
    const json = textAt(called, 'arguments') ?? '';
    if (json === '') return;
    block.addInput(json);
    this.#blocks.push(block, { type: 'input_json_delta', partial_json: json }, json.length);
  }

  #newCall(at: number, id: string): ToolBlock {
    const block = new ToolBlock(`tool ${at}`, id === '' ? this.#context.newId('toolu_', ID_CHARS) : id);
    this.#tools.set(at, block);
    this.#blocks.add(block);
    return block;
  }
}

/** A message is one answer. */
function firstChoice(choices: unknown): JsonObject | undefined {
  if (!Array.isArray(choices)) return undefined;
  for (const choice of choices) if (isObject(choice) && (choice['index'] ?? 0) === 0) return choice;
  return undefined;
}

const toItem = (event: BlockEvent): StreamItem => ({ kind: 'chunk', event: event.type, data: event });
