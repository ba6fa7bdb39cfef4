/** Configs as clients send them: a parsed JSON object, either spelling, vendor fields beside the common ones. */
import { HOOK_MEMBERS } from '../guardrails/index.ts';
import { isDeeperThan, MAX_DOCUMENT_DEPTH } from '../lib/depth.ts';
import { err, isObject, ok, type Result } from '../lib/result.ts';
import { fromZodError, type Issue } from '../schema/index.ts';
import { type CheckOptions, checkConfig } from './check.ts';
import type { RoutingNode } from './node.ts';
import { camelKeys, toSnake } from './spelling.ts';
import { COMMON_FIELDS, type InlineConfig, inlineConfig } from './target.ts';

/** Vendor fields kept per node; further ones are dropped. */
const MAX_VENDOR_FIELDS = 64;

/**
 * Parses an inline config: docs/behaviour/routing.md#where-a-config-comes-from. Paths of the issues use snake_case, the
 * documented spelling of inline configs.
 */
export function parseInlineConfig(input: unknown, options: CheckOptions): Result<RoutingNode, readonly Issue[]> {
  if (isDeeperThan(input, MAX_DOCUMENT_DEPTH)) {
    return err([{ code: 'invalid', path: [], message: `at most ${MAX_DOCUMENT_DEPTH} levels of nesting` }]);
  }
  const value = camelKeys(inlineConfig, expandShorthand(input));
  const parsed = inlineConfig.safeParse(value);
  if (!parsed.success) {
    return err(fromZodError(parsed.error, { schema: inlineConfig, value, spell: toSnake }).map(inWireSpelling));
  }
  const node = toNode(parsed.data);
  const issues = checkConfig(node, options);
  return issues.length === 0 ? ok(node) : err(issues.map(inWireSpelling));
}

/** `cache: "simple"` and `cache: true` are short for a mode; clients send the retry flag in singular and plural. */
function expandShorthand(input: unknown): unknown {
  if (!isObject(input)) return input;
  const out: Record<string, unknown> = { ...input };
  if (typeof out['cache'] === 'string') out['cache'] = { mode: out['cache'] };
  if (out['cache'] === true) out['cache'] = { mode: 'simple' };
  if (out['cache'] === false || out['cache'] === null) delete out['cache'];
  if (isObject(out['retry'])) out['retry'] = renameRetryFlag(out['retry']);
  if (Array.isArray(out['targets'])) out['targets'] = out['targets'].map(expandShorthand);
  return out;
}

function renameRetryFlag(retry: Record<string, unknown>): Record<string, unknown> {
  const { use_retry_after_headers: snake, useRetryAfterHeaders: camel, ...rest } = retry;
  const plural = snake ?? camel;
  return plural === undefined ? rest : { use_retry_after_header: plural, ...rest };
}

function toNode(config: InlineConfig): RoutingNode {
  const { targets, apiKey, ...rest } = config;
  const node: Record<string, unknown> = {};
  const settings: Record<string, string> = {};
  for (const [key, value] of Object.entries(rest)) {
    if (value === undefined || value === null) continue;
    if (COMMON_FIELDS.has(key)) node[key] = value;
    else if (Object.keys(settings).length < MAX_VENDOR_FIELDS) settings[toSnake(key)] = toText(value);
  }
  if (Object.keys(settings).length > 0) node['settings'] = settings;
  if (apiKey !== undefined) node['apiKey'] = apiKey;
  if (targets !== undefined) node['targets'] = targets.map((target) => toNode(target));
  return node;
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function inWireSpelling(issue: Issue): Issue {
  const below = issue.path.findIndex((part) => HOOKS.has(part)) + 1; // hooks come with the spelling of the document
  const isOurs = (part: string | number, at: number): part is string =>
    typeof part === 'string' && (below === 0 || at < below) && COMMON_OR_NESTED.test(part);
  return { ...issue, path: issue.path.map((part, at) => (isOurs(part, at) ? toSnake(part) : part)) };
}

const HOOKS: ReadonlySet<string | number> = new Set([...HOOK_MEMBERS.input, ...HOOK_MEMBERS.output]);

// Names of common members never start with a capital or contain a dot, unlike query paths and vendor keys.
const COMMON_OR_NESTED = /^[a-z]+(?:[A-Z][a-z]+)+$/;
