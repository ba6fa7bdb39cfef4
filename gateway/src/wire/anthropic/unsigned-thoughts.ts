/** Thinking that models without signatures have written into a conversation: the vendor refuses requests that hold it. */
import { isObject } from '@gatehouse/crds';
import { mayHold, quoted } from '../../lib/json/index.ts';
import type { JsonObject } from '../contract.ts';
import { isSigned } from './messages.ts';

const SIGNS = [quoted('thinking')];

/** A messages request without it; the same object when there is none. Messages of which nothing is left are left out. */
export function withoutUnsignedThoughts(params: JsonObject): JsonObject {
  if (!mayHold(params, 'messages', SIGNS)) return params;
  const messages: unknown = params['messages'];
  if (!Array.isArray(messages)) return params;
  const kept = messages.flatMap(withoutThoughts);
  return kept.length === messages.length && kept.every((message, i) => message === messages[i])
    ? params
    : { ...params, messages: kept };
}

function withoutThoughts(message: unknown): readonly unknown[] {
  if (!isObject(message) || message['role'] !== 'assistant' || !Array.isArray(message['content'])) return [message];
  const content: readonly unknown[] = message['content'];
  const kept = content.filter((block) => !isUnsigned(block));
  if (kept.length === content.length) return [message];
  return kept.length === 0 ? [] : [{ ...message, content: kept }];
}

const isUnsigned = (block: unknown): boolean => isObject(block) && block['type'] === 'thinking' && !isSigned(block);
