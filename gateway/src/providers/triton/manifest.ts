import { defineProvider, type Endpoint, type Provider } from '../contract.ts';
import { bearer } from '../engine/index.ts';
import { fromGenerate, takesGenerate, toGenerateBody } from './generate.ts';

const complete: Endpoint = {
  method: 'POST',
  path: '/generate',
  request: { kind: 'write', takes: () => takesGenerate, write: toGenerateBody },
  answer: { kind: 'read', read: fromGenerate },
};

/** A server of the account itself. Facts: the public documentation of the server's protocols. */
export const triton: Provider = defineProvider({
  id: 'triton',
  baseUrl: '{custom_host}',
  auth: bearer({ optional: true }),
  endpoints: { complete },
  proxy: {
    dataPlane: [
      'POST /generate',
      'POST /generate_stream',
      'POST /infer',
      'GET /',
      'GET /ready',
      'GET /config',
      'GET /stats',
    ],
    // The address has the model, whose name calls do not say, so that lists of models cannot be checked.
    modelPlaces: [],
  },
});
