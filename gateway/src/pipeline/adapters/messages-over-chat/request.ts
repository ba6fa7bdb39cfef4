/** A messages request as a chat request. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import type { AdapterContext } from '../adapter.ts';
import { toChatMessages } from './conversation.ts';
import { Places } from './places.ts';
import { toReasoning } from './thinking.ts';
import { toChatTools } from './tools.ts';

export interface ChatRequest {
  readonly params: JsonObject;
  /** Parameters of the client that a chat request cannot say. */
  readonly dropped: readonly string[];
  readonly places: Places;
}

/** Said in other words. */
const TRANSLATED: ReadonlySet<string> = new Set([
  ...['system', 'messages', 'max_tokens', 'stop_sequences', 'tools', 'tool_choice', 'metadata', 'thinking'],
  ...['output_config', 'output_format', 'top_k'],
]);
/** Members of the Messages API that ask for something no chat request has. */
const WITHOUT_COUNTERPART: ReadonlySet<string> = new Set([
  ...['container', 'context_management', 'inference_geo', 'mcp_servers', 'service_tier', 'speed'],
]);
/** Those that ask for nothing which changes the answer, and `n`: a message is one answer. */
const LEFT_OUT: ReadonlySet<string> = new Set(['anthropic_beta', 'anthropic_version', 'betas', 'cache_control', 'n']);
/** Does what happens anyway. */
const ANY_TIER = 'auto';

/** Longest name of a user that upstreams take, in characters. Source: OpenAI API reference, `safety_identifier`. */
const MAX_USER_CHARS = 64;

/** Throws PARAMETER_INVALID and CONTENT_UNSUPPORTED. */
export function toChatRequest(given: JsonObject, { provider, has }: AdapterContext): ChatRequest {
  const places = new Places();
  const tools = toChatTools(given);
  const keepsTopK = has('top_k') !== false;
  const params = {
    ...passed(given),
    messages: toChatMessages(given, { provider, places }),
    ...withoutAbsent({
      max_completion_tokens: given['max_tokens'],
      stop: listOrAbsent(given['stop_sequences']),
      top_k: keepsTopK ? given['top_k'] : undefined,
      user: userOf(given),
      response_format: responseFormat(given),
      ...toReasoning(given, has('thinking') === true),
    }),
    ...tools.params,
  };
  const dropped = [
    ...(keepsTopK || isAbsent(given['top_k']) ? [] : ['top_k']),
    ...(tools.dropped ? ['tools'] : []),
    ...Object.keys(given).filter((name) => WITHOUT_COUNTERPART.has(name) && asks(given[name])),
  ];
  return { params, dropped, places };
}

/** What both formats name alike, and what a config adds for the provider. */
function passed(given: JsonObject): JsonObject {
  const isPassed = (name: string): boolean =>
    !TRANSLATED.has(name) && !WITHOUT_COUNTERPART.has(name) && !LEFT_OUT.has(name);
  return Object.fromEntries(Object.entries(given).filter(([name]) => isPassed(name)));
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;
const asks = (value: unknown): boolean => !isAbsent(value) && value !== ANY_TIER;

const listOrAbsent = (list: unknown): unknown => (Array.isArray(list) && list.length === 0 ? undefined : list);

/** Longer names are replaced by a digest, which tells users apart as well. */
function userOf(given: JsonObject): string | undefined {
  const user = textAt(objectAt(given, 'metadata'), 'user_id');
  if (user === undefined || user === '') return undefined;
  return user.length <= MAX_USER_CHARS ? user : createHash('sha256').update(user).digest('hex');
}

/** `output_format` is the older name of `output_config.format`. */
function responseFormat(given: JsonObject): JsonObject | undefined {
  const format = objectAt(objectAt(given, 'output_config'), 'format') ?? objectAt(given, 'output_format');
  const schema = format?.['type'] === 'json_schema' ? objectAt(format, 'schema') : undefined;
  return schema && { type: 'json_schema', json_schema: { name: 'response', schema } };
}
