import { isObject, ok } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import { scalarText } from '../../lib/scalar-text.ts';
import { textAt } from '../../wire/json/json.ts';
import { type Call, defineProvider, type Endpoint, type Provider } from '../contract.ts';
import { apiKeyHeader, pathText, requireModel } from '../engine/index.ts';
import { createBytezDecoder, fromBytez, takesBytez, toBytezBody } from './chat.ts';

const DEFAULT_VERSION = 2;
const VERSION = /^\d{1,3}$/;

/** A parameter of the call chooses the version of the API. */
function versionOf({ params, provider }: Call): string {
  const version = scalarText(params['version'] ?? DEFAULT_VERSION);
  if (VERSION.test(version)) return version;
  throw new AppError('PARAMETER_INVALID', { param: 'version', detail: 'version must be a number', provider });
}

const chatComplete: Endpoint = {
  method: 'POST',
  path: (call) => `/models/v${versionOf(call)}/${pathText(requireModel(call), 'model')}`,
  request: { kind: 'write', takes: () => takesBytez, write: (params) => ok(toBytezBody(params)) },
  answer: { kind: 'read', read: fromBytez },
  stream: { kind: 'decode', framing: 'text', open: createBytezDecoder },
};

const OPENAI_CALLS = ['chat/completions', 'completions', 'embeddings'].map(
  (path) => `POST /models/v2/openai/v1/${path}`,
);

/** Facts: the public API references of the vendors. */
export const bytez: Provider = defineProvider({
  id: 'bytez',
  baseUrl: 'https://api.bytez.com',
  auth: apiKeyHeader('authorization', { prefix: 'Key ' }),
  endpoints: { chatComplete },
  readError(body, { status }) {
    const message = isObject(body) ? textAt(body, 'error') : undefined;
    return message === undefined ? undefined : { message, type: String(status), param: null, code: null };
  },
  proxy: {
    dataPlane: [...OPENAI_CALLS, 'POST /models/v2/*/*', 'GET /models/v2/list/**'],
    modelPlaces: [
      { model: 'body', calls: OPENAI_CALLS },
      { model: 'path', calls: ['POST /models/v2/<model>/<model>'] },
    ],
  },
});
