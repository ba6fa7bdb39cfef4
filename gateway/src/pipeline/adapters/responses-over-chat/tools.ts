/** Tools that clients run, and the choice among them. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { parseJsonObject } from '../../../wire/openai/index.ts';
import { type Refused, refuseParameter, refuseShape, shownType } from './refusals.ts';

/** The argument by which a function stands for a custom tool, which takes a text. */
const CUSTOM_INPUT = 'input';

export const toCustomArguments = (input: string): string => JSON.stringify({ [CUSTOM_INPUT]: input });

/** The text for a custom tool; what a model writes in another shape is passed on as it is. */
export function readCustomInput(text: string): string {
  return textAt(parseJsonObject(text), CUSTOM_INPUT) ?? text;
}

export interface ChatTools {
  /** As the members of the chat request. */
  readonly params: JsonObject;
  /** Names of tools that take a text. */
  readonly custom: ReadonlySet<string>;
}

/** Throws AppError for tools that the provider would have to run. */
export function toChatTools({ tools, tool_choice: choice }: JsonObject, provider: string): ChatTools {
  const custom = new Set<string>();
  if (tools !== undefined && tools !== null && !Array.isArray(tools)) refuseShape('tools', 'a list');
  const list = (Array.isArray(tools) ? tools : []).map((tool: unknown, i) => {
    const made = toChatTool(tool, `tools[${i}]`, provider);
    if (isObject(tool) && tool['type'] === 'custom') custom.add(made.function.name);
    return made;
  });
  const { mode, allowed } = toChoice(choice, provider);
  const kept = allowed === undefined ? list : list.filter((tool) => allowed.has(tool.function.name));
  return { params: kept.length === 0 ? {} : withoutAbsent({ tools: kept, tool_choice: mode }), custom };
}

interface ChatTool extends JsonObject {
  readonly type: 'function';
  readonly function: JsonObject & { readonly name: string };
}

function toChatTool(tool: unknown, path: string, provider: string): ChatTool {
  if (!isObject(tool)) return refuseShape(path, 'an object');
  const { type } = tool;
  if (type !== 'function' && type !== 'custom')
    return refuseParameter(path, ownTools(provider, `a tool ${shownType(type)}`));
  const name = textAt(tool, 'name') ?? refuseShape(`${path}.name`, 'a text');
  const definition = type === 'function' ? functionOf(tool) : customOf(tool);
  const cacheControl = tool['cache_control'] ?? undefined;
  return {
    type: 'function',
    function: { name, ...withoutAbsent(definition) },
    ...(cacheControl === undefined ? {} : { cache_control: cacheControl }),
  };
}

const ownTools = (provider: string, what: string): Refused => ({
  provider,
  remedy: `${what} is not among those that clients run: leave it out, or send it to a provider that has the API`,
});

const functionOf = ({ description, parameters, strict }: JsonObject): JsonObject => ({
  description,
  parameters,
  strict,
});

/** A grammar is told to the model; that it is kept to is up to the model. */
function customOf(tool: JsonObject): JsonObject {
  const format = objectAt(tool, 'format');
  const grammar = format?.['type'] === 'grammar' ? textAt(format, 'definition') : undefined;
  const description =
    grammar === undefined ? undefined : `A text of this grammar (${textAt(format, 'syntax') ?? 'lark'}):\n${grammar}`;
  return {
    description: tool['description'],
    parameters: {
      type: 'object',
      properties: { [CUSTOM_INPUT]: withoutAbsent({ type: 'string', description }) },
      required: [CUSTOM_INPUT],
      additionalProperties: false,
    },
  };
}

interface Choice {
  readonly mode: unknown;
  /** Names of the tools that may be called; undefined: all. */
  readonly allowed?: ReadonlySet<string>;
}

function toChoice(choice: unknown, provider: string): Choice {
  if (choice === undefined || choice === null) return { mode: undefined };
  if (typeof choice === 'string') return { mode: choice };
  if (!isObject(choice)) return refuseShape('tool_choice', 'a text or an object');
  const { type } = choice;
  if (type === 'function' || type === 'custom') {
    const name = textAt(choice, 'name') ?? refuseShape('tool_choice.name', 'a text');
    return { mode: { type: 'function', function: { name } } };
  }
  if (type === 'allowed_tools') return allowedOf(choice);
  return refuseParameter('tool_choice', ownTools(provider, `a tool ${shownType(type)}`));
}

/** The others are not sent: no other format can name some of the tools. */
function allowedOf({ mode, tools }: JsonObject): Choice {
  if (!Array.isArray(tools)) return refuseShape('tool_choice.tools', 'a list');
  const names = tools.map((tool: unknown) => (isObject(tool) ? textAt(tool, 'name') : undefined) ?? '');
  return { mode: mode ?? 'auto', allowed: new Set(names) };
}
