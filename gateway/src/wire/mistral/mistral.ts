/** Differences of Mistral's chat format from OpenAI's, for every provider of the models. */
import { createHash } from 'node:crypto';
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { textAt } from '../json/json.ts';
import type { OpenAiDialect } from '../openai/index.ts';

/** Renamed and dropped parameters, and bounds. */
export const MISTRAL_PARAMETERS = {
  rename: { max_completion_tokens: 'max_tokens', seed: 'random_seed', safe_mode: 'safe_prompt' },
  drop: ['logit_bias', 'user', 'logprobs', 'top_logprobs', 'store', 'metadata', 'service_tier', 'stream_options'],
  clamp: { temperature: { min: 0, max: 1.5 }, max_tokens: { min: 1 }, max_completion_tokens: { min: 1 } },
} as const;

/** Tool call ids must be nine letters or digits: other ids are replaced by the same id in the call and in its result. */
const ID = /^[A-Za-z0-9]{9}$/;
const toId = (id: string): string => (ID.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9));

/** The members of messages that hold ids. */
export const MISTRAL_ID_MEMBERS = ['tool_calls', 'tool_call_id'] as const;

/** A message with valid ids; the same object when they are valid already. */
export function withMistralIds(message: JsonObject): JsonObject {
  const calls: unknown = message['tool_calls'];
  const edited = Array.isArray(calls) ? calls.map((call: unknown) => withId(call, 'id')) : [];
  const changed = Array.isArray(calls) && edited.some((call, at) => call !== calls[at]);
  const renamed = changed ? { ...message, tool_calls: edited } : message;
  return withId(renamed, 'tool_call_id');
}

function withId<T>(owner: T, member: string): T {
  const id = isObject(owner) ? textAt(owner, member) : undefined;
  return id === undefined || ID.test(id) ? owner : { ...owner, [member]: toId(id) };
}

/** OpenAI's `required` is called `any`. */
export const toMistralToolChoice = (choice: unknown): unknown => (choice === 'required' ? 'any' : choice);

/** Reasoning models answer with a list of thinking and text parts instead of one text. */
export const mistralDialect: OpenAiDialect = {
  ownFinishReasons: true,
  message(message, ctx) {
    const { content } = message;
    if (!Array.isArray(content)) return message;
    const [thinking, text] = [content.filter(isThinking), content.filter((part) => !isThinking(part))].map(joined);
    return { ...message, content: text, ...(thinking === '' || ctx.strict ? {} : { reasoning_content: thinking }) };
  },
};

const isThinking = (part: unknown): boolean => isObject(part) && part['type'] === 'thinking';

const joined = (parts: readonly unknown[]): string => parts.map(textIn).join('');

/** A text, `{text}` or `{thinking: [{text}]}`. */
function textIn(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isObject(part)) return '';
  const thinking: unknown = part['thinking'];
  return Array.isArray(thinking)
    ? thinking.map((inner) => textAt(isObject(inner) ? inner : {}, 'text') ?? '').join('')
    : (textAt(part, 'text') ?? '');
}
