import { isObject } from '@gatehouse/crds';
import type { BodyHook, JsonObject } from '../contract.ts';

/** Changes one message; returns the same object when there is nothing to change. */
export type MessageEdit = (message: JsonObject) => JsonObject;

/** A hook that applies the edits to every message of the body. Hot path: plain loops. */
export function editMessages(...edits: readonly MessageEdit[]): BodyHook {
  return (params) => {
    const messages: unknown = params['messages'];
    if (!Array.isArray(messages)) return params;
    let edited: unknown[] | undefined;
    for (let i = 0; i < messages.length; i += 1) {
      const message: unknown = messages[i];
      if (!isObject(message)) continue;
      let next: JsonObject = message;
      for (const edit of edits) next = edit(next);
      if (next === message) continue;
      edited ??= [...messages];
      edited[i] = next;
    }
    return edited === undefined ? params : { ...params, messages: edited };
  };
}

/** `developer` becomes `system`: only OpenAI's own models accept the newer role. */
export const foldDeveloper: MessageEdit = (message) =>
  message['role'] === 'developer' ? { ...message, role: 'system' } : message;

/** Removes members from every message. */
export const withoutMembers =
  (...names: readonly string[]): MessageEdit =>
  (message) => {
    let present = false;
    for (const name of names) present ||= message[name] !== undefined;
    if (!present) return message;
    return Object.fromEntries(Object.entries(message).filter(([name]) => !names.includes(name)));
  };
