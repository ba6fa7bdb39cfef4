import { isObject } from '@gatehouse/crds';
import { composeAnswer, type PromptOptions, type Turn, toPrompt } from '../../answer/index.ts';
import { type BoundedMap, createBoundedMap } from '../../bounded-map.ts';
import type { Exchange, Route } from '../../exchange.ts';
import { type JsonObject, readCount, readObject, readObjects, readString } from '../../json.ts';
import { json, type Refusal, type Reply, refuse } from '../../reply.ts';
import type { Seed } from '../../seed.ts';
import { SSE_HEADERS } from '../../sse.ts';
import { readToolChoice } from '../chat.ts';
import { inputTurns } from '../content.ts';
import { openai, refuseField } from '../errors.ts';
import { type ResponseObject, toResponseObject } from './object.ts';
import { responseErrorFrame, responseFrames } from './stream.ts';

const DEFAULT_PAGE = 20;
const MAX_PAGE = 100;

const MAX_RESPONSES = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;

interface StoredResponse {
  readonly response: ResponseObject;
  /** The items of the request itself. */
  readonly input: readonly unknown[];
  /** Everything a follow-up request continues: earlier items, the input and the output. */
  readonly context: readonly unknown[];
}

type ResponseStore = BoundedMap<string, StoredResponse>;

/** The Responses API over a store of its own; it remembers the last 1,000 responses, 64 MiB at most. */
export function createResponsesRoutes(): readonly Route[] {
  const store = createResponseStore();
  const dialect = openai;
  return [
    {
      method: 'POST',
      path: '/v1/responses',
      dialect,
      input: 'json',
      handle: (exchange, body) => createResponse(store, exchange, body),
    },
    {
      method: 'GET',
      path: /^\/v1\/responses\/([^/]+)$/,
      dialect,
      input: 'none',
      handle: (exchange) => withStored(store, exchange, ({ response }) => json(response)),
    },
    {
      method: 'DELETE',
      path: /^\/v1\/responses\/([^/]+)$/,
      dialect,
      input: 'none',
      handle: (exchange) =>
        withStored(store, exchange, ({ response: { id } }) => {
          store.delete(id);
          return json({ id, object: 'response', deleted: true });
        }),
    },
    {
      method: 'GET',
      path: /^\/v1\/responses\/([^/]+)\/input_items$/,
      dialect,
      input: 'none',
      handle: (exchange) => withStored(store, exchange, (stored) => listInputItems(stored, exchange.query)),
    },
  ];
}

function createResponse(store: ResponseStore, { seed, controls, request }: Exchange, body: JsonObject): Reply {
  const model = readString(body, 'model');
  if (model === undefined) return refuseField('model', 'model is required');
  const earlier = findEarlier(store, body);
  if (earlier.kind === 'refusal') return earlier;
  const input = toInputItems(seed, body['input']);
  const instructions: Turn[] = [{ role: 'system', text: readString(body, 'instructions') ?? '' }];
  const prompt = toPrompt([...instructions, ...inputTurns([...earlier.context, ...input])], readOptions(body));
  const response = toResponseObject(seed, model, body, composeAnswer(prompt, controls));
  if (body['store'] !== false) {
    const context = [...earlier.context, ...input, ...response.output];
    store.set(response.id, { response, input, context }, 2 * JSON.stringify(context).length + request.body.length);
  }
  const headers = { 'x-request-id': seed.id('req_') };
  if (body['stream'] !== true) return json(response, headers);
  return {
    kind: 'stream',
    headers: { ...SSE_HEADERS, ...headers },
    frames: responseFrames(response),
    errorFrame: responseErrorFrame,
  };
}

type Earlier = Refusal | { readonly kind: 'found'; readonly context: readonly unknown[] };

function findEarlier(store: ResponseStore, body: JsonObject): Earlier {
  const id = readString(body, 'previous_response_id');
  const context = id === undefined ? [] : store.get(id)?.context;
  if (context !== undefined) return { kind: 'found', context };
  const more = { param: 'previous_response_id', code: 'previous_response_not_found' };
  return refuse(400, `no response ${JSON.stringify(id)}`, more);
}

function readOptions(body: JsonObject): PromptOptions {
  const format = readObject(readObject(body, 'text') ?? {}, 'format');
  const reasoning = readObject(body, 'reasoning');
  return {
    tools: readObjects(body, 'tools').flatMap((tool) => {
      const name = tool['type'] === 'function' ? readString(tool, 'name') : undefined;
      return name === undefined ? [] : [{ name, schema: tool['parameters'] }];
    }),
    toolChoice: readToolChoice(body['tool_choice']),
    parallelCalls: body['parallel_tool_calls'] !== false,
    ...(format === undefined || format['type'] === 'text' ? {} : { json: { schema: format['schema'] } }),
    maxTokens: readCount(body, 'max_output_tokens'),
    thinks: reasoning !== undefined && reasoning['effort'] !== 'none',
  };
}

/** The input as the items that a listing shows: each has an id and a type. */
function toInputItems(seed: Seed, input: unknown): readonly JsonObject[] {
  const items = typeof input === 'string' ? [{ role: 'user', content: [{ type: 'input_text', text: input }] }] : input;
  return (Array.isArray(items) ? items : [])
    .filter(isObject)
    .map((item, index) => ({ id: seed.id('item_', index), type: 'message', ...item }));
}

function withStored(store: ResponseStore, exchange: Exchange, answer: (stored: StoredResponse) => Reply): Reply {
  const id = exchange.params[0] ?? '';
  const stored = store.get(id);
  return stored === undefined ? refuse(404, `no response ${JSON.stringify(id)}`, { param: 'id' }) : answer(stored);
}

function listInputItems({ input }: StoredResponse, query: URLSearchParams): Reply {
  const items = input.filter(isObject);
  if (query.get('order') !== 'asc') items.reverse();
  const after = items.findIndex((item) => item['id'] === query.get('after'));
  const limit = Math.min(Number(query.get('limit') ?? DEFAULT_PAGE) || DEFAULT_PAGE, MAX_PAGE);
  const data = items.slice(after + 1, after + 1 + limit);
  return json({
    object: 'list',
    data,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: after + 1 + limit < items.length,
  });
}

function createResponseStore(): ResponseStore {
  return createBoundedMap({ maxEntries: MAX_RESPONSES, maxBytes: MAX_BYTES });
}
