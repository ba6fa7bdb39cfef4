import { isObject } from '@gatehouse/crds';
import type { OpenAiDialect } from '../../../wire/openai/index.ts';
import type { Call } from '../../contract.ts';
import { pathText, requireModel } from '../../engine/index.ts';

/** The serving endpoint of the target, else the one with the name of the model. */
export function servingPath(call: Call): string {
  const name = call.fields.text('databricks_serving_endpoint_name') ?? requireModel(call);
  return `/${pathText(name, 'model')}/invocations`;
}

/**
 * Reasoning models answer with a list of parts instead of one text: text parts become the content, and the rest becomes the
 * reasoning of the message in answers that are not strict.
 */
export const databricksChat: OpenAiDialect = {
  message(message, ctx) {
    const { content } = message;
    if (!Array.isArray(content)) return message;
    const [text, reasoning] = [true, false].map((wanted) =>
      content.map((part: unknown) => (isText(part) === wanted ? textIn(part) : '')).join(''),
    );
    return { ...message, content: text, ...(reasoning === '' || ctx.strict ? {} : { reasoning_content: reasoning }) };
  },
};

const isText = (part: unknown): boolean => typeof part === 'string' || (isObject(part) && part['type'] === 'text');

/** A text, `{text}` or `{summary: [{text}]}`. */
function textIn(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isObject(part)) return '';
  const { text, summary } = part;
  if (typeof text === 'string') return text;
  return Array.isArray(summary) ? summary.map(textIn).join('') : '';
}
