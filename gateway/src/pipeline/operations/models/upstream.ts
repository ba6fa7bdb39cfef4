/** The models that a target's provider offers, all pages in one list. */
import type { JsonObject } from '../../../providers/contract.ts';
import { buildModelsRequest, modelListBody, readModels } from '../../../providers/engine/index.ts';
import { createRelayTransform } from '../../../wire/transform/index.ts';
import { passedHeaders, type UnaryAnswer } from '../../attempt/map/index.ts';
import type { TryResult } from '../../attempt/retries.ts';
import type { CollectOptions, OperationHandler, ServedCall } from '../handler.ts';
import { errorAnswer } from '../typed/answer.ts';
import { isAnthropicClient, toAnthropicList } from './anthropic-list.ts';

/** Pages and entries of one list: bounds what a provider can make us hold. */
const MAX_PAGES = 20;
const MAX_MODELS = 10_000;

export const MODELS_HANDLER: OperationHandler = {
  endpoint: 'listModels',
  readsStream: false,
  passesQuery: false,
  endpointOf: () => undefined,
  modelAt: () => ({ kind: 'none' }),
  buildRequest: ({ resolved, call }, options) => buildModelsRequest(resolved.target, call, options),
  isStreamed: () => false,
  isEventStream: () => false,
  mapAnswer: (_served, { headers, bytes }) => ({ headers: passedHeaders(headers), bytes }),
  mapError: errorAnswer,
  mapStream: (_served, response, scrub) => ({
    headers: passedHeaders(response.headers),
    transform: createRelayTransform('events', { scrub: scrub.bytes }),
  }),
  collect: collectModels,
};

/** The list in the format of the client, or the first page that failed. */
export async function collectModels(
  { resolved: { target }, call }: Pick<ServedCall, 'resolved' | 'call'>,
  { json, send, ...options }: CollectOptions,
): Promise<TryResult<UnaryAnswer>> {
  const data: JsonObject[] = [];
  const displayNames = new Map<string, string>();
  let page: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && data.length < MAX_MODELS; pages += 1) {
    const next = page === undefined ? {} : { page };
    const result = await send(() => buildModelsRequest(target, call, { ...options, ...next }));
    if (result.kind === 'error' || result.answer.status !== 200) return result;
    const read = readModels(target.provider, call, { bytes: result.answer.bytes, page, json });
    data.push(...read.data);
    for (const [id, name] of read.displayNames ?? []) displayNames.set(id, name);
    page = read.next;
    if (page === undefined) break;
  }
  const list = isAnthropicClient(call)
    ? toAnthropicList({ data, displayNames, query: call.query })
    : modelListBody(target.provider, data);
  const bytes = Buffer.from(JSON.stringify(list));
  return { kind: 'answer', answer: { status: 200, headers: { 'content-type': 'application/json' }, bytes } };
}
