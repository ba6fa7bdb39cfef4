/** Parameters of a call that its span shows: docs/behaviour/tracing.md#spans. */
import { isObject } from '@gatehouse/crds';
import type { AskedParams } from '../../../record/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { holdsGatewayKey } from '../../gateway-key.ts';
import type { Operation } from '../../operations/index.ts';
import { scrubberOf } from '../map/index.ts';
import type { Prepared } from '../prepare/index.ts';

/** Of a text, in characters. */
const MAX_TEXT = 256;
/** Of a list of texts. */
const MAX_TEXTS = 16;
/** Longer texts are left out: where they were cut, a part of a secret could be left. */
const MAX_CLEANED = 1024;
const ENCODING = /^[\w-]{1,32}$/;

export interface ParamsCall {
  readonly operation: Pick<Operation, 'generates'>;
  readonly params: JsonObject;
  /** Takes secrets out of a text of the client. */
  clean(this: void, text: string): string;
}

const REDACTED = '[redacted]';

/** Without secrets of the target, credentials that were sent, and gateway keys. */
export function spanParams({ operation, params, resolved, sent, input }: Prepared): AskedParams {
  const { snapshot } = input.exchange;
  return paramsAsked({
    operation,
    params,
    clean: (text) =>
      holdsGatewayKey(text, snapshot) ? REDACTED : scrubberOf(resolved.target, sent.headers).text(text),
  });
}

/** Of the formats that clients speak; what has the wrong type is left out. */
export function paramsAsked({ operation, params, clean }: ParamsCall): AskedParams {
  const choices = numberOf(params['n']);
  const text = (value: unknown): string | undefined => {
    if (typeof value !== 'string' || value === '' || value.length > MAX_CLEANED) return undefined;
    return clean(value).slice(0, MAX_TEXT).toWellFormed();
  };
  return {
    maxTokens:
      numberOf(params['max_completion_tokens']) ??
      numberOf(params['max_tokens']) ??
      numberOf(params['max_output_tokens']),
    temperature: numberOf(params['temperature']),
    topP: numberOf(params['top_p']),
    topK: numberOf(params['top_k']),
    frequencyPenalty: numberOf(params['frequency_penalty']),
    presencePenalty: numberOf(params['presence_penalty']),
    seed: numberOf(params['seed']),
    choices: choices === 1 ? undefined : choices,
    stop: listOf(params['stop'] ?? params['stop_sequences'], text),
    encodings: listOf(params['encoding_format'], (value) =>
      typeof value === 'string' && ENCODING.test(value) ? value : undefined,
    ),
    output: outputOf(params, operation),
    conversation: text(isObject(params['conversation']) ? params['conversation']['id'] : params['conversation']),
  };
}

/** Beyond safe integers a number may not be written as one. */
const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : undefined;

/** Of one text or of many. */
function listOf(value: unknown, textOf: (value: unknown) => string | undefined): readonly string[] | undefined {
  const given: readonly unknown[] = Array.isArray(value) ? value.slice(0, MAX_TEXTS) : [value];
  const texts = given.map(textOf).filter((each) => each !== undefined);
  return texts.length === 0 ? undefined : texts;
}

function outputOf(params: JsonObject, { generates }: ParamsCall['operation']): AskedParams['output'] {
  if (generates === 'images') return 'image';
  if (generates === 'speech') return 'speech';
  if (generates !== 'text') return undefined;
  const { text } = params;
  const format = params['response_format'] ?? (isObject(text) ? text['format'] : undefined);
  const type = isObject(format) ? format['type'] : undefined;
  if (type === 'json_object' || type === 'json_schema') return 'json';
  return type === 'text' ? 'text' : undefined;
}
