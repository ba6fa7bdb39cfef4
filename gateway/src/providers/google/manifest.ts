import { type Authorizer, defineProvider, type Provider } from '../contract.ts';
import { apiKeyHeader, apiKeyQuery } from '../engine/index.ts';
import { chatComplete } from './chat-complete.ts';
import { embed } from './embed.ts';
import { models } from './models.ts';

const header = apiKeyHeader('x-goog-api-key');
const query = apiKeyQuery('key');

/** A header keeps the key out of URLs; proxied calls may go to paths that know the query alone (spec/providers.md 1.16, 3.6). */
const apiKey: Authorizer = {
  summary: `${header.summary}; proxied calls: ${query.summary}`,
  apply: (request, call, context) => (call.operation === 'proxy' ? query : header).apply(request, call, context),
};

/** The Gemini API. Facts: spec/providers.yaml and spec/providers.md 3.6. */
export const google: Provider = defineProvider({
  id: 'google',
  baseUrl: 'https://generativelanguage.googleapis.com',
  auth: apiKey,
  routingHeaders: ['x-goog-user-project', 'x-goog-request-params'],
  endpoints: { chatComplete, embed },
  models,
  proxy: {},
});
