import { isObject } from '@gatehouse/crds';
import { countTokens, type Prompt, type PromptOptions, type ToolChoice, type Turn, toPrompt } from '../answer/index.ts';
import { type JsonObject, readCount, readObject, readObjects, readString, readStrings } from '../json.ts';

type Block = JsonObject;

const THINKING_TYPES = new Set(['enabled', 'adaptive']);

export function readPrompt(body: JsonObject): Prompt {
  const system: Turn = { role: 'system', text: textOf(readBlocks(body['system'])) };
  return toPrompt([system, ...readObjects(body, 'messages').flatMap(toTurns)], readOptions(body));
}

/** Tokens of the prompt, split as a prompt cache would charge them. */
export interface InputTokens {
  readonly plain: number;
  /** Blocks of `system` with `cache_control`: always found in the cache. */
  readonly cacheRead: number;
  /** Blocks of messages with `cache_control`: always new to the cache. */
  readonly cacheWritten5m: number;
  readonly cacheWritten1h: number;
}

/** The mock has no cache: the split depends only on the request, so that answers do not change. */
export function countInput(body: JsonObject, prompt: Prompt): InputTokens {
  const inMessages = readObjects(body, 'messages').flatMap((message) => readBlocks(message['content']));
  const cacheRead = countTokens(textOf(readBlocks(body['system']).filter(isMarked)).length);
  const cacheWritten5m = countTokens(textOf(inMessages.filter((block) => isMarked(block) && !isHour(block))).length);
  const cacheWritten1h = countTokens(textOf(inMessages.filter((block) => isMarked(block) && isHour(block))).length);
  const cached = cacheRead + cacheWritten5m + cacheWritten1h;
  return { plain: Math.max(0, countTokens(prompt.characters) - cached), cacheRead, cacheWritten5m, cacheWritten1h };
}

function isMarked(block: Block): boolean {
  return readObject(block, 'cache_control') !== undefined;
}

function isHour(block: Block): boolean {
  return readObject(block, 'cache_control')?.['ttl'] === '1h';
}

function readBlocks(content: unknown): readonly Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (Array.isArray(content) ? content : []).filter(isObject);
}

function textOf(blocks: readonly Block[]): string {
  return blocks.map((block) => (block['type'] === 'text' ? (readString(block, 'text') ?? '') : '')).join('');
}

/** Tool results come last: a message with results and a remark still ends the conversation with results. */
function toTurns(message: JsonObject): readonly Turn[] {
  const blocks = readBlocks(message['content']);
  const results = blocks.filter((block) => block['type'] === 'tool_result');
  const images = blocks.filter((block) => block['type'] === 'image').length;
  const text = textOf(blocks);
  const role = message['role'] === 'assistant' ? 'assistant' : 'user';
  const own: Turn[] = results.length > 0 && text === '' && images === 0 ? [] : [{ role, text, images }];
  const answered = results.map((block): Turn => ({ role: 'tool', text: textOf(readBlocks(block['content'])) }));
  return [...own, ...answered];
}

function readOptions(body: JsonObject): PromptOptions {
  const format = readObject(readObject(body, 'output_config') ?? {}, 'format');
  const choice = readObject(body, 'tool_choice') ?? {};
  return {
    tools: readObjects(body, 'tools').flatMap((tool) => {
      const name = readString(tool, 'name');
      const schema = tool['input_schema']; // tools that the provider runs itself have none
      return name === undefined || schema === undefined ? [] : [{ name, schema }];
    }),
    toolChoice: toToolChoice(choice),
    parallelCalls: choice['disable_parallel_tool_use'] !== true,
    ...(format === undefined ? {} : { json: { schema: format['schema'] } }),
    maxTokens: readCount(body, 'max_tokens'),
    stop: readStrings(body, 'stop_sequences'),
    thinks: THINKING_TYPES.has(readString(readObject(body, 'thinking') ?? {}, 'type') ?? ''),
  };
}

function toToolChoice(choice: JsonObject): ToolChoice {
  switch (choice['type']) {
    case 'none':
      return 'none';
    case 'any':
      return 'required';
    case 'tool':
      return { name: readString(choice, 'name') ?? '' };
    default:
      return 'auto';
  }
}
