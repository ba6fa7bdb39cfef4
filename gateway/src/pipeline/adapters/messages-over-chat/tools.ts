/** Tools of a messages request and their choice, in the format of a chat request. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { refuseValue } from './refuse.ts';

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
  const all = toolsOf(given['tools']);
  const tools = all.filter(isOwn).map(toTool);
  const params = tools.length === 0 ? {} : { tools, ...toChoice(choiceOf(given['tool_choice'])) };
  return { params, dropped: tools.length < all.length };
}

/** Throws PARAMETER_INVALID. */
function toolsOf(tools: unknown): readonly JsonObject[] {
  if (tools === undefined || tools === null) return [];
  if (!Array.isArray(tools)) return refuseValue(['tools'], 'is a list of tools');
  return tools.map((tool: unknown, i) => {
    if (!isObject(tool)) return refuseValue(['tools', i], 'is a tool');
    if (isOwn(tool) && (textAt(tool, 'name') ?? '') === '') refuseValue(['tools', i, 'name'], 'is a text');
    return tool;
  });
}

/** Throws PARAMETER_INVALID. */
function choiceOf(choice: unknown): JsonObject | undefined {
  if (choice === undefined || choice === null) return undefined;
  if (!isObject(choice)) return refuseValue(['tool_choice'], 'is an object with a type');
  if (choice['type'] === 'tool' && textAt(choice, 'name') === undefined)
    refuseValue(['tool_choice', 'name'], 'is a text');
  return choice;
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
