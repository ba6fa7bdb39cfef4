import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';

/** The members of a messages request that a parameter of a chat may come from; the first that is there does. */
const SAID_BY: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ['max_completion_tokens', [['max_tokens']]],
  ['stop', [['stop_sequences']]],
  ['user', [['metadata', 'user_id']]],
  ['parallel_tool_calls', [['tool_choice', 'disable_parallel_tool_use']]],
  ['response_format', [['output_config', 'format'], ['output_format']]],
  ['reasoning_effort', [['output_config', 'effort'], ['thinking']]],
]);

/** What the client calls a parameter; one that a config has added keeps its name. */
export function clientNameOf(param: string, given: JsonObject): string {
  return (
    SAID_BY.get(param)
      ?.find((path) => isThere(given, path))
      ?.join('.') ?? param
  );
}

const isThere = (given: JsonObject, path: readonly string[]): boolean =>
  path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), given) !== undefined;
