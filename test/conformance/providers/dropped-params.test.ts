/** A parameter that changes nothing in the request to a provider is named to the client, and no other is. */
import { describe, expect, test } from 'vitest';
import { compileProvider } from '../../../gateway/src/providers/engine/index.ts';
import type { Exchange } from './fixture.ts';
import { readFixtures } from './fixture.ts';
import { PLAIN_BODIES, ROW_CASES, toExchange } from './rows.ts';
import { buildOutgoing, openSession } from './session.ts';

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const FUNCTION = { name: 'weather', parameters: SCHEMA };
const TOOLS = { tools: [{ type: 'function', function: FUNCTION }] };

interface Sample {
  readonly name: string;
  readonly value: unknown;
  /** What the parameter needs beside it. */
  readonly beside?: object;
}

const GENERATION: readonly Sample[] = [
  { name: 'temperature', value: 0.3 },
  { name: 'top_p', value: 0.4 },
  { name: 'top_k', value: 5 },
  { name: 'max_tokens', value: 9 },
  { name: 'stop', value: ['END'] },
  { name: 'seed', value: 7 },
  { name: 'n', value: 2 },
  { name: 'frequency_penalty', value: 0.5 },
  { name: 'presence_penalty', value: 0.5 },
  { name: 'logit_bias', value: { 50: 5 } },
  { name: 'user', value: 'user-1' },
  { name: 'brand_new', value: { a: 1 } },
];

const CHAT: readonly Sample[] = [
  ...GENERATION,
  { name: 'max_completion_tokens', value: 9 },
  { name: 'logprobs', value: true },
  { name: 'top_logprobs', value: 3, beside: { logprobs: true } },
  { name: 'response_format', value: { type: 'json_object' } },
  { name: 'response_format', value: { type: 'json_schema', json_schema: { name: 's', schema: SCHEMA } } },
  { name: 'tools', value: TOOLS.tools },
  { name: 'tool_choice', value: 'required', beside: TOOLS },
  { name: 'parallel_tool_calls', value: false, beside: TOOLS },
  { name: 'functions', value: [FUNCTION] },
  { name: 'reasoning_effort', value: 'low' },
  { name: 'reasoning_effort', value: 'none' },
  { name: 'thinking', value: { type: 'enabled', budget_tokens: 2_000 } },
  { name: 'modalities', value: ['text', 'audio'] },
  { name: 'prediction', value: { type: 'content', content: 'x' } },
  { name: 'store', value: true },
  { name: 'metadata', value: { a: 'b' } },
  { name: 'service_tier', value: 'flex' },
  { name: 'safety_identifier', value: 'id' },
  { name: 'prompt_cache_key', value: 'key' },
  { name: 'verbosity', value: 'low' },
  { name: 'labels', value: { team: 'a' } },
];

const COMPLETE: readonly Sample[] = [
  ...GENERATION,
  { name: 'logprobs', value: 3 },
  { name: 'echo', value: true },
  { name: 'suffix', value: 'end' },
];

const EMBED: readonly Sample[] = [
  { name: 'dimensions', value: 256 },
  { name: 'user', value: 'user-1' },
  { name: 'input_type', value: 'search_query' },
  { name: 'task_type', value: 'CLUSTERING' },
  { name: 'truncate', value: 'END' },
  { name: 'normalize', value: false },
  { name: 'brand_new', value: { a: 1 } },
];

const CUSTOM_TOOL = { tools: [{ name: 'weather', input_schema: SCHEMA }] };

const MESSAGES: readonly Sample[] = [
  { name: 'temperature', value: 0.3 },
  { name: 'top_p', value: 0.4 },
  { name: 'top_k', value: 5 },
  { name: 'stop_sequences', value: ['END'] },
  { name: 'system', value: 'Be short.' },
  { name: 'thinking', value: { type: 'enabled', budget_tokens: 2_000 } },
  { name: 'metadata', value: { user_id: 'u' } },
  { name: 'tools', value: CUSTOM_TOOL.tools },
  { name: 'tools', value: [{ type: 'web_search_20250305', name: 'web_search' }] },
  { name: 'tool_choice', value: { type: 'any' }, beside: CUSTOM_TOOL },
  { name: 'service_tier', value: 'standard_only' },
  { name: 'container', value: 'c' },
  { name: 'anthropic_beta', value: ['flag-1'] },
  { name: 'brand_new', value: { a: 1 } },
];

