import { awsErrorFields } from '../../wire/bedrock/index.ts';
import { defineProvider, type Provider } from '../contract.ts';
import { modelIn } from '../engine/index.ts';
import { chatComplete } from './chat.ts';
import { complete } from './complete.ts';
import { DATA_PLANE } from './data-plane.ts';
import { embed } from './embed.ts';
import { baseUrl, proxyBaseUrl } from './hosts.ts';
import { messages, messagesCountTokens, settlingAuth } from './messages.ts';
import { models } from './models.ts';

export const bedrock: Provider = defineProvider({
  id: 'bedrock',
  baseUrl,
  auth: settlingAuth,
  endpoints: { chatComplete, complete, embed, messages, messagesCountTokens },
  models,
  proxy: { baseUrl: proxyBaseUrl, modelOf: modelIn(/^\/model\/([^/]+)\/[^/]+$/), dataPlane: DATA_PLANE },
  readError: (body, head) => awsErrorFields(body, head.headers),
});
