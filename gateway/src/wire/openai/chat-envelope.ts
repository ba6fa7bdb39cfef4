/** The envelope of every transformed chat answer and chunk. */
import type { StreamItem, Usage, WireContext } from '../contract.ts';
import type {
  AnyFinishReason,
  BlockDelta,
  ChatChoice,
  ChatChunk,
  ChatCompletion,
  ChatDelta,
  ContentPart,
  ToolCall,
} from './chat.ts';

export interface AnswerChoice {
  readonly text: string;
  readonly toolCalls?: readonly ToolCall[];
  /** Everything but tool calls, in upstream order; only in answers that are not strict. */
  readonly blocks?: readonly ContentPart[];
  readonly finishReason: AnyFinishReason;
}

export interface ChatAnswer {
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  readonly choices: readonly AnswerChoice[];
  readonly usage: Usage | undefined;
}

/** An answer in the chat format; missing id, time and model are generated. */
export function toChatCompletion(answer: ChatAnswer, ctx: WireContext): ChatCompletion {
  const { id, model, choices, usage } = answer;
  return {
    id: id ?? ctx.newId('chatcmpl-', 29),
    object: 'chat.completion',
    created: unixSeconds(ctx),
    model: model ?? ctx.model,
    provider: ctx.provider,
    choices: choices.map((choice, index) => toChatChoice(choice, index, ctx.strict)),
    ...(usage === undefined ? {} : { usage }),
  };
}

function toChatChoice(choice: AnswerChoice, index: number, strict: boolean): ChatChoice {
  const { text, toolCalls = [], blocks = [], finishReason } = choice;
  return {
    index,
    message: {
      role: 'assistant',
      content: text === '' && toolCalls.length > 0 ? null : text,
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
      ...(strict || blocks.length === 0 ? {} : { content_blocks: blocks }),
    },
    logprobs: null,
    finish_reason: finishReason,
  };
}

/** Makes the chunks of one stream: the same id, time and model in each. */
export class ChatChunks {
  readonly #ctx: WireContext;
  readonly #created: number;
  #id: string | undefined;
  #model: string;

  constructor(ctx: WireContext) {
    this.#ctx = ctx;
    this.#created = unixSeconds(ctx);
    this.#model = ctx.model;
  }

  /** Sets id, time and model from the upstream; absent ones keep their value. */
  name(id: string | undefined, model: string | undefined): void {
    this.#id = id ?? this.#id;
    this.#model = model ?? this.#model;
  }

  delta(delta: ChatDelta): StreamItem {
    return this.#item(delta, null);
  }

  /** Block deltas; undefined in strict answers. */
  blocks(blocks: readonly BlockDelta[]): readonly StreamItem[] {
    return this.#ctx.strict ? [] : [this.delta({ content_blocks: blocks })];
  }

  /** Text, and in answers that are not strict its content block. */
  text(text: string, block: number): StreamItem {
    const blocks = this.#ctx.strict ? {} : { content_blocks: [{ index: block, delta: { text } }] };
    return this.delta({ content: text, ...blocks });
  }

  finish(reason: AnyFinishReason): StreamItem {
    return this.#item({}, reason);
  }

  #item(delta: ChatDelta, finishReason: AnyFinishReason | null): StreamItem {
    this.#id ??= this.#ctx.newId('chatcmpl-', 29);
    const data: ChatChunk = {
      id: this.#id,
      object: 'chat.completion.chunk',
      created: this.#created,
      model: this.#model,
      provider: this.#ctx.provider,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    };
    return { kind: 'chunk', data };
  }
}

export const unixSeconds = (ctx: WireContext): number => Math.floor(ctx.now() / 1000);
