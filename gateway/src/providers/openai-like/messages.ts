import { isObject } from '@gatehouse/crds';
import type { BodyHook, JsonObject } from '../contract.ts';

/** Changes one message; the same object when there is nothing to change. */
export type MessageEdit = (message: JsonObject) => JsonObject;

/** A hook that runs every message of the body through the edits. */
export function editMessages(...edits: readonly MessageEdit[]): BodyHook {
  return (params) => {
    const messages = params['messages'];
    if (!Array.isArray(messages)) return params;
    let edited: unknown[] | undefined;
    for (const [i, message] of messages.entries()) {
      if (!isObject(message)) continue;
      const next = edits.reduce((current: JsonObject, edit) => edit(current), message);
      if (next === message) continue;
      edited ??= [...messages];
      edited[i] = next;
    }
    return edited === undefined ? params : { ...params, messages: edited };
  };
}

/** `developer` becomes `system`: only OpenAI's own models know the newer word (spec/providers.md 1.6). */
export const foldDeveloper: MessageEdit = (message) =>
  message['role'] === 'developer' ? { ...message, role: 'system' } : message;

/** Leaves members out of every message. */
export const withoutMembers =
  (...names: readonly string[]): MessageEdit =>
  (message) => {
    if (!names.some((name) => name in message)) return message;
    return Object.fromEntries(Object.entries(message).filter(([name]) => !names.includes(name)));
  };
