/** The texts for services that want question and answer as one text each. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../wire/contract.ts';
import { placesOf } from './places.ts';

/** The prompt, the last message, or the input of a request, whatever its type is. */
export function requestText(body: JsonObject): string {
  const { prompt, messages, input } = body;
  if (typeof prompt === 'string' && prompt !== '') return prompt;
  if (Array.isArray(prompt)) return prompt.filter((item) => typeof item === 'string').join('\n');
  if (Array.isArray(messages)) return joined(placesOf('chatComplete', 'input', body));
  if (typeof input === 'string') return input;
  return joined(placesOf('createModelResponse', 'input', body));
}

/** The text of the first choice, of the blocks of a message, or of the output of a response. */
export function responseText(body: JsonObject): string {
  const { choices } = body;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (isObject(choice))
    return joined(placesOf(typeof choice['text'] === 'string' ? 'complete' : 'chatComplete', 'output', body));
  const type = Array.isArray(body['content']) ? 'messages' : 'createModelResponse';
  return joined(placesOf(type, 'output', body));
}

const joined = (places: readonly { readonly text: string }[]): string =>
  places.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n');
