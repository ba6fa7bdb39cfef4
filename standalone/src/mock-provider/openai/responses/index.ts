import { isObject } from '@gatehouse/crds';
import {
  composeAnswer,
  countTokens,
  type Prompt,
  type PromptOptions,
  type Turn,
  toPrompt,
} from '../../answer/index.ts';
import type { Exchange, Route } from '../../exchange.ts';
import { type JsonObject, readCount, readObject, readObjects, readString } from '../../json.ts';
import { json, type Refusal, type Reply, refuse } from '../../reply.ts';
import type { Seed } from '../../seed.ts';
import { SSE_HEADERS } from '../../sse.ts';
import { createStore, type Store } from '../../store.ts';
import { readToolChoice } from '../chat.ts';
import { inputTurns } from '../content.ts';
import { openai, refuseField } from '../errors.ts';
import { type Identified, listPage } from '../page.ts';
import { type ResponseObject, toResponseObject } from './object.ts';
import { responseErrorFrame, responseFrames } from './stream.ts';

const MAX_RESPONSES = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;

type InputItem = JsonObject & Identified;

interface StoredResponse {
  readonly response: ResponseObject;
  /** The items of the request itself. */
  readonly input: readonly InputItem[];
  /** The items of the responses that this one continues. */
  readonly earlier: readonly unknown[];
  /** `waiting`: a background response that nobody has read yet. */
  readonly state: 'waiting' | 'done' | 'cancelled';
  readonly inBackground: boolean;
}

type ResponseStore = Store<StoredResponse>;

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
      handle: (exchange) => withStored(store, exchange, (stored) => readStored(store, stored, exchange.query)),
    },
    {
      method: 'POST',
      path: /^\/v1\/responses\/([^/]+)\/cancel$/,
      dialect,
      input: 'none',
      handle: (exchange) => withStored(store, exchange, (stored) => cancelStored(store, stored)),
    },
    {
      method: 'POST',
      path: '/v1/responses/input_tokens',
      dialect,
      input: 'json',
      handle: (exchange, body) => countInput(store, exchange, body),
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
      handle: (exchange) => withStored(store, exchange, (stored) => listPage(stored.input, exchange.query)),
    },
  ];
}

function createResponse(store: ResponseStore, { seed, controls }: Exchange, body: JsonObject): Reply {
  const model = readString(body, 'model');
  if (model === undefined) return refuseField('model', 'model is required');
  const earlier = findEarlier(store, body);
  if (earlier.kind === 'refusal') return earlier;
  const input = toInputItems(seed, body['input']);
  const prompt = readPrompt(body, [...earlier.context, ...input]);
  const response = toResponseObject(seed, model, body, composeAnswer(prompt, controls));
  const headers = { 'x-request-id': seed.id('req_') };
  if (body['store'] !== false) {
    const inBackground = body['background'] === true;
    const state = inBackground && body['stream'] !== true ? 'waiting' : 'done';
    const stored: StoredResponse = { response, input, earlier: earlier.context, state, inBackground };
    store.set(response.id, stored);
    if (state === 'waiting') return json(shown(stored), headers);
  }
  return body['stream'] === true ? responseStream(response, headers) : json(response, headers);
}

function responseStream(response: ResponseObject, headers: Readonly<Record<string, string>> = {}): Reply {
  return {
    kind: 'stream',
    headers: { ...SSE_HEADERS, ...headers },
    frames: responseFrames(response),
    errorFrame: responseErrorFrame,
  };
}

/** A background response is done when it is read for the first time. */
function readStored(store: ResponseStore, stored: StoredResponse, query: URLSearchParams): Reply {
  const state = stored.state === 'waiting' ? 'done' : stored.state;
  if (state !== stored.state) store.set(stored.response.id, { ...stored, state });
  if (state === 'done' && query.get('stream') === 'true') return responseStream(stored.response);
  return json(shown({ ...stored, state }));
}

function cancelStored(store: ResponseStore, stored: StoredResponse): Reply {
  if (!stored.inBackground) return refuse(400, 'Cannot cancel a synchronous response.');
  const state = stored.state === 'waiting' ? 'cancelled' : stored.state;
  store.set(stored.response.id, { ...stored, state });
  return json(shown({ ...stored, state }));
}

function shown({ response, state }: StoredResponse): object {
  if (state === 'done') return response;
  const status = state === 'waiting' ? 'queued' : 'cancelled';
  return { ...response, status, completed_at: null, output: [], usage: null };
}

function countInput(store: ResponseStore, exchange: Exchange, body: JsonObject): Reply {
  const earlier = findEarlier(store, body);
  if (earlier.kind === 'refusal') return earlier;
  const prompt = readPrompt(body, [...earlier.context, ...toInputItems(exchange.seed, body['input'])]);
  return json({ object: 'response.input_tokens', input_tokens: countTokens(prompt.characters) });
}

function readPrompt(body: JsonObject, items: readonly unknown[]): Prompt {
  const instructions: Turn[] = [{ role: 'system', text: readString(body, 'instructions') ?? '' }];
  return toPrompt([...instructions, ...inputTurns(items)], readOptions(body));
}

type Earlier = Refusal | { readonly kind: 'found'; readonly context: readonly unknown[] };

function findEarlier(store: ResponseStore, body: JsonObject): Earlier {
  const id = readString(body, 'previous_response_id');
  if (id === undefined) return { kind: 'found', context: [] };
  const stored = store.get(id)?.about;
  if (stored !== undefined) return { kind: 'found', context: contextOf(stored) };
  const more = { param: 'previous_response_id', code: 'previous_response_not_found' };
  return refuse(400, `no response ${JSON.stringify(id)}`, more);
}

/** Everything that a follow-up request continues. */
function contextOf({ earlier, input, response }: StoredResponse): readonly unknown[] {
  return [...earlier, ...input, ...response.output];
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
function toInputItems(seed: Seed, input: unknown): readonly InputItem[] {
  const items = typeof input === 'string' ? [{ role: 'user', content: [{ type: 'input_text', text: input }] }] : input;
  return (Array.isArray(items) ? items : [])
    .filter(isObject)
    .map((item, index) => ({ type: 'message', ...item, id: readString(item, 'id') ?? seed.id('item_', index) }));
}

function withStored(store: ResponseStore, exchange: Exchange, answer: (stored: StoredResponse) => Reply): Reply {
  const id = exchange.params[0] ?? '';
  const stored = store.get(id);
  return stored === undefined
    ? refuse(404, `no response ${JSON.stringify(id)}`, { param: 'id' })
    : answer(stored.about);
}

function createResponseStore(): ResponseStore {
  return createStore({ maxEntries: MAX_RESPONSES, maxBytes: MAX_BYTES });
}
