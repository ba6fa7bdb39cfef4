/** Reasoning models of some upstreams answer with a list of parts where OpenAI has one text; spec/providers.md 3.9, 3.29. */
import { isObject } from '@gatehouse/crds';
import type { OpenAiDialect } from '../../../wire/openai/index.ts';

/** Text parts become the content; clients that are not strict get the thinking as the reasoning of the message. */
export const joinContentList: NonNullable<OpenAiDialect['message']> = (message, ctx) => {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const parts: unknown[] = content;
  const text = parts.map((part) => (isTextPart(part) ? textIn(part) : '')).join('');
  const thinking = parts.map((part) => (isTextPart(part) ? '' : textIn(part))).join('');
  return { ...message, content: text, ...(thinking === '' || ctx.strict ? {} : { reasoning_content: thinking }) };
};

const isTextPart = (part: unknown): boolean => typeof part === 'string' || (isObject(part) && part['type'] === 'text');

/** `{text}`, `{thinking: [{text}]}` or `{summary: [{text}]}`. */
function textIn(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isObject(part)) return '';
  if (typeof part['text'] === 'string') return part['text'];
  const inner = part['thinking'] ?? part['summary'];
  if (typeof inner === 'string') return inner;
  return Array.isArray(inner) ? inner.map(textIn).join('') : '';
}
