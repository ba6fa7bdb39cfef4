/** Tools that clients run, and the choice among them. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { parseJsonObject } from '../../../wire/openai/index.ts';
import { type Refused, refuseParameter, refuseShape, shownType } from './refusals.ts';
import { type ToolName, toChatName, toolNameOf } from './tool-names.ts';

/** The argument by which a function stands for a custom tool, which takes a text. */
const CUSTOM_INPUT = 'input';

export const toCustomArguments = (input: string): string => JSON.stringify({ [CUSTOM_INPUT]: input });

/** The text for a custom tool; what a model writes in another shape is passed on as it is. */
export function readCustomInput(text: string): string {
  return textAt(parseJsonObject(text), CUSTOM_INPUT) ?? text;
}

/** A tool that is called otherwise in a chat, or that takes a text. */
export interface ClientTool extends ToolName {
  readonly takesText: boolean;
}

/** By their names in the chat. */
export type ClientTools = ReadonlyMap<string, ClientTool>;

export interface ChatTools {
  /** As the members of the chat request. */
  readonly params: JsonObject;
  readonly clientTools: ClientTools;
}

/** Throws AppError for tools that the provider would have to run. */
export function toChatTools({ tools, tool_choice: choice }: JsonObject, provider: string): ChatTools {
  if (tools !== undefined && tools !== null && !Array.isArray(tools)) refuseShape('tools', 'a list');
  const given = (Array.isArray(tools) ? tools : []).flatMap((tool: unknown, i) =>
    toGivenTools(tool, `tools[${i}]`, provider),
  );
  const { mode, isAllowed = () => true } = toChoice(choice, provider);
  const kept = given.filter(({ client }) => isAllowed(client)).map(({ chat }) => chat);
  const named = given.filter(({ client }) => client.takesText || client.namespace !== undefined);
  return {
    params: kept.length === 0 ? {} : withoutAbsent({ tools: kept, tool_choice: mode }),
    clientTools: new Map(named.map(({ chat, client }) => [chat.function.name, client])),
  };
}

interface ChatTool extends JsonObject {
  readonly type: 'function';
  readonly function: JsonObject & { readonly name: string };
}

interface GivenTool {
  readonly chat: ChatTool;
  readonly client: ClientTool;
}

function toGivenTools(tool: unknown, path: string, provider: string): readonly GivenTool[] {
  if (!isObject(tool)) return refuseShape(path, 'an object');
  if (tool['type'] !== 'namespace') return [toGivenTool(tool, { path, provider })];
  const namespace = textAt(tool, 'name') || refuseShape(`${path}.name`, 'a text');
  const { tools } = tool;
  if (!Array.isArray(tools)) return refuseShape(`${path}.tools`, 'a list');
  return tools.map((inner: unknown, i) => {
    const innerPath = `${path}.tools[${i}]`;
    const given = isObject(inner) ? inner : refuseShape(innerPath, 'an object');
    return toGivenTool(i === 0 ? introduced(given, tool) : given, { path: innerPath, provider, namespace });
  });
}

/** A chat has no place for the description of a namespace: its first tool says it, once. */
function introduced(first: JsonObject, namespace: JsonObject): JsonObject {
  const texts = [textAt(namespace, 'description'), textAt(first, 'description')].filter(Boolean);
  return texts.length === 0 ? first : { ...first, description: texts.join('\n\n') };
}

interface ToolPlace {
  readonly path: string;
  readonly provider: string;
  readonly namespace?: string;
}

function toGivenTool(tool: JsonObject, { path, provider, namespace }: ToolPlace): GivenTool {
  const { type } = tool;
  if (type !== 'function' && type !== 'custom')
    return refuseParameter(path, ownTools(provider, `a tool ${shownType(type)}`));
  const name = textAt(tool, 'name') ?? refuseShape(`${path}.name`, 'a text');
  const client = { name, ...(namespace === undefined ? {} : { namespace }), takesText: type === 'custom' };
  const definition = type === 'function' ? functionOf(tool) : customOf(tool);
  const cacheControl = tool['cache_control'] ?? undefined;
  const chat: ChatTool = {
    type: 'function',
    function: { name: toChatName(client), ...withoutAbsent(definition) },
    ...(cacheControl === undefined ? {} : { cache_control: cacheControl }),
  };
  return { chat, client };
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
  /** Which tools may be called; absent: all. */
  isAllowed?(tool: ToolName): boolean;
}

function toChoice(choice: unknown, provider: string): Choice {
  if (choice === undefined || choice === null) return { mode: undefined };
  if (typeof choice === 'string') return { mode: choice };
  if (!isObject(choice)) return refuseShape('tool_choice', 'a text or an object');
  const { type } = choice;
  if (type === 'function' || type === 'custom') {
    const tool = toolNameOf(choice) ?? refuseShape('tool_choice.name', 'a text');
    return { mode: { type: 'function', function: { name: toChatName(tool) } } };
  }
  if (type === 'allowed_tools') return allowedOf(choice);
  return refuseParameter('tool_choice', ownTools(provider, `a tool ${shownType(type)}`));
}

/** The others are not sent: no other format can name some of the tools. */
function allowedOf({ mode, tools }: JsonObject): Choice {
  if (!Array.isArray(tools)) return refuseShape('tool_choice.tools', 'a list');
  const names = new Set<string>();
  const namespaces = new Set<string>();
  for (const tool of tools.filter(isObject)) {
    const named = toolNameOf(tool);
    if (named !== undefined && tool['type'] === 'namespace') namespaces.add(named.name);
    else if (named !== undefined) names.add(toChatName(named));
  }
  return {
    mode: mode ?? 'auto',
    isAllowed: (tool) =>
      names.has(toChatName(tool)) || (tool.namespace !== undefined && namespaces.has(tool.namespace)),
  };
}
