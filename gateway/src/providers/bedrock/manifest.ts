import { awsErrorFields } from '../../wire/bedrock/index.ts';
import { defineProvider, type Provider } from '../contract.ts';
import { chatComplete, countTokens } from './chat.ts';
import { complete } from './complete.ts';
import { DATA_PLANE, MODEL_PLACES } from './data-plane.ts';
import { embed } from './embed.ts';
import { createFile, getFile, getFileContent } from './files/index.ts';
import { baseUrl, proxyBaseUrl } from './hosts.ts';
import { imageGenerate } from './image-generate.ts';
import { JOB_PROCEDURES } from './jobs/index.ts';
import { messages, messagesCountTokens, modelResolvingAuth } from './messages.ts';
import { models } from './models.ts';
import { rerank } from './rerank.ts';

export const bedrock: Provider = defineProvider({
  id: 'bedrock',
  baseUrl,
  auth: modelResolvingAuth,
  endpoints: { chatComplete, complete, countTokens, embed, imageGenerate, messages, messagesCountTokens, rerank },
  procedures: { createFile, getFile, getFileContent, ...JOB_PROCEDURES },
  models,
  proxy: { baseUrl: proxyBaseUrl, dataPlane: DATA_PLANE, modelPlaces: MODEL_PLACES },
  readError: (body, head) => awsErrorFields(body, head.headers),
});
