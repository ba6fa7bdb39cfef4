/** The legacy text completion format of the client, as answer and as chunk. */
import { err, ok, type Result } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import type { JsonObject, StreamItem, Usage, WireContext } from '../contract.ts';
import type { AnyFinishReason } from './chat.ts';
import { unixSeconds } from './chat-envelope.ts';

export interface TextChoice {
  readonly text: string;
  readonly index: number;
  readonly logprobs: unknown;
  readonly finish_reason: AnyFinishReason | null;
}

export interface TextCompletion {
  readonly id: string;
  readonly object: 'text_completion';
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
  readonly provider: string;
  readonly choices: readonly TextChoice[];
  readonly usage?: Usage;
}

export interface TextAnswer {
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  readonly choices: readonly { readonly text: string; readonly finishReason: AnyFinishReason }[];
  readonly usage?: Usage | undefined;
}

/** The one prompt of a text completion; an error for vendors with one prompt per call. */
export function promptOf(params: JsonObject): Result<string, AppError> {
  const prompt = params['prompt'];
  const only = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt;
  if (typeof only === 'string') return ok(only);
  return err(new AppError('PARAMETER_INVALID', { param: 'prompt', detail: 'prompt must be one text' }));
}

/** An answer with its choices in order. */
export function toTextCompletion(answer: TextAnswer, ctx: WireContext): TextCompletion {
  return {
    ...envelope(answer.id ?? ctx.newId('cmpl-', 29), answer.model ?? ctx.model, ctx),
    choices: answer.choices.map(({ text, finishReason }, index) => ({
      text,
      index,
      logprobs: null,
      finish_reason: finishReason,
    })),
    ...(answer.usage === undefined ? {} : { usage: answer.usage }),
  };
}

/** Makes the chunks of one stream: the same id, time and model in each. */
export class TextChunks {
  readonly #ctx: WireContext;
  #shared: ReturnType<typeof envelope> | undefined;

  constructor(ctx: WireContext) {
    this.#ctx = ctx;
  }

  /** The first id, time and model are kept for the whole stream. */
  item(
    choice: { readonly text: string; readonly index?: number; readonly finishReason?: AnyFinishReason | null },
    names: { readonly id?: string | undefined; readonly model?: string | undefined } = {},
  ): StreamItem {
    this.#shared ??= envelope(names.id ?? this.#ctx.newId('cmpl-', 29), names.model ?? this.#ctx.model, this.#ctx);
    const { text, index = 0, finishReason = null } = choice;
    const data = { ...this.#shared, choices: [{ text, index, logprobs: null, finish_reason: finishReason }] };
    return { kind: 'chunk', data };
  }
}

function envelope(id: string, model: string, ctx: WireContext) {
  return { id, object: 'text_completion' as const, created: unixSeconds(ctx), model, provider: ctx.provider };
}
