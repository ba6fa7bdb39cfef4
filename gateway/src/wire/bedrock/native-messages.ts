/** The messages API in an invoke call of Bedrock. */
import { isObject } from '@gatehouse/crds';
import { withoutUnsignedThoughts } from '../anthropic/index.ts';
import type { JsonObject } from '../contract.ts';
import { taking } from '../params/params.ts';

/** Members that Bedrock accepts; it refuses others. Source: the Anthropic messages API, without model and stream. */
const MEMBERS = [
  'messages',
  'max_tokens',
  'container',
  'mcp_servers',
  'metadata',
  'service_tier',
  'stop_sequences',
  'system',
  'temperature',
  'thinking',
  'tool_choice',
  'tools',
  'top_k',
  'top_p',
  'output_config',
];

const DEFAULT_VERSION = 'bedrock-2023-05-31';

export interface NativeOptions {
  /** Ignored unless it is a Bedrock version: SDKs of the vendor always send a version of the vendor's API. */
  readonly anthropicVersion?: string | undefined;
  readonly anthropicBeta?: readonly string[] | undefined;
}

/** The version and the flags are members of the invoke body with other values. */
export const takesInvokeMessages = taking([...MEMBERS, 'model', 'anthropic_beta', 'anthropic_version']);

/** The invoke body of a messages request; the client's body is not touched. */
export function toInvokeMessages(params: JsonObject, options: NativeOptions): JsonObject {
  const readable = withoutUnsignedThoughts(params);
  const given = MEMBERS.filter((key) => readable[key] !== undefined && readable[key] !== null);
  const body = Object.fromEntries(given.map((key) => [key, withoutCacheScopes(readable[key])]));
  const version = options.anthropicVersion;
  const betas = options.anthropicBeta ?? [];
  return {
    anthropic_version: version?.startsWith('bedrock-') ? version : DEFAULT_VERSION,
    ...(betas.length === 0 ? {} : { anthropic_beta: betas }),
    ...body,
  };
}

/** Nesting of blocks: message, tool result, document. */
const MAX_DEPTH = 4;

/** A list of blocks, messages or tools without `scope` in cache breakpoints, which Bedrock refuses. */
function withoutCacheScopes(value: unknown, depth = 0): unknown {
  if (!Array.isArray(value) || depth > MAX_DEPTH) return value;
  return value.map((item: unknown) => (isObject(item) ? withoutCacheScope(item, depth) : item));
}

function withoutCacheScope(item: JsonObject, depth: number): JsonObject {
  const { cache_control, content } = item;
  return {
    ...item,
    ...(isObject(cache_control) ? { cache_control: withoutScope(cache_control) } : {}),
    ...(Array.isArray(content) ? { content: withoutCacheScopes(content, depth + 1) } : {}),
  };
}

function withoutScope({ scope: _, ...control }: JsonObject): JsonObject {
  return control;
}
