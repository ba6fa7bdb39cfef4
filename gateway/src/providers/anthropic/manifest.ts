import { anthropicErrorFields, BATCH_ENDPOINTS, isOverloadFrame } from '../../wire/anthropic/index.ts';
import { defineProvider, type ModelPlace, type Provider } from '../contract.ts';
import { proxyPath } from '../engine/index.ts';
import { anthropicAuth, anthropicBeta, anthropicVersion } from './auth.ts';
import { getBatchOutput } from './batch-output.ts';
import { cancelBatch, createBatch, getBatch, listBatches } from './batches.ts';
import { chatComplete, complete, countTokens, messages, messagesCountTokens } from './endpoints.ts';
import { createFile, deleteFile, getFile, getFileContent, listFiles } from './files.ts';
import { listedRequests, MESSAGE_BATCHES } from './message-batches.ts';
import { models } from './models.ts';

export const anthropic: Provider = defineProvider({
  id: 'anthropic',
  baseUrl: 'https://api.anthropic.com/v1',
  auth: anthropicAuth,
  headers: { 'anthropic-version': anthropicVersion, 'anthropic-beta': anthropicBeta },
  routingHeaders: ['anthropic-organization-id', 'anthropic-workspace-id'],
  endpoints: {
    ...{ chatComplete, complete, countTokens, messages, messagesCountTokens },
    ...{ createFile, listFiles, getFile, deleteFile },
    ...{ listBatches, getBatch, cancelBatch },
    ...MESSAGE_BATCHES,
  },
  procedures: { getFileContent, createBatch, getBatchOutput },
  rowChecks: { createMessageBatch: listedRequests },
  rowBatches: { endpoints: BATCH_ENDPOINTS, input: 'call', options: [] },
  models,
  // The vendor's SDKs add the version segment to every path, while base URLs have it already.
  proxy: {
    path: (call) => proxyPath(call).replace(/^\/v1(?=\/)/, ''),
    dataPlane: [
      'POST /messages',
      'POST /messages/count_tokens',
      'GET|POST|DELETE /messages/batches/**',
      'POST /complete',
      'GET /models/**',
      'GET|POST|DELETE /files/**',
      'GET|POST|DELETE /skills/**',
    ],
    modelPlaces: ['', '/v1'].flatMap((version): readonly ModelPlace[] => [
      {
        model: 'body',
        calls: ['/messages', '/messages/count_tokens', '/complete'].map((path) => `POST ${version}${path}`),
      },
      {
        model: 'none',
        calls: [
          ...['/files', '/files/*', '/messages/batches/*'].map((path) => `POST|DELETE ${version}${path}`),
          `POST ${version}/messages/batches/*/cancel`,
        ],
      },
    ]),
  },
  readError: anthropicErrorFields,
  isOverloadFrame,
});
