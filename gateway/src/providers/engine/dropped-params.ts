/** Parameters of a client that the body for a provider leaves out; docs/behaviour/providers.md#what-a-provider-does-not-take. */
import { isObject } from '@gatehouse/crds';
import { takesAll } from '../../wire/params/params.ts';
import type { Call, Endpoint, JsonObject, RequestTable, Takes } from '../contract.ts';
import { DEFAULT_VALUE } from './shape-body.ts';

/** The names, in the order of the body. */
export type DroppedParams = (call: Call) => readonly string[];

export const NOTHING_DROPPED: readonly string[] = [];

/** Bounds of what is named: names come from clients, and go into a header. */
export const MAX_DROPPED_NAMES = 32;
const MAX_NAME_CHARS = 64;
const PLAIN_NAME = /^[\w.-]+$/;

/** Undefined for bodies that leave nothing out, which is the common case. */
export function compileDropped({ request }: Endpoint): DroppedParams | undefined {
  if (request.kind === 'write') {
    return (call) => droppedNames(call.params, request.takes(call));
  }
  const takes = request.kind === 'table' ? takenByTable(request.table) : undefined;
  return takes && (({ params }) => namesOf(params, takes, { readsValues: false }));
}

/** The names of parameters that a body leaves out, in their order. */
export const droppedNames = (params: JsonObject, takes: Takes): readonly string[] =>
  namesOf(params, takes, { readsValues: true });

/** Undefined: it takes every name. */
export function takenByTable(table: RequestTable): Takes | undefined {
  const { drop = [], only, elsewhere = [] } = table;
  const dropped = new Set(drop.filter((name) => !elsewhere.includes(name)));
  if (only === undefined) return dropped.size === 0 ? undefined : (name) => !dropped.has(name);
  const kept = new Set([...only, ...elsewhere].filter((name) => !dropped.has(name)));
  return (name) => kept.has(name);
}

/** A name that no format has. */
const OTHER_NAME = ' ';

/** Whether the body of an endpoint says a parameter; undefined: it passes whatever it is given, and the provider judges it. */
export function saysParam(
  { request, lacks = [], names = [] }: Endpoint,
  name: string,
  call: Call,
): boolean | undefined {
  if (lacks.includes(name)) return false;
  if (names.includes(name)) return true;
  if (request.kind !== 'write' && request.kind !== 'table') return undefined;
  const takes = request.kind === 'write' ? request.takes(call) : (takenByTable(request.table) ?? takesAll);
  if (!takes(name, undefined)) return false;
  return takes(OTHER_NAME, undefined) ? undefined : true;
}

/** `readsValues`: large members are parsed when they are read, which a table need not do. */
function namesOf(
  params: JsonObject,
  takes: Takes,
  { readsValues }: { readonly readsValues: boolean },
): readonly string[] {
  let names: string[] | undefined;
  for (const name of Object.keys(params)) {
    if (takes(name, readsValues ? params[name] : undefined) || asksNothing(name, params[name])) continue;
    names ??= [];
    names.push(shown(name));
    if (names.length === MAX_DROPPED_NAMES) break;
  }
  return names ?? NOTHING_DROPPED;
}

/** What every provider does anyway, by parameter. Source: OpenAI API reference, defaults of requests. */
const DEFAULTS: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['n', [1]],
  ['best_of', [1]],
  ['frequency_penalty', [0]],
  ['presence_penalty', [0]],
  ['top_logprobs', [0]],
  ['logprobs', [false]],
  ['echo', [false]],
  ['store', [false]],
  ['parallel_tool_calls', [true]],
  ['tool_choice', ['auto']],
  ['service_tier', ['auto', 'default']],
  ['encoding_format', ['float']],
]);
/** The gateway itself does what they ask for. */
const OF_THE_GATEWAY: ReadonlySet<string> = new Set(['stream', 'stream_options']);

function asksNothing(name: string, value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === DEFAULT_VALUE) return true;
  if (OF_THE_GATEWAY.has(name) || DEFAULTS.get(name)?.includes(value) === true) return true;
  if (Array.isArray(value)) return value.length === 0 || (name === 'modalities' && value.every(isText));
  if (!isObject(value)) return false;
  return Object.keys(value).length === 0 || (name === 'response_format' && isText(value['type']));
}

const isText = (value: unknown): boolean => value === 'text';

/** A name as it may stand in a header. */
const shown = (name: string): string =>
  PLAIN_NAME.test(name) && name.length <= MAX_NAME_CHARS
    ? name
    : encodeURIComponent(name.slice(0, MAX_NAME_CHARS).toWellFormed()).slice(0, MAX_NAME_CHARS);
