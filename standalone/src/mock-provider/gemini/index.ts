import { composeAnswers, countTokens, embedText } from '../answer/index.ts';
import type { Exchange, Route } from '../exchange.ts';
import { type JsonObject, readCount, readObject, readObjects } from '../json.ts';
import { MOCK_MODELS } from '../models.ts';
import { type Frame, json, type Refusal, type Reply, refuse } from '../reply.ts';
import { gemini, toError } from './errors.ts';
import { createFileRoutes } from './files.ts';
import { ARRAY_FRAMING, isSse, SSE_FRAMING } from './framing.ts';
import { hasContents, readContentText, readGeminiRequest, toCamel } from './request.ts';
import { toEnvelope, toGeminiFragments, toGeminiResponse } from './response.ts';

export { gemini } from './errors.ts';

const DEFAULT_PAGE = 50;
const DEFAULT_DIMENSIONS = 768;
const MAX_DIMENSIONS = 4_096;
const MAX_REQUESTS = 2_048;
const INPUT_TOKEN_LIMIT = 1_048_576;
const OUTPUT_TOKEN_LIMIT = 65_536;

/** `/v1beta/models/{model}:{verb}`; what may stand before `models` is the project path of the cloud edition. */
const verbPath = (verb: string): RegExp => new RegExp(`^/v1(?:beta1?|alpha)?/(?:.+/)?models/([^/:]+):${verb}$`);

type Answer = (exchange: Exchange, body: JsonObject) => Reply;

const post = (verb: string, handle: Answer): Route => ({
  method: 'POST',
  path: verbPath(verb),
  dialect: gemini,
  input: 'json',
  model: 'path',
  handle,
});

/** The Gemini paths. Those below /v1 that OpenAI has too are for requests with a Google key. Files are remembered, within bounds, for as long as the routes live. */
export function createGeminiRoutes(): readonly Route[] {
  const base = { method: 'GET', dialect: gemini, input: 'none' } as const;
  return [
    post('generateContent', generateContent),
    post('streamGenerateContent', streamContent),
    post('countTokens', countContent),
    post('embedContent', embedContent),
    post('batchEmbedContents', embedBatch),
    { ...base, path: /^\/v1(?:beta)?\/models$/, handle: listModels },
    { ...base, path: /^\/v1(?:beta)?\/models\/([^/:]+)$/, handle: retrieveModel },
    ...createFileRoutes(),
  ];
}

function generateContent({ seed, params, controls }: Exchange, body: JsonObject): Reply {
  if (!hasContents(body)) return CONTENTS_MISSING;
  const { prompt, candidates } = readGeminiRequest(body);
  const answers = composeAnswers(prompt, controls, candidates);
  return json(toGeminiResponse(toEnvelope(seed, params[0] ?? ''), answers));
}

function streamContent({ seed, params, controls, query }: Exchange, body: JsonObject): Reply {
  if (!hasContents(body)) return CONTENTS_MISSING;
  const { prompt, candidates } = readGeminiRequest(body);
  const answers = composeAnswers(prompt, controls, candidates);
  const framing = isSse(query) ? SSE_FRAMING : ARRAY_FRAMING;
  const fragments = toGeminiFragments(toEnvelope(seed, params[0] ?? ''), answers);
  const frames = fragments.map(
    (fragment, position): Frame => ({ bytes: framing.frame(fragment, position), kind: 'token' }),
  );
  return {
    kind: 'stream',
    headers: { 'content-type': framing.contentType },
    frames: framing.closing === '' ? frames : [...frames, { bytes: framing.closing, kind: 'end' }],
    errorFrame: (refusal, position) => ({
      bytes: framing.frame(toError(refusal), position) + framing.closing,
      kind: 'event',
    }),
  };
}

/** Counts `contents`, or a whole request in `generateContentRequest`. */
function countContent(_exchange: Exchange, body: JsonObject): Reply {
  const request = readObject(toCamel(body), 'generateContentRequest') ?? body;
  if (!hasContents(request)) return CONTENTS_MISSING;
  const tokens = countTokens(readGeminiRequest(request).prompt.characters);
  return json({ totalTokens: tokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }] });
}

const CONTENTS_MISSING: Refusal = refuse(400, 'contents is not specified');

function embedContent(_exchange: Exchange, body: JsonObject): Reply {
  const embedded = embed(toCamel(body));
  return embedded === undefined ? CONTENT_MISSING : json({ embedding: embedded });
}

function embedBatch(_exchange: Exchange, body: JsonObject): Reply {
  const requests = readObjects(body, 'requests');
  if (requests.length > MAX_REQUESTS) return refuse(400, `at most ${MAX_REQUESTS} requests can be in one batch`);
  const embeddings = requests.map((request) => embed(toCamel(request)));
  return embeddings.length === 0 || embeddings.includes(undefined) ? CONTENT_MISSING : json({ embeddings });
}

const CONTENT_MISSING: Refusal = refuse(400, 'content and an outputDimensionality from 1 to 4096 are expected');

function embed(request: JsonObject): { values: number[] } | undefined {
  const dimensions = readCount(request, 'outputDimensionality') ?? DEFAULT_DIMENSIONS;
  if (readObject(request, 'content') === undefined || dimensions < 1 || dimensions > MAX_DIMENSIONS) return undefined;
  return { values: Array.from(embedText(readContentText(request['content']), dimensions)) };
}

const toModel = (id: string) => ({
  name: `models/${id}`,
  version: '001',
  displayName: `Mock ${id}`,
  inputTokenLimit: INPUT_TOKEN_LIMIT,
  outputTokenLimit: OUTPUT_TOKEN_LIMIT,
  supportedGenerationMethods: ['generateContent', 'embedContent'],
});

/** The page token is the number of models on earlier pages. */
function listModels({ query }: Exchange): Reply {
  const start = Number(query.get('pageToken') ?? 0) || 0;
  const end = start + (Number(query.get('pageSize') ?? DEFAULT_PAGE) || DEFAULT_PAGE);
  const models = MOCK_MODELS.slice(start, end).map(toModel);
  return json({ models, ...(end < MOCK_MODELS.length ? { nextPageToken: String(end) } : {}) });
}

function retrieveModel({ params: [id = ''] }: Exchange): Reply {
  const model = MOCK_MODELS.find((known) => known === id);
  return model === undefined ? refuse(404, `models/${id} is not found`) : json(toModel(model));
}
