/** A messages request as a Converse body, for models without a messages API. */
import type { JsonObject } from '../contract.ts';
import { numberAt, objectAt, objectsAt, orAbsent, textAt, withoutAbsent } from '../json/json.ts';
import { stopList } from '../openai/index.ts';
import { toAdditionalFields } from './additional-fields.ts';
import { toTextBlocks, withCachePoint } from './content.ts';
import { createContentScope, isRemote } from './media.ts';
import { messageBlocksOf, toConverseBlocks } from './messages-content.ts';
import { isCustomTool } from './params.ts';
import type { ConverseTarget } from './target.ts';
import { type ToolSpec, takesToolCachePoints, toToolEntries } from './tools.ts';
import { type Turn, toAlternatingTurns } from './turns.ts';

/** The body; the model is in the URL. Members without a counterpart are left out. */
export function toConverseMessages(params: JsonObject, target: ConverseTarget): JsonObject {
  const system = messageBlocksOf(params['system']).flatMap((block) =>
    withCachePoint(toTextBlocks(block['text']), block['cache_control']),
  );
  return withoutAbsent({
    system: system.length === 0 ? undefined : system,
    messages: toTurns(params, target),
    inferenceConfig: toInferenceConfig(params),
    toolConfig: toToolConfig(params, target.model),
    additionalModelRequestFields: toAdditionalFields({ top_k: params['top_k'] }, target),
    requestMetadata: toRequestMetadata(params),
  });
}

/** The http(s) URLs whose bytes the body needs, each once. */
export function remoteUrlsOfMessages(params: JsonObject): readonly string[] {
  const blocks = objectsAt(params, 'messages').flatMap(({ content }) => messageBlocksOf(content));
  const inner = blocks.flatMap((block) => (block['type'] === 'tool_result' ? messageBlocksOf(block['content']) : []));
  const urls = [...blocks, ...inner]
    .map((block) => textAt(objectAt(block, 'source'), 'url'))
    .filter((url) => url !== undefined);
  return [...new Set(urls)].filter(isRemote);
}

function toTurns(params: JsonObject, target: ConverseTarget): readonly Turn[] {
  const scope = createContentScope(target.remote);
  const turns = objectsAt(params, 'messages').map(({ role, content }) => ({
    role: role === 'assistant' ? ('assistant' as const) : ('user' as const),
    content: messageBlocksOf(content).flatMap((block) => toConverseBlocks(block, scope)),
  }));
  return toAlternatingTurns(turns);
}

function toInferenceConfig(params: JsonObject): JsonObject | undefined {
  const config = {
    maxTokens: numberAt(params, 'max_tokens'),
    stopSequences: stopList(params['stop_sequences']),
    temperature: numberAt(params, 'temperature'),
    topP: numberAt(params, 'top_p'),
  };
  return orAbsent(withoutAbsent(config));
}

/** Server tools of the vendor have no counterpart. Tools used in the conversation must be declared. */
function toToolConfig(params: JsonObject, model: string): JsonObject | undefined {
  const choice = objectAt(params, 'tool_choice');
  const specs = objectsAt(params, 'tools').filter(isCustomTool).map(toToolSpec);
  const used = usedTools(params);
  if (choice?.['type'] === 'none' && used.length === 0) return undefined;
  const tools = (specs.length > 0 ? specs : used).flatMap((tool) => toToolEntries(tool, takesToolCachePoints(model)));
  if (tools.length === 0) return undefined;
  return withoutAbsent({ tools, toolChoice: specs.length === 0 ? undefined : toToolChoice(choice) });
}

function toToolSpec(tool: JsonObject): ToolSpec {
  return {
    name: textAt(tool, 'name'),
    description: textAt(tool, 'description'),
    schema: objectAt(tool, 'input_schema'),
    cacheControl: tool['cache_control'],
  };
}

function usedTools(params: JsonObject): readonly ToolSpec[] {
  const blocks = objectsAt(params, 'messages').flatMap(({ content }) => messageBlocksOf(content));
  const names = blocks.filter(({ type }) => type === 'tool_use').map((block) => textAt(block, 'name'));
  return [...new Set(names)].map((name) => ({
    name,
    description: undefined,
    schema: undefined,
    cacheControl: undefined,
  }));
}

function toToolChoice(choice: JsonObject | undefined): JsonObject | undefined {
  switch (choice?.['type']) {
    case 'auto':
      return { auto: {} };
    case 'any':
      return { any: {} };
    case 'tool':
      return { tool: { name: choice['name'] } };
    default:
      return undefined;
  }
}

/** The upstream accepts texts only. */
function toRequestMetadata(params: JsonObject): JsonObject | undefined {
  const entries = Object.entries(objectAt(params, 'metadata') ?? {});
  return orAbsent(Object.fromEntries(entries.filter(([, value]) => typeof value === 'string')));
}
