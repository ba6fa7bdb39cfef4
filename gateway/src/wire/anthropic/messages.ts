/** The conversation of a chat request in the messages format. */
import type { ChatMessage, ContentPart } from '../openai/index.ts';
import { isSystem, partsOf, textOfPart } from '../openai/index.ts';
import { refusePart } from '../parts/parts.ts';
import { type Block, toBlock, toTextBlock, withCacheControl } from './content.ts';
import { assistantPartsOf, isReplayed, type ReadToolCall, toolCallsOf } from './conversation.ts';

export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly Block[];
}

/** The system blocks in order: texts. Throws UnsupportedPart. */
export function toSystem(messages: readonly ChatMessage[]): readonly Block[] {
  return messages.filter(isSystem).flatMap((message) => {
    const parts = partsOf(message.content);
    for (const part of parts) textOfPart(part);
    return withBreakpoint(blocksOf(parts), message.cache_control);
  });
}

/** User and assistant turns. Consecutive tool results and the user message after them form one turn. */
export function toTurns(messages: readonly ChatMessage[]): readonly Turn[] {
  const turns: Turn[] = [];
  let afterToolResult = false;
  for (const message of messages) {
    const turn = toTurn(message);
    if (turn === undefined) continue;
    const last = turns.at(-1);
    if (afterToolResult && last !== undefined && turn.role === 'user') {
      turns[turns.length - 1] = { role: 'user', content: [...asBlocks(last.content), ...asBlocks(turn.content)] };
    } else {
      turns.push(turn);
    }
    afterToolResult = message.role === 'tool';
  }
  return turns;
}

function toTurn(message: ChatMessage): Turn | undefined {
  if (isSystem(message)) return undefined;
  if (message.role === 'tool') return { role: 'user', content: [toToolResult(message)] };
  if (message.role !== 'assistant') return { role: 'user', content: toUserContent(message) };
  const said = assistantPartsOf(message)
    .map((part) => toAssistantBlock(part, isReplayed(message)))
    .filter((block) => block !== undefined);
  const content = [...said, ...toolCallsOf(message).map(toToolUse)];
  return content.length === 0
    ? undefined
    : { role: 'assistant', content: withBreakpoint(content, message.cache_control) };
}

function toUserContent({ content, cache_control }: ChatMessage): string | readonly Block[] {
  if (typeof content === 'string' && isAbsent(cache_control)) return content;
  return withBreakpoint(blocksOf(partsOf(content)), cache_control);
}

function toToolResult({ tool_call_id, content, cache_control }: ChatMessage): Block {
  const result = {
    type: 'tool_result',
    tool_use_id: tool_call_id ?? '',
    ...(isAbsent(content) ? {} : { content: typeof content === 'string' ? content : blocksOf(partsOf(content)) }),
  };
  return withCacheControl(result, cache_control);
}

function toToolUse({ id, name, input, cacheControl }: ReadToolCall): Block {
  return withCacheControl({ type: 'tool_use', id, name, input }, cacheControl);
}

/**
 * A block of an earlier assistant message. Vendor blocks are sent unchanged: the upstream requires thinking and server tool
 * blocks as it produced them. Tool calls come from `tool_calls`; thinking without signature is of another vendor and refused.
 */
function toAssistantBlock(part: ContentPart, replayed: boolean): Block | undefined {
  switch (part.type) {
    case 'text':
      return toTextBlock(part['text']) === undefined ? undefined : part;
    case 'refusal':
      return toTextBlock(part['refusal']);
    case 'thinking':
      return isSigned(part) ? part : undefined;
    case 'tool_use':
      return undefined;
    case 'image_url':
    case 'file':
    case 'input_audio':
      return replayed ? undefined : refusePart(part);
    default:
      return part;
  }
}

/** Whether a thinking block has the signature that upstreams require. */
export function isSigned(block: Block): boolean {
  return typeof block['signature'] === 'string' && block['signature'] !== '';
}

function blocksOf(parts: readonly ContentPart[]): readonly Block[] {
  return parts.map(toBlock).filter((block) => block !== undefined);
}

/** A cache breakpoint on a message is set on its last block. */
function withBreakpoint(blocks: readonly Block[], cacheControl: unknown): readonly Block[] {
  const last = blocks.at(-1);
  if (last === undefined || isAbsent(cacheControl) || 'cache_control' in last) return blocks;
  return [...blocks.slice(0, -1), withCacheControl(last, cacheControl)];
}

function asBlocks(content: Turn['content']): readonly Block[] {
  if (typeof content !== 'string') return content;
  const block = toTextBlock(content);
  return block === undefined ? [] : [block];
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;
