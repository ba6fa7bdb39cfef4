import { composeAnswer } from '../answer/index.ts';
import type { CallInside } from '../call-inside.ts';
import type { Exchange, Route } from '../exchange.ts';
import { type JsonObject, readCount, readList, readString } from '../json.ts';
import { MOCK_MODELS, MODELS_CREATED_TIME } from '../models.ts';
import { json, type Refusal, type Reply, refuse } from '../reply.ts';
import { SSE_HEADERS } from '../sse.ts';
import { createBatchRoutes } from './batches.ts';
import { anthropic, anthropicErrorFrame } from './errors.ts';
import { createFileRoutes } from './files.ts';
import { type Message, toMessage } from './message.ts';
import { listPage } from './page.ts';
import { countInput, readPrompt } from './request.ts';
import { messageFrames } from './stream.ts';

export { anthropic } from './errors.ts';
export { messageEvents } from './stream.ts';

/** The paths that Anthropic alone has. Batches are remembered, within bounds, for as long as the routes live. */
export function createAnthropicRoutes(call: CallInside): readonly Route[] {
  return [
    { method: 'POST', path: '/v1/messages', dialect: anthropic, input: 'json', handle: answerMessage },
    { method: 'POST', path: '/v1/messages/count_tokens', dialect: anthropic, input: 'json', handle: answerCount },
    ...createBatchRoutes(call),
  ];
}

/** Paths that OpenAI has too: these routes come first when a request has an `anthropic-version` header. */
export function createAnthropicSharedRoutes(): readonly Route[] {
  return [
    { method: 'GET', path: '/v1/models', dialect: anthropic, input: 'none', handle: listModels },
    { method: 'GET', path: /^\/v1\/models\/([^/]+)$/, dialect: anthropic, input: 'none', handle: retrieveModel },
    ...createFileRoutes(),
  ];
}

function answerMessage(exchange: Exchange, body: JsonObject): Reply {
  const message = composeMessage(exchange, readString(body, 'model'), body);
  if (message.type === 'refused') return message.refusal;
  const headers = { 'request-id': exchange.seed.id('req_') };
  if (body['stream'] !== true) return json(message, headers);
  return {
    kind: 'stream',
    headers: { ...SSE_HEADERS, ...headers },
    frames: messageFrames(message),
    errorFrame: anthropicErrorFrame,
  };
}

interface Refused {
  readonly type: 'refused';
  readonly refusal: Refusal;
}

/** The answer of a model to a messages request, wherever the request names the model. */
export function composeMessage(
  { seed, controls }: Exchange,
  model: string | undefined,
  body: JsonObject,
): Message | Refused {
  const missing = findMissing(model, body) ?? ((readCount(body, 'max_tokens') ?? 0) < 1 ? 'max_tokens' : undefined);
  if (missing !== undefined) return { type: 'refused', refusal: refuseMissing(missing) };
  const prompt = readPrompt(body);
  return toMessage(seed, model ?? '', composeAnswer(prompt, controls), countInput(body, prompt));
}

function answerCount({ seed }: Exchange, body: JsonObject): Reply {
  const missing = findMissing(readString(body, 'model'), body);
  if (missing !== undefined) return refuseMissing(missing);
  const { plain, cacheRead, cacheWritten5m, cacheWritten1h } = countInput(body, readPrompt(body));
  const total = plain + cacheRead + cacheWritten5m + cacheWritten1h;
  return json({ input_tokens: total }, { 'request-id': seed.id('req_') });
}

function findMissing(model: string | undefined, body: JsonObject): string | undefined {
  if (model === undefined) return 'model';
  return (readList(body, 'messages') ?? []).length === 0 ? 'messages' : undefined;
}

function refuseMissing(field: string): Refusal {
  return refuse(400, `${field}: Field required`, { param: field });
}

const toModel = (id: string) => ({ type: 'model', id, display_name: `Mock ${id}`, created_at: MODELS_CREATED_TIME });

function listModels({ query }: Exchange): Reply {
  return listPage(MOCK_MODELS.map(toModel), query);
}

function retrieveModel({ params: [id = ''] }: Exchange): Reply {
  const model = MOCK_MODELS.find((known) => known === id);
  return model === undefined ? refuse(404, `model: ${id}`) : json(toModel(model));
}
