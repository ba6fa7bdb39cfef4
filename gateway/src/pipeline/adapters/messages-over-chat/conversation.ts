/** The conversation of a messages request as messages of a chat. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, textAt } from '../../../wire/json/json.ts';
import type { ChatMessage, ContentPart, ToolCall } from '../../../wire/openai/index.ts';
import { blocksOf, linesOf, type PlacedBlock, type Reading, toParts } from './content.ts';
import type { Path } from './places.ts';
import { refuseBlock, refuseValue } from './refuse.ts';

/** The system message, then those of the conversation. Throws PARAMETER_INVALID and CONTENT_UNSUPPORTED. */
export function toChatMessages({ system, messages }: JsonObject, reading: Reading): readonly ChatMessage[] {
  if (!Array.isArray(messages)) return refuseValue(['messages'], 'is a list of messages');
  const before = system === undefined || system === null ? [] : systemMessages(system, ['system'], reading);
  return [
    ...before,
    ...messages.flatMap((message: unknown, i) =>
      isObject(message) ? toMessages(message, ['messages', i], reading) : refuseValue(['messages', i], 'is a message'),
    ),
  ];
}

function toMessages(message: JsonObject, path: Path, reading: Reading): readonly ChatMessage[] {
  const at = [...path, 'content'];
  const { role, content } = message;
  switch (role) {
    case 'user':
      return userMessages(blocksOf(content, at), reading);
    case 'assistant':
      return [assistantMessage(blocksOf(content, at), reading)];
    case 'system':
      return systemMessages(content, at, reading);
    default:
      return refuseValue([...path, 'role'], 'is user, assistant or system');
  }
}

function systemMessages(content: unknown, path: Path, { provider }: Reading): readonly ChatMessage[] {
  const texts = blocksOf(content, path).map((placed) => {
    const text = placed.block['type'] === 'text' ? textAt(placed.block, 'text') : undefined;
    return text ?? refuseBlock(placed.block, placed.path, provider);
  });
  const text = linesOf(texts);
  return text === '' ? [] : [{ role: 'system', content: text }];
}

const isResult = ({ block }: PlacedBlock): boolean => block['type'] === 'tool_result';

/** Results of tools come first, each in a message of its own: nothing may stand between them and their calls. */
function userMessages(blocks: readonly PlacedBlock[], reading: Reading): readonly ChatMessage[] {
  const results = blocks.filter(isResult).map((placed) => toResult(placed, reading));
  const said = blocks.filter((placed) => !isResult(placed)).flatMap((placed) => toParts(placed, reading));
  const parts = [...results.flatMap(({ shown }) => shown), ...said];
  const user: ChatMessage = { role: 'user', content: contentOf(parts) };
  return [...results.map(({ message }) => message), ...(parts.length > 0 || results.length === 0 ? [user] : [])];
}

interface ToolResult {
  readonly message: ChatMessage;
  /** What a tool message cannot hold, e.g. images: the user shows it. */
  readonly shown: readonly ContentPart[];
}

function toResult({ block, path }: PlacedBlock, reading: Reading): ToolResult {
  const { content } = block;
  const blocks = content === undefined || content === null ? [] : blocksOf(content, [...path, 'content']);
  const parts = blocks.flatMap((placed) => toParts(placed, reading));
  const said = linesOf(parts.filter(isText).map((part) => textAt(part, 'text')));
  const text = block['is_error'] === true ? `${FAILED} ${said}`.trim() : said;
  return {
    message: reading.places.note(
      { role: 'tool', tool_call_id: textAt(block, 'tool_use_id') ?? '', content: text },
      path,
    ),
    shown: parts.filter((part) => !isText(part)),
  };
}

/** A chat has no other way to say that a tool has failed. */
const FAILED = 'Error:';

const isText = ({ type }: ContentPart): boolean => type === 'text';

/** A single text is the content itself. */
function contentOf(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const [first, ...more] = parts;
  if (first === undefined) return '';
  return more.length === 0 && isText(first) ? (textAt(first, 'text') ?? '') : parts;
}

/** Texts, calls of tools, and the thinking that is signed; what only the vendor's own models understand is left out. */
function assistantMessage(blocks: readonly PlacedBlock[], { places }: Reading): ChatMessage {
  const of = (type: string): readonly PlacedBlock[] => blocks.filter(({ block }) => block['type'] === type);
  const text = of('text')
    .map(({ block }) => textAt(block, 'text') ?? '')
    .join('');
  const calls = of('tool_use').map(({ block, path }) => places.note(toCall(block), path));
  const thoughts = blocks.map(({ block }) => block).filter(isThought);
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(thoughts.length === 0
      ? {}
      : { content_blocks: [...thoughts, ...(text === '' ? [] : [{ type: 'text', text }])] }),
  };
}

/** Upstreams with thinking refuse it without its signature. */
function isThought(block: JsonObject): block is ContentPart {
  const { type, signature, data } = block;
  return type === 'thinking'
    ? typeof signature === 'string' && signature !== ''
    : type === 'redacted_thinking' && typeof data === 'string';
}

function toCall(block: JsonObject): ToolCall {
  return {
    id: textAt(block, 'id') ?? '',
    type: 'function',
    function: { name: textAt(block, 'name') ?? '', arguments: JSON.stringify(objectAt(block, 'input') ?? {}) },
  };
}