const RERANK: readonly Sample[] = [
  { name: 'top_n', value: 1 },
  { name: 'max_tokens_per_doc', value: 9 },
  { name: 'rank_fields', value: ['text'] },
  { name: 'brand_new', value: { a: 1 } },
];

const IMAGES: readonly Sample[] = [
  { name: 'n', value: 2 },
  { name: 'size', value: '1024x768' },
  { name: 'quality', value: 'hd' },
  { name: 'style', value: 'vivid' },
  { name: 'seed', value: 7 },
  { name: 'negative_prompt', value: 'dogs' },
  { name: 'aspect_ratio', value: '16:9' },
  { name: 'output_format', value: 'jpeg' },
  { name: 'response_format', value: 'url' },
  { name: 'background', value: 'transparent' },
  { name: 'user', value: 'user-1' },
  { name: 'brand_new', value: { a: 1 } },
];

const SAMPLES: Readonly<Record<string, readonly Sample[]>> = {
  chatComplete: CHAT,
  complete: COMPLETE,
  embed: EMBED,
  messages: MESSAGES,
  rerank: RERANK,
  imageGenerate: IMAGES,
};

/** What a call cannot do without. */
const CORE: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'prompt', 'input', 'max_tokens', 'user', 'query', 'documents'],
]);

function plain(exchange: Exchange): Exchange {
  const core = Object.entries(exchange.client_request).filter(
    ([name]) => CORE.has(name) && (name !== 'max_tokens' || exchange.endpoint === 'messages'),
  );
  return { ...exchange, client_request: Object.fromEntries(core), client_headers: {}, forwarded: {}, stream: false };
}

const OF_FIXTURES: readonly Exchange[] = readFixtures()
  .map(({ exchange }) => exchange)
  .filter(
    ({ endpoint, side_calls, upstream_request }) => endpoint in SAMPLES && side_calls.length === 0 && upstream_request,
  )
  .map(plain);

const OF_ROWS: readonly Exchange[] = ROW_CASES.map((one) => toExchange(one, PLAIN_BODIES[one.operation]));

/** One of each provider, endpoint, model and target. */
const CASES: readonly (readonly [name: string, exchange: Exchange])[] = [
  ...new Map(
    [...OF_FIXTURES, ...OF_ROWS]
      .filter(({ fields }) => Object.keys(fields).length > 0)
      .map((exchange) => {
        const { provider, endpoint, client_request, fields, custom_host } = exchange;
        const name = `${provider} ${endpoint} ${client_request['model'] ?? ''} ${custom_host ?? ''}`.trim();
        return [`${name} ${JSON.stringify(fields)}`, [name, exchange] as const] as const;
      }),
  ).values(),
];

const withParams = (exchange: Exchange, params: object): Exchange => ({
  ...exchange,
  client_request: { ...exchange.client_request, ...params },
});

const isJson = (headers: Readonly<Record<string, string>>): boolean =>
  headers['content-type']?.startsWith('multipart/') !== true;

/** The request as text. */
async function sent(exchange: Exchange): Promise<string> {
  const { path, headers, body } = await buildOutgoing(exchange, openSession(exchange));
  return JSON.stringify([path, headers, isJson(headers) ? JSON.parse(body?.toString() ?? 'null') : String(body)]);
}

function droppedFrom(exchange: Exchange): readonly string[] {
  const { provider, call } = openSession(exchange);
  return compileProvider(provider).endpoints.get(exchange.endpoint)?.dropped?.(call) ?? [];
}

describe('the parameters of a call', () => {
  test.for(CASES)(
    'of %s are named where they change nothing in the request, and nowhere else',
    async ([, exchange]) => {
      const samples = (SAMPLES[exchange.endpoint] ?? []).filter(({ name }) => !(name in exchange.client_request));
      const lost: Sample[] = [];
      const named: Sample[] = [];
      for (const sample of samples) {
        const { name, value, beside = {} } = sample;
        const without = withParams(exchange, beside);
        const having = withParams(without, { [name]: value });
        if ((await sent(having)) === (await sent(without))) lost.push(sample);
        if (droppedFrom(having).includes(name)) named.push(sample);
      }
      expect(named).toEqual(lost);
    },
  );

  test.for(CASES)('of %s are not named when they ask for what happens anyway', ([, exchange]) => {
    const defaults = { n: 1, stream: false, logprobs: false, response_format: { type: 'text' }, seed: null, tools: [] };
    expect(droppedFrom(withParams(exchange, defaults)).filter((name) => name in defaults)).toEqual([]);
  });
});
