/** The response around its output: what it answers, repeated with the defaults of the API. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject, Usage } from '../../../wire/contract.ts';
import { objectAt, objectsAt, textAt } from '../../../wire/json/json.ts';
import { toFinishReason } from '../../../wire/openai/index.ts';
import { toResponseUsage } from './usage.ts';

/** Longest id of a provider that is repeated. */
const MAX_ID_CHARS = 256;

export interface ResponseNames {
  readonly id: string;
  /** Unix time in seconds. */
  readonly createdAt: number;
  readonly model: string;
}

/** Names and time that a chat completion or chunk has; generated where it has none. */
export function namesOf(
  body: JsonObject,
  { model, now, newId }: { model: string; now(): number; newId(prefix: string, length: number): string },
): ResponseNames {
  const id = textAt(body, 'id') ?? '';
  const created = body['created'];
  return {
    id: id === '' || id.length > MAX_ID_CHARS ? newId('resp_', 32) : id,
    createdAt: typeof created === 'number' && created > 0 ? created : Math.floor(now() / 1000),
    model: textAt(body, 'model') ?? model,
  };
}

export interface ResponseEnd {
  readonly status: 'completed' | 'incomplete';
  /** Why it is not complete. */
  readonly reason: string | undefined;
}

const COMPLETED: ResponseEnd = { status: 'completed', reason: undefined };

/** How a chat that ended for this reason ends as a response. */
export function endOf(finishReason: string): ResponseEnd {
  const reason = toFinishReason(finishReason);
  if (reason === 'length') return { status: 'incomplete', reason: 'max_output_tokens' };
  return reason === 'content_filter' ? { status: 'incomplete', reason } : COMPLETED;
}

export interface ResponseState {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  readonly reason?: string | undefined;
  /** Unix time in seconds. */
  readonly completedAt?: number | undefined;
  readonly output: readonly object[];
  readonly usage?: Usage | undefined;
}

/** Makes the response in its states. Model and usage are where they are found in a long answer: near its start and its end. */
export function createEnvelope(params: JsonObject): (names: ResponseNames, state: ResponseState) => JsonObject {
  const settings = settingsOf(params);
  return ({ id, createdAt, model }, { status, reason, completedAt, output, usage }) => ({
    id,
    object: 'response',
    created_at: createdAt,
    status,
    completed_at: completedAt ?? null,
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    model,
    output,
    ...settings,
    usage: usage === undefined ? null : toResponseUsage(usage),
  });
}

/** Repeated as they were sent; `null` by default. */
const REPEATED = [
  ...['instructions', 'max_output_tokens', 'max_tool_calls', 'prompt_cache_key', 'safety_identifier', 'reasoning'],
] as const;

/** Repeated as they were sent, with the default of the API. */
const DEFAULTS = {
  tool_choice: 'auto',
  parallel_tool_calls: true,
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  metadata: {},
} as const;

/** What the gateway does whatever a request says: nothing is stored, cut or delayed. */
const FIXED = {
  previous_response_id: null,
  store: false,
  background: false,
  truncation: 'disabled',
  service_tier: 'default',
} as const;

function settingsOf(params: JsonObject): JsonObject {
  return {
    ...Object.fromEntries(REPEATED.map((name) => [name, params[name] ?? null])),
    ...Object.fromEntries(Object.entries(DEFAULTS).map(([name, usual]) => [name, params[name] ?? usual])),
    text: { ...objectAt(params, 'text'), format: objectAt(objectAt(params, 'text'), 'format') ?? { type: 'text' } },
    tools: objectsAt(params, 'tools').map(shownTool),
    ...FIXED,
  };
}

function shownTool(tool: JsonObject): JsonObject {
  if (tool['type'] !== 'function') return tool;
  const { name, description = null, parameters, strict = null } = tool;
  return { type: 'function', name, description, parameters: isObject(parameters) ? parameters : null, strict };
}
