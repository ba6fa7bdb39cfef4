import { isOverloadFrame } from '../../wire/anthropic/index.ts';
import { gcpOAuth, gcpProject } from '../clouds/gcp/index.ts';
import { defineProvider, type Provider } from '../contract.ts';
import { chatComplete, countTokens } from './chat-complete.ts';
import { betaHeader } from './claude-body.ts';
import { DATA_PLANE, MODEL_PLACES } from './data-plane.ts';
import { embed } from './embed.ts';
import { createFile, deleteFile, getFile, getFileContent } from './files/index.ts';
import { imageGenerate } from './image-generate.ts';
import { JOB_PROCEDURES } from './jobs/index.ts';
import { messages, messagesCountTokens } from './messages.ts';
import { models, quotaProject } from './models.ts';
import { baseUrl } from './paths.ts';

const REQUEST_TYPE = 'x-vertex-ai-llm-request-type';

/** Vertex AI with the models of five families. Facts: the public API references of the vendors. */
export const vertexAi: Provider = defineProvider({
  id: 'vertex-ai',
  baseUrl,
  auth: gcpOAuth(),
  headers: {
    'anthropic-beta': betaHeader,
    'x-goog-user-project': quotaProject,
    [REQUEST_TYPE]: (call) => call.header(REQUEST_TYPE),
  },
  routingHeaders: ['x-goog-user-project', 'x-goog-request-params'],
  endpoints: { chatComplete, countTokens, embed, imageGenerate, messages, messagesCountTokens },
  procedures: { createFile, getFile, getFileContent, deleteFile, ...JOB_PROCEDURES },
  models,
  proxy: {
    dataPlane: DATA_PLANE,
    modelPlaces: MODEL_PLACES,
    place: (name, fields) => (name === 'vertex_project_id' ? gcpProject(fields) : undefined),
  },
  isOverloadFrame,
});
