/** A chat request as a body of the Converse API. */
import { assistantPartsOf, conversationOf, isReplayed, type ReadToolCall, toolCallsOf } from '../anthropic/index.ts';
import type { JsonObject } from '../contract.ts';
import { numberAt, objectAt, orAbsent, withoutAbsent } from '../json/json.ts';
import {
  type ChatMessage,
  filePartOf,
  imageUrlOf,
  isSystem,
  maxTokensOf,
  partsOf,
  stopList,
  textOfPart,
} from '../openai/index.ts';
import { toAdditionalFields } from './additional-fields.ts';
import { toAssistantBlocks, toContent, toTextBlocks, withCachePoint } from './content.ts';
import { type Block, type ContentScope, createContentScope, isRemote } from './media.ts';
import type { ConverseTarget } from './target.ts';
import { toToolConfig } from './tools.ts';
import { type Turn, toAlternatingTurns } from './turns.ts';

/** The body; the model is in the URL. Parameters without a counterpart are left out. */
export function toConverseBody(params: JsonObject, target: ConverseTarget): JsonObject {
  const messages = conversationOf(params);
  const system = messages.filter(isSystem).flatMap(toSystemBlocks);
  return withoutAbsent({
    system: system.length === 0 ? undefined : system,
    messages: toTurns(messages, createContentScope(target.remote)),
    inferenceConfig: toInferenceConfig(params),
    toolConfig: toToolConfig(params, messages, target.model),
    guardrailConfig: params['guardrailConfig'] ?? params['guardrail_config'],
    additionalModelRequestFields: toAdditionalFields(params, target),
    additionalModelResponseFieldPaths:
      params['additionalModelResponseFieldPaths'] ?? params['additional_model_response_field_paths'],
    performanceConfig: objectAt(params, 'performance_config'),
  });
}

/** The http(s) URLs whose bytes the body needs, each once. */
export function remoteUrlsOf(params: JsonObject): readonly string[] {
  const urls = conversationOf(params)
    .flatMap(({ content }) => partsOf(content))
    .map((part) => imageUrlOf(part) ?? filePartOf(part)?.url)
    .filter((url) => url !== undefined);
  return [...new Set(urls)].filter(isRemote);
}

function toSystemBlocks({ content, cache_control }: ChatMessage): readonly Block[] {
  const blocks = partsOf(content).flatMap((part) =>
    withCachePoint(toTextBlocks(textOfPart(part)), part['cache_control']),
  );
  return withCachePoint(blocks, cache_control);
}

function toTurns(messages: readonly ChatMessage[], scope: ContentScope): readonly Turn[] {
  return toAlternatingTurns(messages.filter((message) => !isSystem(message)).map((message) => toTurn(message, scope)));
}

function toTurn(message: ChatMessage, scope: ContentScope): Turn {
  if (message.role === 'assistant') {
    const said = assistantPartsOf(message).flatMap((part) => toAssistantBlocks(part, isReplayed(message)));
    const calls = toolCallsOf(message).flatMap(toToolUse);
    return { role: 'assistant', content: withCachePoint([...said, ...calls], message.cache_control) };
  }
  if (message.role !== 'tool') return { role: 'user', content: toContent(message, scope) };
  const content = toContent(message, scope);
  const toolResult = { toolUseId: message.tool_call_id ?? '', content: content.filter(isNotCachePoint) };
  // A tool result cannot have a cache point.
  return { role: 'user', content: [{ toolResult }, ...content.filter((block) => !isNotCachePoint(block)).slice(-1)] };
}

const isNotCachePoint = (block: Block): boolean => !('cachePoint' in block);

function toToolUse({ id, name, input, cacheControl }: ReadToolCall): readonly Block[] {
  return withCachePoint([{ toolUse: { toolUseId: id, name, input } }], cacheControl);
}

function toInferenceConfig(params: JsonObject): JsonObject | undefined {
  const config = {
    maxTokens: maxTokensOf(params),
    stopSequences: stopList(params['stop']),
    temperature: numberAt(params, 'temperature'),
    topP: numberAt(params, 'top_p'),
  };
  return orAbsent(withoutAbsent(config));
}
