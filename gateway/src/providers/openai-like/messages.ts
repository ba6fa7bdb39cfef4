import { isObject } from '@gatehouse/crds';
import { mayHold, quoted } from '../../lib/json/index.ts';
import type { BodyHook, JsonObject } from '../contract.ts';

/** A change of single messages. */
export interface MessageEdit {
  /** Names of members and values, one of which is in every message that changes; they consist of letters, digits and underscores. */
  readonly signs: readonly string[];
  /** The same object when there is nothing to change. */
  apply(message: JsonObject): JsonObject;
}

/** A hook that applies the edits to every message of the body. */
export function editMessages(...edits: readonly MessageEdit[]): BodyHook {
  const signs = edits.flatMap((edit) => edit.signs.map(quoted));
  return (params) => {
    if (!mayHold(params, 'messages', signs)) return params;
    const messages: unknown = params['messages'];
    const edited = Array.isArray(messages) ? editEach(messages, edits) : messages;
    return edited === messages ? params : { ...params, messages: edited };
  };
}

/** The same list when nothing changes. Hot path: plain loops. */
function editEach(messages: readonly unknown[], edits: readonly MessageEdit[]): readonly unknown[] {
  let edited: unknown[] | undefined;
  for (let i = 0; i < messages.length; i += 1) {
    const message: unknown = messages[i];
    if (!isObject(message)) continue;
    let next: JsonObject = message;
    for (const edit of edits) next = edit.apply(next);
    if (next === message) continue;
    edited ??= [...messages];
    edited[i] = next;
  }
  return edited ?? messages;
}

/** `developer` becomes `system`: only OpenAI's own models accept the newer role. */
export const foldDeveloper: MessageEdit = {
  signs: ['developer'],
  apply: (message) => (message['role'] === 'developer' ? { ...message, role: 'system' } : message),
};

/** Removes members from every message. */
export const withoutMembers = (...names: readonly string[]): MessageEdit => ({
  signs: names,
  apply: (message) => {
    let present = false;
    for (const name of names) present ||= message[name] !== undefined;
    if (!present) return message;
    return Object.fromEntries(Object.entries(message).filter(([name]) => !names.includes(name)));
  },
});
