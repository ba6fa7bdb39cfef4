/** What of a request is compared by meaning: docs/behaviour/caching.md#answers-to-similar-prompts. */
import { isObject } from '@gatehouse/crds';

type Json = Readonly<Record<string, unknown>>;

export interface SemanticPrompt {
  /** Its vector is compared. */
  readonly text: string;
  /** The request without that text, which must be the same. */
  readonly rest: Json;
}

/** Messages after the instructions. */
const MAX_MESSAGES = 4;
/** The 8191 tokens that models of embeddings take, four characters each. */
const MAX_CHARS = 8_191 * 4;
const END = '\n###\n';

/** The instructions at the beginning are compared exactly. Undefined: there is no text of a user, too much, or more than text. */
export function chatPromptOf(params: Json): SemanticPrompt | undefined {
  const { messages, ...rest } = params;
  if (!Array.isArray(messages)) return undefined;
  const from = messages.findIndex((message: unknown) => !isInstruction(message));
  const [first, said] = from < 0 ? [messages, []] : [messages.slice(0, from), messages.slice(from)];
  if (said.length > MAX_MESSAGES || !said.some((message: unknown) => roleOf(message) === 'user')) return undefined;
  const texts = said.map(textOf);
  if (texts.some((text) => text === undefined)) return undefined;
  const text = texts.map((one) => `${one}${END}`).join('');
  if (text.length > MAX_CHARS) return undefined;
  return { text, rest: { ...rest, messages: [...first, ...said.map(withoutContent)] } };
}

/** Undefined: the prompt is no text. */
export function completionPromptOf({ prompt, ...rest }: Json): SemanticPrompt | undefined {
  if (typeof prompt !== 'string' || prompt.trim() === '' || prompt.length > MAX_CHARS) return undefined;
  return { text: prompt, rest };
}

const INSTRUCTIONS: ReadonlySet<unknown> = new Set(['system', 'developer']);
const isInstruction = (message: unknown): boolean => INSTRUCTIONS.has(roleOf(message));

const roleOf = (message: unknown): unknown => (isObject(message) ? message['role'] : undefined);

/** Undefined: there is something else, as an image. */
function textOf(message: unknown): string | undefined {
  const content = isObject(message) ? message['content'] : undefined;
  if (typeof content === 'string') return content;
  return Array.isArray(content) && content.every(isText) ? JSON.stringify(content) : undefined;
}

const isText = (part: unknown): boolean =>
  isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string';

function withoutContent(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { content: _, ...rest } = message;
  return rest;
}
