import { err, isObject, ok } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { percentEncoded } from '../../lib/percent-encode.ts';
import { objectsAt, textAt } from '../../wire/json/json.ts';
import { modelEntry } from '../../wire/openai/index.ts';
import {
  fromPalmChat,
  fromPalmCompletion,
  fromPalmEmbedding,
  takesPalmChat,
  takesPalmCompletion,
  takesPalmEmbedding,
  toPalmChat,
  toPalmCompletion,
  toPalmEmbedding,
} from '../../wire/palm/index.ts';
import { type Call, defineProvider, type Endpoint, type ModelsEndpoint, type Provider } from '../contract.ts';
import { apiKeyHeader, pathText, requireModel } from '../engine/index.ts';

/** The path of a method of the model; lists name models with their collection. */
const modelPath = (method: string) => (call: Call) =>
  `/models/${pathText(requireModel(call).replace(/^models\//, ''), 'model')}:${method}`;

const chatComplete: Endpoint = {
  method: 'POST',
  path: modelPath('generateMessage'),
  request: { kind: 'write', takes: () => takesPalmChat, write: (params) => ok(toPalmChat(params)) },
  answer: { kind: 'read', read: fromPalmChat },
};

const complete: Endpoint = {
  method: 'POST',
  path: modelPath('generateText'),
  request: { kind: 'write', takes: () => takesPalmCompletion, write: toPalmCompletion },
  answer: { kind: 'read', read: fromPalmCompletion },
};

const embed: Endpoint = {
  method: 'POST',
  path: modelPath('embedText'),
  request: {
    kind: 'write',
    takes: () => takesPalmEmbedding,
    write(params) {
      const body = toPalmEmbedding(params);
      return body.ok ? body : err(new AppError('PARAMETER_INVALID', { detail: body.error, param: 'input' }));
    },
  },
  answer: { kind: 'read', read: fromPalmEmbedding },
};

const MODELS_PATH = '/models?pageSize=1000';

const models: ModelsEndpoint = {
  path: MODELS_PATH,
  read(body, call) {
    if (!isObject(body) || !Array.isArray(body['models'])) return err('the answer has no list of models');
    const names = objectsAt(body, 'models').map((model) => (textAt(model, 'name') ?? '').replace(/^models\//, ''));
    const token = textAt(body, 'nextPageToken') ?? '';
    return ok({
      data: names.map((name) => modelEntry(name, call.provider)),
      ...(token === '' ? {} : { next: `${MODELS_PATH}&pageToken=${percentEncoded(token)}` }),
    });
  },
};

const METHODS = [
  'generateMessage',
  'generateText',
  'embedText',
  'batchEmbedText',
  'countMessageTokens',
  'countTextTokens',
];

/** The predecessor of the Gemini API, for installations that still serve it. Facts: the vendor's API reference. */
export const palm: Provider = defineProvider({
  id: 'palm',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta3',
  auth: apiKeyHeader('x-goog-api-key'), // never in the URL, which ends up in logs
  routingHeaders: ['x-goog-user-project', 'x-goog-request-params'],
  endpoints: { chatComplete, complete, embed },
  models,
  proxy: {
    dataPlane: [...METHODS.map((method) => `POST /models/*:${method}`), 'GET /models', 'GET /models/*'],
    modelPlaces: [{ model: 'path', calls: METHODS.map((method) => `POST /models/<model>:${method}`) }],
  },
});
