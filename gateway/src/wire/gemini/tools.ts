/** Function tools, Gemini's built-in tools and the tool choice. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { objectAt, objectsAt, orAbsent, textAt, withoutAbsent } from '../json/json.ts';
import { toGeminiSchema } from './schema.ts';

type Parameters = JsonObject | undefined;

/** A function with the name of a built-in tool requests that tool; the function's `parameters` are its settings. */
interface BuiltIn {
  readonly member: string;
  settings(parameters: Parameters): JsonObject;
}

const either = (parameters: Parameters, camel: string, snake: string): unknown =>
  parameters?.[camel] ?? parameters?.[snake];

const SEARCH: BuiltIn = {
  member: 'googleSearch',
  settings: (parameters) => ({ timeRangeFilter: either(parameters, 'timeRangeFilter', 'time_range_filter') }),
};
const SEARCH_RETRIEVAL: BuiltIn = {
  member: 'googleSearchRetrieval',
  settings: (parameters) => ({
    dynamicRetrievalConfig: either(parameters, 'dynamicRetrievalConfig', 'dynamic_retrieval_config'),
  }),
};
const COMPUTER_USE: BuiltIn = {
  member: 'computerUse',
  settings: (parameters) => ({
    environment: parameters?.['environment'],
    excludedPredefinedFunctions: either(parameters, 'excludedPredefinedFunctions', 'excluded_predefined_functions'),
  }),
};
const MAPS: BuiltIn = {
  member: 'googleMaps',
  settings: (parameters) => ({ enableWidget: either(parameters, 'enableWidget', 'enable_widget') }),
};

const BUILT_INS: ReadonlyMap<string, BuiltIn> = new Map([
  ['googleSearch', SEARCH],
  ['google_search', SEARCH],
  ['googleSearchRetrieval', SEARCH_RETRIEVAL],
  ['google_search_retrieval', SEARCH_RETRIEVAL],
  ['computerUse', COMPUTER_USE],
  ['computer_use', COMPUTER_USE],
  ['googleMaps', MAPS],
  ['google_maps', MAPS],
]);

/** Tools that read nothing but what the request or the public web holds; stores of the account are not among them. */
export const GOOGLE_TOOLS: ReadonlySet<string> = new Set([
  ...['googleSearch', 'googleSearchRetrieval', 'enterpriseWebSearch', 'googleMaps', 'urlContext', 'codeExecution'],
  'computerUse',
]);

/** `google_tools`: tools of Google as its own API names them. */
const ownTools = (params: JsonObject): readonly JsonObject[] =>
  objectsAt(params, 'google_tools').flatMap((tool) =>
    Object.entries(tool)
      .filter(([name, settings]) => GOOGLE_TOOLS.has(name) && isObject(settings))
      .map(([name, settings]) => ({ [name]: settings })),
  );

const MODES: ReadonlyMap<unknown, string> = new Map([
  ['auto', 'AUTO'],
  ['none', 'NONE'],
  ['required', 'ANY'],
]);

export interface GeminiTools {
  readonly tools: readonly JsonObject[] | undefined;
  readonly toolConfig: JsonObject | undefined;
}

/** `tools` and `tool_choice` of a request; both undefined when the client named neither. */
export function toGeminiTools(params: JsonObject): GeminiTools {
  const functions = objectsAt(params, 'tools')
    .map((tool) => objectAt(tool, 'function'))
    .filter((called) => called !== undefined);
  const builtIns = functions.map(toBuiltIn).filter((tool) => tool !== undefined);
  const declarations = functions.filter((called) => builtInOf(called) === undefined).map(toDeclaration);
  const tools = [
    ...builtIns,
    ...ownTools(params),
    ...(declarations.length > 0 ? [{ functionDeclarations: declarations }] : []),
  ];
  return {
    tools: tools.length === 0 ? undefined : tools,
    toolConfig: orAbsent(
      withoutAbsent({
        functionCallingConfig: toCallingConfig(params['tool_choice']),
        retrievalConfig:
          objectAt(params, 'retrieval_config') ??
          functions.map(retrievalConfigOf).find((config) => config !== undefined),
      }),
    ),
  };
}

const builtInOf = (called: JsonObject): BuiltIn | undefined => BUILT_INS.get(textAt(called, 'name') ?? '');

function toBuiltIn(called: JsonObject): JsonObject | undefined {
  const builtIn = builtInOf(called);
  if (builtIn === undefined) return undefined;
  return { [builtIn.member]: withoutAbsent(builtIn.settings(objectAt(called, 'parameters'))) };
}

/** The user's location, for the maps tool, is part of the tool config. */
function retrievalConfigOf(called: JsonObject): unknown {
  if (builtInOf(called) !== MAPS) return undefined;
  return either(objectAt(called, 'parameters'), 'retrievalConfig', 'retrieval_config');
}

function toDeclaration({ name, description, parameters }: JsonObject): JsonObject {
  return withoutAbsent({
    name,
    description,
    parameters: isObject(parameters) ? toGeminiSchema(parameters) : undefined,
  });
}

function toCallingConfig(choice: unknown): JsonObject | undefined {
  const mode = MODES.get(choice);
  if (mode !== undefined) return { mode };
  const name = isObject(choice) ? textAt(objectAt(choice, 'function'), 'name') : undefined;
  return name === undefined ? undefined : { mode: 'ANY', allowedFunctionNames: [name] };
}
