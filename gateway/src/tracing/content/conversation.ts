/** What was asked and answered, as messages: bodies of chat completions, completions, messages and responses, told by their members. */
import { isObject } from '@gatehouse/crds';
import { toFinishReason } from '../../usage/index.ts';
import { chatParts, itemParts, type Message, type Part, partsOf, roleOf, textPart } from './parts.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Asked {
  readonly messages: readonly Message[];
  /** What stands beside the conversation; instructions within it are messages. */
  readonly instructions: readonly Part[];
}

/** Undefined: the body has another format. */
export function askedMessages(body: unknown): Asked | undefined {
  if (!isObject(body)) return undefined;
  const { messages, prompt, input } = body;
  if (Array.isArray(messages))
    return { messages: messages.filter(isObject).map(askedMessage), instructions: partsOf(body['system']) };
  const texts = [prompt].flat().filter((text) => typeof text === 'string');
  if (texts.length > 0) return { messages: texts.map(userMessage), instructions: [] };
  const instructions = partsOf(body['instructions']);
  if (typeof input === 'string') return { messages: [userMessage(input)], instructions };
  if (Array.isArray(input)) return { messages: input.filter(isObject).map(itemMessage), instructions };
  return undefined;
}

const userMessage = (text: string): Message => ({ role: 'user', parts: [textPart(text)] });

const askedMessage = (message: Json): Message => ({ role: roleOf(message, 'user'), parts: chatParts(message) });

function itemMessage(item: Json): Message {
  const type = String(item['type']);
  const fallback = type.endsWith('_output')
    ? 'tool'
    : item['role'] === undefined && type !== 'message'
      ? 'assistant'
      : 'user';
  return { role: roleOf(item, fallback), parts: itemParts(item) };
}

/** Undefined: the body has another format, or is no answer. */
export function answeredMessages(body: unknown): readonly Message[] | undefined {
  if (!isObject(body)) return undefined;
  const { choices, output, content } = body;
  if (Array.isArray(choices)) return choices.filter(isObject).map(choiceMessage);
  if (body['type'] === 'message' && Array.isArray(content))
    return [ended({ role: roleOf(body, 'assistant'), parts: partsOf(content) }, body['stop_reason'])];
  if (Array.isArray(output)) return [responseMessage(body, output.filter(isObject))];
  return undefined;
}

function choiceMessage(choice: Json): Message {
  const { message, text, finish_reason: reason } = choice;
  if (isObject(message)) return ended({ role: roleOf(message, 'assistant'), parts: chatParts(message) }, reason);
  return ended({ role: 'assistant', parts: typeof text === 'string' ? [textPart(text)] : [] }, reason);
}

function responseMessage({ status, incomplete_details: details }: Json, items: readonly Json[]): Message {
  const parts = items.flatMap(itemParts);
  return ended({ role: 'assistant', parts }, responseEnd(status, { details, parts }));
}

interface ResponseEnd {
  readonly details: unknown;
  readonly parts: readonly Part[];
}

function responseEnd(status: unknown, { details, parts }: ResponseEnd): string | undefined {
  if (status === 'completed') return parts.some(({ type }) => type === 'tool_call') ? 'tool_call' : 'stop';
  if (status === 'failed' || status === 'cancelled') return 'error';
  const reason = isObject(details) ? details['reason'] : undefined;
  if (reason === 'max_output_tokens') return 'length';
  return typeof reason === 'string' ? reason : undefined;
}

const MAX_REASON = 64;

/** Without a reason: the answer was cut. */
const ended = (message: Message, reason: unknown): Message =>
  typeof reason === 'string' ? { ...message, finish_reason: toFinishReason(reason.slice(0, MAX_REASON)) } : message;
