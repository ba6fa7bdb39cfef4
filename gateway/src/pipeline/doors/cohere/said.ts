/** What a chat says beside its text, as Cohere has it. */
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, objectAt, objectsAt, textAt } from '../../../wire/json/json.ts';
import { thinkingOf } from '../chat-parts.ts';

/** A message has one plan: whatever else calls itself one adds no more state than this. */
const MAX_PLANS = 8;

export interface Thoughts {
  /** What the model means to do with its tools. */
  readonly plan: string;
  readonly thinking: string;
}

/** Of a message or of its pieces, which are given in their order. */
export class ThoughtReader {
  /** Blocks that are a plan. */
  readonly #plans = new Set<number>();

  read(message: JsonObject): Thoughts {
    const blocks = objectsAt(message, 'content_blocks');
    if (blocks.length === 0) return { plan: '', thinking: thinkingOf(message) };
    let plan = '';
    let thinking = '';
    for (const [place, block] of blocks.entries()) {
      const said = objectAt(block, 'delta') ?? block;
      const index = numberAt(block, 'index') ?? place;
      if (said['tool_plan'] === true && this.#plans.size < MAX_PLANS) this.#plans.add(index);
      const text = textAt(said, 'thinking') ?? '';
      if (this.#plans.has(index)) plan += text;
      else thinking += text;
    }
    return { plan, thinking };
  }
}

/** Log probabilities of a choice or of a piece of it. */
export function logprobsOf(choice: JsonObject | undefined): readonly JsonObject[] {
  return objectsAt(objectAt(choice, 'logprobs'), 'content').map((entry) => ({
    text: textAt(entry, 'token') ?? '',
    token_ids: listAt(entry, 'token_ids') ?? [],
    logprobs: listAt(entry, 'token_logprobs') ?? [numberAt(entry, 'logprob') ?? 0],
  }));
}

function listAt(entry: JsonObject, name: string): readonly unknown[] | undefined {
  const value = entry[name];
  return Array.isArray(value) ? value : undefined;
}
