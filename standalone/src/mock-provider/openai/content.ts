import { isObject } from '@gatehouse/crds';
import type { Turn } from '../answer/index.ts';
import { type JsonObject, readList, readString } from '../json.ts';

type Role = Turn['role'];

const ROLES: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['system', 'system'],
  ['developer', 'system'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

export function roleOf(message: JsonObject): Role {
  return ROLES.get(readString(message, 'role') ?? '') ?? 'user';
}

/** A text, or parts of which texts and images are read: the spellings of chat and of Responses alike. */
export function readContent(content: unknown): Pick<Turn, 'text' | 'images'> {
  if (typeof content === 'string') return { text: content };
  const parts = (Array.isArray(content) ? content : []).filter(isObject);
  const text = parts.map((part) => readString(part, 'text') ?? readString(part, 'refusal') ?? '').join('');
  return { text, images: parts.filter((part) => /^(image_url|input_image)$/.test(String(part['type']))).length };
}

export function chatTurns(messages: readonly unknown[]): readonly Turn[] {
  return messages.filter(isObject).map((message) => ({ role: roleOf(message), ...readContent(message['content']) }));
}

/** The items of a Responses request; calls and reasoning do not affect the answer. */
export function inputTurns(input: unknown): readonly Turn[] {
  if (typeof input === 'string') return [{ role: 'user', text: input }];
  return (readList({ input }, 'input') ?? []).filter(isObject).flatMap((item): Turn[] => {
    const type = readString(item, 'type') ?? 'message';
    if (type === 'function_call_output') return [{ role: 'tool', ...readContent(item['output']) }];
    if (type === 'function_call') return [{ role: 'assistant', text: '' }];
    return type === 'message' ? [{ role: roleOf(item), ...readContent(item['content']) }] : [];
  });
}
