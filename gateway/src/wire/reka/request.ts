/** A chat request as a body of Reka's chat: turns of `human` and `model`, one after the other. */
import type { JsonObject } from '../contract.ts';
import { withoutAbsent } from '../json/json.ts';
import {
  type ChatMessage,
  type ContentPart,
  imageUrlOf,
  isForeignThought,
  maxTokensOf,
  messagesOf,
  partsOf,
  stopList,
  textOfPart,
} from '../openai/index.ts';
import { taking } from '../params/params.ts';
import { refusePart } from '../parts/parts.ts';

/** Same name and meaning on both sides. */
const SAME = [
  ...['temperature', 'frequency_penalty', 'presence_penalty', 'length_penalty', 'retrieval_dataset'],
  'use_search_engine',
] as const;

/** The parameters that the body says. */
export const takesReka = taking([
  ...['model', 'messages', 'max_tokens', 'max_completion_tokens', 'top_p', 'top_k', 'seed', 'stop', ...SAME],
]);

/** The body of the chat. Throws UnsupportedPart. */
export function toRekaBody(params: JsonObject, model: string): JsonObject {
  return withoutAbsent({
    model_name: model,
    conversation_history: toHistory(messagesOf(params)),
    ...Object.fromEntries(SAME.map((name) => [name, params[name]])),
    request_output_len: maxTokensOf(params),
    runtime_top_p: params['top_p'],
    runtime_top_k: params['top_k'],
    random_seed: params['seed'],
    stop_words: stopList(params['stop']),
  });
}

interface Turn {
  readonly type: 'human' | 'model';
  readonly text: string;
  readonly media_url?: string;
}

/** Said where the upstream wants a turn of the other side. */
const PLACEHOLDER = 'Placeholder for alternation';

/** Turns that alternate and begin with a human one; the only image is on the first turn. */
function toHistory(messages: readonly ChatMessage[]): readonly Turn[] {
  const image = imageOf(messages);
  const turns: Turn[] = [];
  const add = (turn: Turn): void => {
    const before = turns.at(-1)?.type ?? 'model';
    if (before === turn.type) turns.push({ type: before === 'human' ? 'model' : 'human', text: PLACEHOLDER });
    turns.push(turn);
  };
  for (const message of messages) {
    const text = textsOf(message);
    if (text !== '') add({ type: message.role === 'user' ? 'human' : 'model', text });
  }
  if (image === undefined) return turns;
  const [first = { type: 'human', text: '' } as const, ...rest] = turns;
  return [{ ...first, media_url: image }, ...rest];
}

const ofModel = ({ content }: ChatMessage): readonly ContentPart[] =>
  partsOf(content).filter((part) => !isForeignThought(part));

const isImage = ({ type }: ContentPart): boolean => type === 'image_url';

const textsOf = (message: ChatMessage): string =>
  ofModel(message)
    .filter((part) => !isImage(part))
    .map(textOfPart)
    .join('');

const IMAGE_URL = /^(?:https?:\/\/|data:image\/[\w.+-]+;base64,)/i;

/** Throws UnsupportedPart for a second image, and for one without an address. */
function imageOf(messages: readonly ChatMessage[]): string | undefined {
  const [part, second] = messages.flatMap((message) => ofModel(message).filter(isImage));
  if (second !== undefined) refusePart(second);
  if (part === undefined) return undefined;
  const url = imageUrlOf(part);
  return url === undefined || !IMAGE_URL.test(url) ? refusePart(part) : url;
}
