/** Tools of a chat request as `toolConfig`. */

import { type ToolChoice, toolCallsOf, toolChoiceOf, toolsOf } from '../anthropic/index.ts';
import type { JsonObject } from '../contract.ts';
import { objectAt, textAt, withoutAbsent } from '../json/json.ts';
import type { ChatMessage } from '../openai/index.ts';

const EMPTY_SCHEMA = { type: 'object', properties: {} };

export interface ToolSpec {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly schema: JsonObject | undefined;
  readonly cacheControl: unknown;
}

/** A tool, followed by a cache point if the model accepts one there. */
export function toToolEntries(tool: ToolSpec, cachePoints: boolean): readonly JsonObject[] {
  const toolSpec = withoutAbsent({
    name: tool.name,
    description: tool.description === '' ? undefined : tool.description,
    inputSchema: { json: tool.schema ?? EMPTY_SCHEMA },
  });
  const marked = cachePoints && tool.cacheControl !== undefined && tool.cacheControl !== null;
  return marked ? [{ toolSpec }, { cachePoint: { type: 'default' } }] : [{ toolSpec }];
}

/** Some models refuse cache points between tools. */
export const takesToolCachePoints = (model: string): boolean => !model.includes('amazon');

/**
 * The tools and the choice. A conversation that used tools must declare them, even when the client forbids more calls or
 * no longer sends tools.
 */
export function toToolConfig(
  params: JsonObject,
  messages: readonly ChatMessage[],
  model: string,
): JsonObject | undefined {
  const choice = toolChoiceOf(params);
  const specs = functionTools(params);
  const used = usedTools(messages);
  if (choice?.kind === 'none' && used.length === 0) return undefined;
  const tools = (specs.length > 0 ? specs : used).flatMap((tool) => toToolEntries(tool, takesToolCachePoints(model)));
  if (tools.length === 0) return undefined;
  return withoutAbsent({ tools, toolChoice: specs.length === 0 ? undefined : toToolChoice(choice) });
}

function functionTools(params: JsonObject): readonly ToolSpec[] {
  return toolsOf(params)
    .filter((tool) => tool['type'] === 'function')
    .map((tool) => {
      const definition = objectAt(tool, 'function');
      return {
        name: textAt(definition, 'name'),
        description: textAt(definition, 'description'),
        schema: objectAt(definition, 'parameters'),
        cacheControl: tool['cache_control'],
      };
    });
}

function usedTools(messages: readonly ChatMessage[]): readonly ToolSpec[] {
  const names = new Set(messages.flatMap((message) => toolCallsOf(message).map(({ name }) => name)));
  return [...names].map((name) => ({ name, description: undefined, schema: undefined, cacheControl: undefined }));
}

/** Converse has no choice "none". */
function toToolChoice(choice: ToolChoice | undefined): JsonObject | undefined {
  switch (choice?.kind) {
    case 'auto':
      return { auto: {} };
    case 'required':
      return { any: {} };
    case 'tool':
      return { tool: { name: choice.name } };
    default:
      return undefined;
  }
}
