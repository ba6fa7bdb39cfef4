/** A chat request as a body of the messages API. */
import { ok, type Result } from '@gatehouse/crds';
import type { AppError } from '../../errors/index.ts';
import type { JsonObject, WireContext } from '../contract.ts';
import { numberAt, objectAt, orAbsent, textAt, withoutAbsent } from '../json/json.ts';
import { maxTokensOf, stopList } from '../openai/index.ts';
import { conversationOf, responseSchemaOf, toolsOf } from './conversation.ts';
import { toSystem, toTurns } from './messages.ts';
import { toTool, toToolChoice } from './tools.ts';

const DEFAULT_MODEL = 'claude-sonnet-4-5';
/** Output limit when the client sets none, which the upstream requires. */
const DEFAULT_MAX_TOKENS = 64_000;
/** Models with a lower output limit than the default, by a part of their name. Source: the vendor's model table. */
const OUTPUT_LIMITS: readonly (readonly [fragment: string, tokens: number])[] = [
  ['claude-2', 4096],
  ['claude-instant', 4096],
  ['claude-3-opus', 4096],
  ['claude-3-sonnet', 4096],
  ['claude-3-haiku', 4096],
  ['claude-3-5-', 8192],
  ['claude-opus-4-0', 32_000],
  ['claude-opus-4-1', 32_000],
  ['claude-opus-4-2025', 32_000],
  ['claude-opus-4@', 32_000],
];

/**
 * The body, `model` and `stream` included; parameters without a counterpart are left out and the client's body is not
 * changed. Providers that send the model or the API version elsewhere change the returned copy.
 */
export function toAnthropicBody(params: JsonObject, ctx: WireContext): Result<Record<string, unknown>, AppError> {
  const messages = conversationOf(params);
  const tools = toolsOf(params).map(toTool);
  const system = toSystem(messages);
  const model = ctx.model === '' ? DEFAULT_MODEL : ctx.model;
  const body = {
    model,
    max_tokens: maxTokensOf(params) ?? defaultMaxTokens(model),
    system: system.length === 0 ? undefined : system,
    messages: toTurns(messages),
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: tools.length === 0 ? undefined : toToolChoice(params),
    temperature: clampTemperature(params),
    top_p: nonNegativeAt(params, 'top_p'),
    top_k: nonNegativeAt(params, 'top_k'),
    stop_sequences: stopList(params['stop']),
    metadata: userMetadata(params),
    thinking: toThinking(params),
    output_config: outputConfig(params),
    stream: params['stream'] === true ? true : undefined,
  };
  return ok({ ...withoutAbsent(body) });
}

/** The output limit for calls without one. Units: tokens. */
export function defaultMaxTokens(model: string): number {
  return OUTPUT_LIMITS.find(([fragment]) => model.includes(fragment))?.[1] ?? DEFAULT_MAX_TOKENS;
}

/** The vendor's scale ends at 1, the client's at 2. */
export function clampTemperature(params: JsonObject): number | undefined {
  const value = numberAt(params, 'temperature');
  return value === undefined ? undefined : Math.min(Math.max(value, 0), 1);
}

/** Negative values mean "not set". */
export function nonNegativeAt(params: JsonObject, key: string): number | undefined {
  const value = numberAt(params, key);
  return value === undefined || value < 0 ? undefined : value;
}

export function userMetadata(params: JsonObject): JsonObject | undefined {
  const user = textAt(params, 'user');
  return user === undefined ? undefined : { user_id: user };
}

/** An explicit `thinking` overrides the one derived from the effort. */
function toThinking(params: JsonObject): JsonObject | undefined {
  const effort = effortOf(params);
  const implied = effort === undefined ? undefined : { type: effort === 'none' ? 'disabled' : 'adaptive' };
  return objectAt(params, 'thinking') ?? implied;
}

/** The schema and the effort of the answer. */
export function outputConfig(params: JsonObject): JsonObject | undefined {
  const schema = responseSchemaOf(params);
  const effort = effortOf(params);
  const config = {
    format: schema === undefined ? undefined : { type: 'json_schema', schema },
    effort: effort === 'none' ? undefined : effort,
  };
  return orAbsent(withoutAbsent(config));
}

/** The vendor's scale starts at `low`. */
function effortOf(params: JsonObject): string | undefined {
  const effort = textAt(params, 'reasoning_effort');
  return effort === 'minimal' ? 'low' : effort;
}
