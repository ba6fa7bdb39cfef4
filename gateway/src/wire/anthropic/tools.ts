/** Tools and their choice in the messages format. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { objectAt, textAt, withoutAbsent } from '../json/json.ts';
import { toolChoiceOf } from './conversation.ts';

const EMPTY_SCHEMA = { type: 'object', properties: {} };
/** Members of a tool with the same name upstream; they may be on the tool or on its function. */
const EXTRAS = ['cache_control', 'strict', 'defer_loading', 'allowed_callers', 'input_examples'] as const;

/** A function tool, or a server tool of the vendor. */
export function toTool(tool: JsonObject): JsonObject {
  const definition = objectAt(tool, 'function');
  return tool['type'] === 'function' && definition !== undefined
    ? toFunctionTool(tool, definition)
    : toServerTool(tool);
}

function toFunctionTool(tool: JsonObject, definition: JsonObject): JsonObject {
  const extras = EXTRAS.map((key) => [key, tool[key] ?? definition[key]] as const);
  return withoutAbsent({
    name: definition['name'],
    description: textAt(definition, 'description') ?? '',
    input_schema: isObject(definition['parameters']) ? definition['parameters'] : EMPTY_SCHEMA,
    ...Object.fromEntries(extras),
  });
}

/** `{type: T, T: {name: V, …}}` is the tool T in version V; a tool in the vendor's own shape is sent unchanged. */
export function toServerTool(tool: JsonObject): JsonObject {
  const name = textAt(tool, 'type') ?? '';
  const settings = objectAt(tool, name);
  if (settings === undefined) return tool;
  return withoutAbsent({ ...settings, name, type: settings['name'], cache_control: tool['cache_control'] });
}

/** The tool choice, with `parallel_tool_calls` as a member of it, as the format requires. */
export function toToolChoice(params: JsonObject): JsonObject | undefined {
  const choice = toolChoiceOf(params);
  const single = params['parallel_tool_calls'] === false ? { disable_parallel_tool_use: true } : {};
  switch (choice?.kind) {
    case 'none':
      return { type: 'none' };
    case 'auto':
      return { type: 'auto', ...single };
    case 'required':
      return { type: 'any', ...single };
    case 'tool':
      return { type: 'tool', name: choice.name, ...single };
    default:
      return 'disable_parallel_tool_use' in single ? { type: 'auto', ...single } : undefined;
  }
}
