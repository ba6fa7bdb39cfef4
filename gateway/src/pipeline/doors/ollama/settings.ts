/** What requests for text of both kinds say beside their texts. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { withoutAbsent } from '../../../wire/json/json.ts';
import type { DroppedNames } from '../dropped-names.ts';
import { refuseShape } from '../refuse.ts';

/** Options by what a chat calls them. Source: Ollama, modelfile parameters. */
const OPTIONS: ReadonlyMap<string, string> = new Map([
  ['num_predict', 'max_completion_tokens'],
  ['temperature', 'temperature'],
  ['top_p', 'top_p'],
  ['top_k', 'top_k'],
  ['seed', 'seed'],
  ['stop', 'stop'],
  ['presence_penalty', 'presence_penalty'],
  ['frequency_penalty', 'frequency_penalty'],
]);
/** `dropped`: gets the names of options that a chat cannot say. Throws PARAMETER_INVALID. */
export function toSettings(given: JsonObject, dropped: DroppedNames): JsonObject {
  const options = given['options'] ?? {};
  if (!isObject(options)) return refuseShape('options', 'an object');
  const params: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    const known = OPTIONS.get(name);
    if (known === undefined) {
      if (value !== null) dropped.add(name, 'options.');
    } else if (name !== 'num_predict' || isLimit(value)) params[known] = value;
  }
  const stream = given['stream'] ?? true;
  if (typeof stream !== 'boolean') return refuseShape('stream', 'true or false');
  return withoutAbsent({
    model: given['model'],
    ...params,
    response_format: toResponseFormat(given['format']),
    reasoning_effort: toEffort(given['think']),
    think: given['think'] === false ? false : undefined,
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  });
}

/** -1 and -2 stand for no limit. */
const isLimit = (value: unknown): boolean => typeof value !== 'number' || value >= 0;

function toResponseFormat(format: unknown): JsonObject | undefined {
  if (format === undefined || format === null || format === '') return undefined;
  if (format === 'json') return { type: 'json_object' };
  if (isObject(format)) return { type: 'json_schema', json_schema: { name: 'response', schema: format } };
  return refuseShape('format', 'json or a JSON schema');
}

const LEVELS: ReadonlySet<unknown> = new Set(['low', 'medium', 'high']);

/** Without a level the model decides; `false` has no effort, and goes to servers of Ollama alone. */
function toEffort(think: unknown): string | undefined {
  if (think === undefined || think === null || think === false) return undefined;
  if (think === true) return 'medium';
  return LEVELS.has(think) ? String(think) : refuseShape('think', 'true, false, low, medium or high');
}
