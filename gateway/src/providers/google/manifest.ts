import { defineProvider, type Provider } from '../contract.ts';
import { apiKeyHeader } from '../engine/index.ts';
import { chatComplete } from './chat-complete.ts';
import { countTokens } from './count-tokens.ts';
import { DATA_PLANE, MODEL_PLACES } from './data-plane.ts';
import { embed } from './embed.ts';
import { models } from './models.ts';

/** The Gemini API. Facts: the public API references of the vendors. */
export const google: Provider = defineProvider({
  id: 'google',
  baseUrl: 'https://generativelanguage.googleapis.com',
  auth: apiKeyHeader('x-goog-api-key'), // never in the URL, which ends up in logs
  routingHeaders: ['x-goog-user-project', 'x-goog-request-params'],
  endpoints: { chatComplete, countTokens, embed },
  models,
  proxy: { dataPlane: DATA_PLANE, modelPlaces: MODEL_PLACES },
});
