import { err, ok } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import {
  createCohereDecoder,
  createGenerateDecoder,
  fromCohereAnswer,
  fromCohereEmbed,
  fromCohereRerank,
  fromGenerate,
  takesCohereChat,
  takesCohereEmbed,
  takesGenerate,
  toCohereBody,
  toCohereEmbedBody,
  toGenerateBody,
} from '../../wire/cohere/index.ts';
import { documentTexts } from '../../wire/rerank/index.ts';
import { type Call, defineProvider, type Endpoint, type Provider } from '../contract.ts';
import { bearer, proxyPath } from '../engine/index.ts';
import { pathsBelow } from '../openai-like/index.ts';
import { getBatchOutput } from './batch-output.ts';
import { cancelBatch, createBatch, getBatch, listBatches } from './batches.ts';
import { deleteFile, getFile, listFiles } from './files.ts';
import { models } from './models.ts';
import { createFile } from './upload.ts';

/** Throws AppError `MODEL_REQUIRED`: the upstream has no default. */
function modelOf({ model, provider }: Call): string {
  if (model === '') throw new AppError('MODEL_REQUIRED', { param: 'model', provider });
  return model;
}

const chatComplete: Endpoint = {
  method: 'POST',
  path: '/v2/chat',
  request: {
    kind: 'write',
    takes: () => takesCohereChat,
    write: (params, call) => ok(toCohereBody(params, modelOf(call))),
  },
  answer: { kind: 'read', read: fromCohereAnswer },
  stream: { kind: 'decode', framing: 'sse', open: createCohereDecoder },
};

const complete: Endpoint = {
  method: 'POST',
  path: '/v1/generate',
  request: {
    kind: 'write',
    takes: () => takesGenerate,
    write: (params, call) => toGenerateBody(params, modelOf(call)),
  },
  answer: { kind: 'read', read: fromGenerate },
  stream: { kind: 'decode', framing: 'json-lines', open: createGenerateDecoder },
};

const embed: Endpoint = {
  method: 'POST',
  path: '/v2/embed',
  request: {
    kind: 'write',
    takes: () => takesCohereEmbed,
    write(params, call) {
      const body = toCohereEmbedBody(params, modelOf(call));
      return body.ok ? body : err(new AppError('PARAMETER_INVALID', { detail: body.error, param: 'input' }));
    },
  },
  answer: { kind: 'read', read: fromCohereEmbed },
};

const rerank: Endpoint = {
  method: 'POST',
  path: '/v2/rerank',
  request: {
    kind: 'table',
    table: {
      // The gateway puts the documents of the call into the answer.
      drop: ['return_documents'],
      elsewhere: ['return_documents'],
      hooks: [
        (params, call) => {
          modelOf(call);
          return documentTexts(params);
        },
      ],
    },
  },
  answer: { kind: 'read', read: fromCohereRerank },
};

const VERSIONS = ['', '/v1', '/v2'];

const OF_MODELS = [
  ...['POST /chat', 'POST /generate', 'POST /embed', 'POST /rerank', 'POST /classify', 'POST /summarize'],
  ...['POST /tokenize', 'POST /detokenize'],
];

/** Source: the vendor's API reference, without connectors and fine-tuning. */
const DATA_PLANE = [...OF_MODELS, 'GET /models/**', 'GET|POST /embed-jobs/**', 'GET|POST|DELETE /datasets/**'];

/** Clients of version 1 name it themselves; the path of a call has lost it. */
function proxiedPath(call: Call): string {
  const path = proxyPath(call);
  return call.path.startsWith('/proxy/') || VERSIONED.test(path) ? path : `/v1${path}`;
}

const VERSIONED = /^\/v\d/;

/** Facts: the public API references of the vendors. */
export const cohere: Provider = defineProvider({
  id: 'cohere',
  baseUrl: 'https://api.cohere.ai',
  auth: bearer(),
  endpoints: { chatComplete, complete, embed, rerank, getFile, deleteFile, getBatch },
  procedures: { createFile, listFiles, createBatch, listBatches, getBatchOutput, cancelBatch },
  models,
  proxy: {
    path: proxiedPath,
    dataPlane: VERSIONS.flatMap((version) => pathsBelow(version, DATA_PLANE)),
    modelPlaces: [
      { model: 'body', calls: VERSIONS.flatMap((version) => pathsBelow(version, [...OF_MODELS, 'POST /embed-jobs'])) },
    ],
  },
});
