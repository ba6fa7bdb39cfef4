/** Chat requests and text completions as bodies of the PaLM API. */
import { ok, type Result } from '@gatehouse/crds';
import type { AppError } from '../../errors/index.ts';
import type { JsonObject } from '../contract.ts';
import { numberAt, withoutAbsent } from '../json/json.ts';
import {
  type ChatMessage,
  isForeignThought,
  isSystem,
  maxTokensOf,
  messagesOf,
  partsOf,
  promptOf,
  stopList,
  textOfPart,
} from '../openai/index.ts';

/** The body of `generateMessage`: texts of the system are its context. Throws UnsupportedPart. */
export function toPalmChat(params: JsonObject): JsonObject {
  const messages = messagesOf(params).map((message) => ({ message, content: textOfMessage(message) }));
  const context = messages.filter(({ message }) => isSystem(message)).map(({ content }) => content);
  const said = messages
    .filter(({ message, content }) => !isSystem(message) && content !== '')
    .map(({ message, content }) => ({ author: message.role, content }));
  const prompt = withoutAbsent({
    context: context.length === 0 ? undefined : context.join('\n'),
    examples: params['examples'],
    messages: said,
  });
  return withoutAbsent({ prompt, ...generation(params) });
}

/** The body of `generateText`. */
export function toPalmCompletion(params: JsonObject): Result<JsonObject, AppError> {
  const prompt = promptOf(params);
  return prompt.ok ? ok(withoutAbsent({ prompt: { text: prompt.value }, ...generation(params) })) : prompt;
}

const textOfMessage = ({ content }: ChatMessage): string =>
  partsOf(content)
    .filter((part) => !isForeignThought(part))
    .map(textOfPart)
    .join('');

const generation = (params: JsonObject): JsonObject => ({
  temperature: within(numberAt(params, 'temperature'), 0, 1),
  topP: within(numberAt(params, 'top_p'), 0, 1),
  topK: params['top_k'],
  candidateCount: within(numberAt(params, 'n'), 1, 8),
  maxOutputTokens: within(maxTokensOf(params), 1, Number.POSITIVE_INFINITY),
  stopSequences: stopList(params['stop']),
});

const within = (value: number | undefined, min: number, max: number): number | undefined =>
  value === undefined ? undefined : Math.min(Math.max(value, min), max);
