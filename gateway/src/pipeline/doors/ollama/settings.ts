/** What requests for text of both kinds say beside their texts. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { orAbsent, withoutAbsent } from '../../../wire/json/json.ts';
import { EFFORT_OF_THINKING } from '../../../wire/ollama/index.ts';
import { refuseShape } from '../refuse.ts';
import { type Check, flag, list, number, text } from '../shape.ts';
import { isNoLimit, NO_LIMIT, OF_SERVER } from './for-others.ts';

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

/** Of a chat; what a chat cannot say is of Ollama alone. Throws PARAMETER_INVALID. */
export function toSettings(given: JsonObject): JsonObject {
  const { options, ...settings } = toOptions(given);
  const stream = given['stream'] ?? true;
  if (typeof stream !== 'boolean') return refuseShape('stream', 'true or false');
  checkLogprobs(given);
  return withoutAbsent({
    model: given['model'],
    ...settings,
    response_format: toResponseFormat(given['format']),
    reasoning_effort: toEffort(given['think']),
    logprobs: given['logprobs'] === true ? true : undefined,
    top_logprobs: given['logprobs'] === true ? given['top_logprobs'] : undefined,
    think: given['think'],
    options,
    ...Object.fromEntries(OF_SERVER.map((name) => [name, given[name]])),
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  });
}

/** What is said by a chat, and the others as `options`. */
function toOptions(given: JsonObject): JsonObject {
  const params: [name: string, value: unknown][] = [];
  const others: [name: string, value: unknown][] = [];
  for (const [name, value] of Object.entries(optionsOf(given) ?? {})) {
    const known = name === NO_LIMIT && isNoLimit(value) ? NO_LIMIT : OPTIONS.get(name);
    if (known === undefined) others.push([name, value]);
    else params.push([known, value]);
  }
  // A client may name an option as the prototype of objects.
  return { ...Object.fromEntries(params), options: orAbsent(Object.fromEntries(others)) };
}

const whole: Check = (value, path) => {
  if (!Number.isInteger(value)) refuseShape(path, 'a whole number');
};

/** Names that stop a text. */
const stops: Check = (value, path) => {
  if (typeof value !== 'string') list('a text or a list of texts', text)(value, path);
};

/** JSON has no number for what is beyond all of them: it would be sent as null. */
const sendable: Check = (value, path) => {
  if (typeof value === 'number') finite(value, path);
};

const finite: Check = (value, path) => {
  if (!Number.isFinite(value)) refuseShape(path, 'a number');
};

/** Of the options that a chat has a name for. */
const CHECKS: ReadonlyMap<string, Check> = new Map([
  ...['num_predict', 'top_k', 'seed'].map((name) => [name, whole] as const),
  ...['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'].map((name) => [name, finite] as const),
  ['stop', stops] as const,
]);

/** Without those that are null. Throws PARAMETER_INVALID. */
export function optionsOf({ options }: JsonObject): JsonObject | undefined {
  if (options === undefined || options === null) return undefined;
  if (!isObject(options)) return refuseShape('options', 'an object');
  const given = withoutAbsent(options);
  for (const [name, value] of Object.entries(given)) (CHECKS.get(name) ?? sendable)(value, `options.${name}`);
  return given;
}

function checkLogprobs({ logprobs, top_logprobs: top }: JsonObject): void {
  if ((logprobs ?? undefined) !== undefined) flag(logprobs, 'logprobs');
  if ((top ?? undefined) !== undefined) number(top, 'top_logprobs');
}

function toResponseFormat(format: unknown): JsonObject | undefined {
  if (format === undefined || format === null || format === '') return undefined;
  if (format === 'json') return { type: 'json_object' };
  if (isObject(format)) return { type: 'json_schema', json_schema: { name: 'response', schema: format } };
  return refuseShape('format', 'json or a JSON schema');
}

const LEVELS: ReadonlySet<unknown> = new Set(['low', 'medium', 'high']);

/** Without a level the model decides; `false` has no effort, and goes to servers of Ollama alone, as does what the client says itself. */
function toEffort(think: unknown): string | undefined {
  if (think === undefined || think === null || think === false) return undefined;
  if (think === true) return EFFORT_OF_THINKING;
  return LEVELS.has(think) ? String(think) : refuseShape('think', 'true, false, low, medium or high');
}
