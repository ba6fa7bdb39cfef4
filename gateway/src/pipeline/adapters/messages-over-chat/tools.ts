/** Tools of a messages request and their choice, in the format of a chat request. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, objectsAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';

const OWN_TYPE = 'custom';
const NO_ARGUMENTS = { type: 'object', properties: {} };

/** Tools that the client defines; the vendor's own have a type and no schema. */
const isOwn = ({ type }: JsonObject): boolean => type === undefined || type === null || type === OWN_TYPE;

export interface ChatTools {
  readonly params: JsonObject;
  /** There were tools that only the vendor's own models have. */
  readonly dropped: boolean;
}

export function toChatTools(given: JsonObject): ChatTools {
  const all = objectsAt(given, 'tools');
  const tools = all.filter(isOwn).map(toTool);
  const params = tools.length === 0 ? {} : { tools, ...toChoice(objectAt(given, 'tool_choice')) };
  return { params, dropped: tools.length < all.length };
}

function toTool(tool: JsonObject): JsonObject {
  const { input_schema: schema, strict } = tool;
  return {
    type: 'function',
    function: withoutAbsent({
      name: tool['name'],
      description: textAt(tool, 'description') ?? '',
      parameters: isObject(schema) ? schema : NO_ARGUMENTS,
      strict: typeof strict === 'boolean' ? strict : undefined,
    }),
  };
}

function toChoice(choice: JsonObject | undefined): JsonObject {
  const single = choice?.['disable_parallel_tool_use'] === true ? { parallel_tool_calls: false } : {};
  switch (choice?.['type']) {
    case 'auto':
    case 'none':
      return { tool_choice: choice['type'], ...single };
    case 'any':
      return { tool_choice: 'required', ...single };
    case 'tool':
      return { tool_choice: { type: 'function', function: { name: choice['name'] } }, ...single };
    default:
      return single;
  }
}
