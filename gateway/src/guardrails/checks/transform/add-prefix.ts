import { isObject } from '@gatehouse/crds';
import { addPrefix as entry } from '@gatehouse/crds/guardrails';
import { mergeObjects } from '../../../lib/json/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { type CheckSubject, defineCheck } from '../../contract.ts';

interface Rule {
  readonly prefix: string;
  readonly applyToRole: 'user' | 'system' | 'assistant';
  readonly addToExisting: boolean;
  readonly onlyIfEmpty: boolean;
}

/** The members of a request that change; undefined: it has no place for a prefix. */
type Change = (request: JsonObject, rule: Rule) => JsonObject | undefined;

const CHANGES: Readonly<Partial<Record<CheckSubject['requestType'], Change>>> = {
  complete: ({ prompt }, rule) => ({
    prompt: Array.isArray(prompt) ? firstPrefixed(prompt, rule) : prefixed(prompt, rule),
  }),
  chatComplete: ({ messages }, rule) => withMessages(messages, rule, (role, content) => ({ role, content })),
  messages: (request, rule) => {
    const textBlock = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] });
    const { messages, system } = request;
    // The interface has no messages of the system: it is a member of its own.
    const isOfMember = rule.applyToRole === 'system' && !hasRole(messages, 'system');
    return isOfMember ? { system: systemPrefixed(system, rule) } : withMessages(messages, rule, textBlock);
  },
};

export const addPrefix = defineCheck(entry, (rule) => {
  const { prefix, applyToRole, addToExisting, onlyIfEmpty } = rule;
  return ({ phase, requestType, request }) => {
    const data = { prefix, requestType, applyToRole, addToExisting, onlyIfEmpty };
    const change = phase === 'input' ? CHANGES[requestType] : undefined;
    if (change === undefined) return { verdict: true, data };
    const changed = change(request, rule);
    if (changed === undefined) {
      return { verdict: true, data, error: { name: 'NoMessages', message: 'the request has no list of messages' } };
    }
    return { verdict: true, data, transformed: { kind: 'body', body: mergeObjects({}, request, changed) } };
  };
});

type NewMessage = (role: string, text: string) => object;

function withMessages(messages: unknown, rule: Rule, create: NewMessage): JsonObject | undefined {
  if (!Array.isArray(messages)) return undefined;
  const { prefix, applyToRole, addToExisting } = rule;
  const at = messages.findIndex((message: unknown) => isObject(message) && message['role'] === applyToRole);
  const message: unknown = messages[at];
  if (!isObject(message)) {
    const added = create(applyToRole, prefix);
    return { messages: applyToRole === 'system' ? [added, ...messages] : [...messages, added] };
  }
  if (rule.onlyIfEmpty && hasText(message['content'])) return { messages };
  if (!addToExisting) return { messages: messages.toSpliced(at, 0, create(applyToRole, prefix)) };
  return { messages: messages.with(at, { ...message, content: prefixed(message['content'], rule) }) };
}

/** A text, or a list of parts whose first text gets the prefix. */
function prefixed(content: unknown, { prefix, onlyIfEmpty }: Rule): unknown {
  if (onlyIfEmpty && hasText(content)) return content;
  if (content === undefined || content === null) return prefix;
  if (typeof content === 'string') return prefix + content;
  if (!Array.isArray(content)) return content;
  const at = content.findIndex(isTextPart);
  const part: unknown = content[at];
  if (!isTextPart(part)) return [{ type: 'text', text: prefix }, ...content];
  return content.with(at, { ...part, text: prefix + part.text });
}

/** The first of several prompts; tokens stay as they are. */
function firstPrefixed(prompts: readonly unknown[], rule: Rule): readonly unknown[] {
  const [first] = prompts;
  return typeof first === 'string' ? prompts.with(0, prefixed(first, rule)) : prompts;
}

function systemPrefixed(system: unknown, rule: Rule): unknown {
  const { prefix, addToExisting, onlyIfEmpty } = rule;
  if (addToExisting || (onlyIfEmpty && hasText(system))) return prefixed(system, rule);
  const block = { type: 'text', text: prefix };
  if (Array.isArray(system)) return [block, ...system];
  return typeof system === 'string' ? [block, { type: 'text', text: system }] : prefix;
}

const hasRole = (messages: unknown, role: string): boolean =>
  Array.isArray(messages) && messages.some((message: unknown) => isObject(message) && message['role'] === role);

const isTextPart = (part: unknown): part is { readonly text: string } =>
  isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string';

const hasText = (content: unknown): boolean =>
  Array.isArray(content)
    ? content.some((part) => isTextPart(part) && part.text !== '')
    : typeof content === 'string' && content !== '';
