/** Chat requests and text completions as bodies of AI21's Jurassic models. */
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

/** The body of a chat: one text of the system beside the turns of user and assistant. Throws UnsupportedPart. */
export function toJurassicChat(params: JsonObject): JsonObject {
  const messages = messagesOf(params).map((message) => ({ message, text: textOfMessage(message) }));
  const system = messages.filter(({ message }) => isSystem(message)).map(({ text }) => text);
  const turns = messages
    .filter(({ message, text }) => !isSystem(message) && text !== '')
    .map(({ message, text }) => ({ text, role: message.role === 'assistant' ? 'assistant' : 'user' }));
  return withoutAbsent({
    system: system.length === 0 ? undefined : system.join('\n'),
    messages: turns,
    ...generation(params),
  });
}

/** The body of a text completion. */
export function toJurassicCompletion(params: JsonObject): Result<JsonObject, AppError> {
  const prompt = promptOf(params);
  return prompt.ok ? ok(withoutAbsent({ prompt: prompt.value, ...generation(params) })) : prompt;
}

const textOfMessage = ({ content }: ChatMessage): string =>
  partsOf(content)
    .filter((part) => !isForeignThought(part))
    .map(textOfPart)
    .join('');

function generation(params: JsonObject): JsonObject {
  const temperature = numberAt(params, 'temperature');
  return {
    numResults: params['n'],
    maxTokens: maxTokensOf(params),
    minTokens: params['minTokens'],
    temperature: temperature === undefined ? undefined : Math.min(Math.max(temperature, 0), 1),
    topP: params['top_p'],
    topKReturn: params['top_k'],
    stopSequences: stopList(params['stop']),
    presencePenalty: params['presencePenalty'] ?? scaled(params, 'presence_penalty'),
    frequencyPenalty: params['frequencyPenalty'] ?? scaled(params, 'frequency_penalty'),
    countPenalty: params['countPenalty'],
  };
}

function scaled(params: JsonObject, name: string): JsonObject | undefined {
  const scale = numberAt(params, name);
  return scale === undefined ? undefined : { scale };
}
